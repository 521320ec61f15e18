// SPDX-License-Identifier: Apache-2.0
#include "ops/find_partners.hpp"

#include <algorithm>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "ops/dealt_keys.hpp"

namespace atl::table {
namespace {

using array::CompositeKey;
using array::Engine;
using array::Work;

constexpr std::size_t grains_per_bucket = 8;  // 8,192 right rows: their table takes 256 to 512 KiB
constexpr std::size_t cached_buckets = 8192;  // lines that a thread writes to at once while it deals: 512 KiB
constexpr std::size_t large_bucket = 1 << 18;  // rows of both sides: for all threads together

FoundPartners room_for(Engine& engine, const CompositeKey& left) {
  FoundPartners found;
  found.partners = std::move(engine.make_uneven({{array::DType::i64, static_cast<std::int64_t>(left.rows())}}).front());
  return found;
}

void expect_pairs(FoundPartners& found, const CompositeKey& left, const std::int64_t* lists, JoinKind kind) {
  found.pairs.emplace(std::span(found.partners->data<std::int64_t>(), left.rows()),
                      static_cast<std::int64_t>(left.first_row()), lists, kind);
}

/// The lists that one reader needs of each bucket of this PE, and where they lie in memory that he reaches: first, for
/// each bucket, where its lists begin, in words from there; then the lists.
using ListsOfBuckets = std::vector<std::vector<std::int64_t>>;

/// Matches bucket after bucket.
class Matcher {
 public:
  Matcher(const IncomingKeys& left, const IncomingKeys& right, std::uint32_t npes)
      : left_(left), right_(right), npes_(npes) {}

  std::size_t rows(std::size_t bucket) {
    std::size_t rows = 0;
    for (const IncomingKeys* side : {&left_, &right_})
      for (const KeyRun& run : runs_of(*side, 0, npes_, bucket)) rows += run.count;
    return rows;
  }

  /// Left keys become partners; what lists a reader needs is appended to lists[its number][bucket].
  void match(Work work, std::size_t bucket, const std::vector<std::uint32_t>& reader_of_pe,
             std::vector<ListsOfBuckets>& lists) {
    const std::vector<KeyRun>& rights = runs_of(right_, 0, npes_, bucket);
    std::size_t count = 0;
    for (const KeyRun& run : rights) count += run.count;
    if (keys_.size() < count) {
      keys_ = Buffer<std::uint64_t>(work.memory, count + count / 4);
      rows_ = Buffer<std::int64_t>(work.memory, count + count / 4);
    }
    std::size_t at = 0;
    for (const KeyRun& run : rights) {
      for (std::size_t i = 0; i < run.count; ++i, ++at) {
        keys_[at] = run.records[2 * i];
        rows_[at] = static_cast<std::int64_t>(run.records[2 * i + 1]);
      }
    }
    table_.fill(work, {keys_.data(), count}, rows_.data());
    for (std::uint32_t pe = 0; pe < npes_; ++pe) {
      for (const KeyRun& run : runs_of(left_, pe, pe + 1, bucket)) {
        auto* partners = reinterpret_cast<std::int64_t*>(run.records);
        array::Polling(work).for_pieces(run.count, CompositeKey::block,
                                        [&](std::size_t begin, std::size_t end, unsigned) {
                                          table_.find(run.records + begin, end - begin, partners + begin);
                                        });
        if (!table_.unique()) give_lists(partners, run.count, reader_of_pe[pe], lists[reader_of_pe[pe]][bucket]);
      }
    }
    forget();
  }

 private:
  const std::vector<KeyRun>& runs_of(const IncomingKeys& side, std::uint32_t first, std::uint32_t end,
                                     std::size_t bucket) {
    runs_.clear();
    for (std::uint32_t pe = first; pe < end; ++pe) side.runs(pe, bucket, runs_);
    return runs_;
  }

  // Places of lists in the table become places among those that the reader gets, each once.
  void give_lists(std::int64_t* partners, std::size_t n, std::uint32_t reader, std::vector<std::int64_t>& out) {
    if (reader != reader_) forget();
    reader_ = reader;
    if (given_.size() < table_.list_words()) given_.resize(table_.list_words(), not_given);
    for (std::size_t i = 0; i < n; ++i) {
      if (!Partners::is_list(partners[i])) continue;
      const std::uint64_t place = Partners::place(partners[i]);
      if (given_[place] == not_given) {
        given_[place] = Partners::list(out.size());
        touched_.push_back(place);
        const std::int64_t* list = table_.lists() + place;
        out.insert(out.end(), list, list + 1 + list[0]);
      }
      partners[i] = given_[place];
    }
  }
  void forget() {
    for (const std::uint64_t place : touched_) given_[place] = not_given;
    touched_.clear();
  }

  static constexpr std::int64_t not_given = 0;

  const IncomingKeys &left_, &right_;
  std::uint32_t npes_;
  std::vector<KeyRun> runs_;
  Buffer<std::uint64_t> keys_;
  Buffer<std::int64_t> rows_;
  JoinTable table_;
  std::uint32_t reader_ = 0;
  std::vector<std::int64_t> given_;  // by place in the table's lists
  std::vector<std::uint64_t> touched_;
};

void match_all(Engine& engine, const IncomingKeys& left, const IncomingKeys& right, std::size_t buckets,
               const std::vector<std::uint32_t>& reader_of_pe, std::vector<ListsOfBuckets>& lists) {
  const Work work = engine.work();
  std::vector<Matcher> matchers;
  for (unsigned thread = 0; thread < work.threads.size(); ++thread) matchers.emplace_back(left, right, engine.npes());
  std::vector<std::size_t> small, large;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    (matchers[0].rows(bucket) < large_bucket ? small : large).push_back(bucket);
  array::Polling(work).for_each_dynamic(small.size(), [&](std::size_t i, unsigned thread) {
    ThreadPool alone(1);
    array::Monitor quiet;
    matchers[thread].match({alone, work.memory, quiet}, small[i], reader_of_pe, lists);
  });
  for (const std::size_t bucket : large) matchers[0].match(work, bucket, reader_of_pe, lists);
}

struct ListSection {
  std::uint64_t begin, words;
};

/// Brings the lists of all PEs' buckets within reach of their readers. For each bucket: the address, in words, that
/// places count from.
std::vector<std::uint64_t> exchange_lists(Engine& engine, const std::vector<std::uint32_t>& reader_of_pe,
                                          const std::vector<ListsOfBuckets>& lists, FoundPartners& found) {
  const std::size_t buckets = lists[0].size();
  std::vector<ListSection> sections;
  std::uint64_t words = 0;
  for (const ListsOfBuckets& of_reader : lists) {
    sections.push_back({words, buckets});
    for (const auto& bucket : of_reader) sections.back().words += bucket.size();
    words += sections.back().words;
  }
  Buffer<std::int64_t>* mine = nullptr;
  engine.together([&] { mine = &found.kept.emplace_back(engine.memory(), words); });
  for (std::size_t reader = 0; reader < lists.size(); ++reader) {
    std::int64_t* section = mine->data() + sections[reader].begin;
    std::int64_t* at = section + buckets;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      section[bucket] = at - section;
      at = std::copy(lists[reader][bucket].begin(), lists[reader][bucket].end(), at);
    }
  }
  const array::Reach reach(engine, mine->data());
  std::vector<ListSection> offered;
  for (const std::uint32_t reader : reader_of_pe) offered.push_back(sections[reader]);
  if (engine.npes() > 1) offered = engine.communicator().alltoall(offered);
  std::vector<const std::int64_t*> at(engine.npes());
  engine.together([&] {
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      if (reach.maps(pe)) {
        at[pe] = reinterpret_cast<const std::int64_t*>(reach.mapped(pe)) + offered[pe].begin;
        continue;
      }
      auto& fetched = found.kept.emplace_back(engine.memory(), offered[pe].words);
      reach.start_get(fetched.data(), pe, offered[pe].begin * sizeof(std::int64_t),
                      offered[pe].words * sizeof(std::int64_t));
      at[pe] = fetched.data();
    }
    reach.complete();
  });
  std::vector<std::uint64_t> bases;
  for (const std::int64_t* section : at)
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
      bases.push_back(reinterpret_cast<std::uintptr_t>(section) / sizeof(std::int64_t) +
                      static_cast<std::uint64_t>(section[bucket]));
  return bases;
}

}  // namespace

FoundPartners find_in_whole_table(Engine& engine, const CompositeKey& left, const CompositeKey& right,
                                  std::int64_t right_rows, JoinKind kind) {
  FoundPartners found = room_for(engine, left);
  const Work work = engine.work();
  auto load = [&](std::uint64_t* to) {
    array::Polling(work).for_pieces(right.rows(), CompositeKey::block,
                                    [&](std::size_t begin, std::size_t end, unsigned) {
                                      for (std::size_t at = begin; at < end; at += CompositeKey::block) {
                                        const std::size_t count = std::min(CompositeKey::block, end - at);
                                        right.load(at, count, to + at);
                                      }
                                    });
  };
  Buffer<std::uint64_t> keys;
  engine.together([&] { keys = Buffer<std::uint64_t>(engine.memory(), static_cast<std::size_t>(right_rows)); });
  if (engine.npes() == 1) {
    load(keys.data());
  } else {
    const array::Array own =
        std::move(engine.make_uneven({{array::DType::u64, static_cast<std::int64_t>(right.rows())}}).front());
    engine.together([&] { load(own->data<std::uint64_t>()); });
    array::OpenBlocks blocks(engine, *own);
    engine.together([&] { blocks.read_rows(0, right_rows, keys.data()); });
    blocks.close();
  }
  engine.together([&] {
    found.table.fill(work, {keys.data(), keys.size()});
    keys = {};
    expect_pairs(found, left, found.table.lists(), kind);
    array::Polling(work).for_pieces(left.rows(), CompositeKey::block,
                                    [&](std::size_t begin, std::size_t end, unsigned) {
                                      alignas(64) std::uint64_t block[CompositeKey::block];
                                      for (std::size_t at = begin; at < end; at += CompositeKey::block) {
                                        const std::size_t count = std::min(CompositeKey::block, end - at);
                                        left.load(at, count, block);
                                        found.table.find(block, count, found.partners->data<std::int64_t>() + at);
                                        found.pairs->count_block(at / CompositeKey::block);
                                      }
                                    });
    if (found.table.unique()) found.table = {};
  });
  found.pairs->add_up();
  return found;
}

FoundPartners find_by_dealing(Engine& engine, const CompositeKey& left, const CompositeKey& right,
                              std::int64_t right_rows, JoinKind kind) {
  const std::size_t npes = engine.npes();
  ATOLL_VALIDATE(npes <= BucketRule::most_buckets, ValueError, "a join of large tables takes up to {} PEs, got {}",
                 BucketRule::most_buckets, npes);
  const std::size_t wanted =
      static_cast<std::size_t>(right_rows) / npes / (grains_per_bucket * static_cast<std::size_t>(engine.grain())) + 1;
  const std::size_t buckets = std::min(wanted, std::max<std::size_t>(cached_buckets / npes, 1));  // of a PE
  const BucketRule rule(buckets * npes, heavy_keys(engine, left, right));
  const Work work = engine.work();
  std::optional<DealtKeys> rights, lefts;
  engine.together([&] {
    rights.emplace(work, right, rule, BringRows::yes);
    lefts.emplace(work, left, rule, BringRows::no);
  });
  HeavyPartners heavy = match_heavy(engine, rule, *lefts, *rights);
  // PEs whose memory is mapped read the lists that any of them needs where these are; the others get theirs each.
  std::vector<std::uint32_t> reader_of_pe;
  std::vector<ListsOfBuckets> lists(1, ListsOfBuckets(buckets));
  {
    IncomingKeys incoming(engine, *lefts, buckets);
    const IncomingKeys incoming_rights(engine, *rights, buckets);
    for (std::uint32_t pe = 0; pe < npes; ++pe) {
      if (!incoming.maps(pe)) lists.emplace_back(buckets);
      reader_of_pe.push_back(incoming.maps(pe) ? 0 : static_cast<std::uint32_t>(lists.size() - 1));
    }
    engine.together([&] { match_all(engine, incoming, incoming_rights, buckets, reader_of_pe, lists); });
    incoming.put_back();
    engine.barrier();
  }
  rights.reset();
  FoundPartners found = room_for(engine, left);
  std::vector<std::uint64_t> bases(rule.buckets());
  const bool any = std::ranges::any_of(lists, [](const auto& of_reader) {
    return std::ranges::any_of(of_reader, [](const auto& bucket) { return !bucket.empty(); });
  });
  if (engine.npes() == 1 ? any : engine.communicator().any(any))
    bases = exchange_lists(engine, reader_of_pe, lists, found);
  lists.clear();
  auto partners_of = [&](std::size_t bucket, std::int64_t partners, std::uint64_t hashed) {
    if (bucket == bases.size()) [[unlikely]]
      return heavy.partners[rule.heavy_place(hashed)];
    return Partners::is_list(partners) ? Partners::list(bases[bucket] + Partners::place(partners)) : partners;
  };
  expect_pairs(found, left, nullptr, kind);
  engine.together([&] {
    lefts->bring_back(work, left, rule, partners_of, found.partners->data<std::int64_t>(),
                      [&](std::size_t block) { found.pairs->count_block(block); });
  });
  found.pairs->add_up();
  found.kept.push_back(std::move(heavy.lists));
  return found;
}

}  // namespace atl::table
