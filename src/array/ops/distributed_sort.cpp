// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/distributed_sort.hpp"

#include <algorithm>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/routing.hpp"
#include "atoll/array/phase.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {
namespace {

// Among many PEs the rounds in which cuts are looked for take longer than a PE needs to sort so many words of its
// neighbours' (some 0.2 ms).
constexpr std::int64_t least_cut_words = 16'384;

}  // namespace

template <class Word>
DistributedSort<Word>::DistributedSort(Engine& engine, CompositeKey& key, const PartitionPlan& plan, Packing packing,
                                       const ArrayData& result, std::vector<Array> columns)
    : engine_(engine),
      key_(key),
      plan_(plan),
      packing_(packing),
      result_(result),
      columns_(std::move(columns)),
      blocks_(engine, result),
      places_(plan.buckets()) {
  ATOLL_EXPECT(size_of(result.dtype) == sizeof(Word));
}

template <class Word>
void DistributedSort<Word>::run() {
  Work work = engine_.work();
  std::vector<std::uint64_t> counts;
  engine_.together([&] { counts = histogram(work, key_, plan_); });
  // Lanes are added up, as only this PE needs its own. What the others have is needed as sums alone: of all, and of
  // those before.
  const std::size_t buckets = plan_.buckets();
  std::vector<std::uint64_t> mine(buckets);
  for (std::size_t i = 0; i < counts.size(); ++i) mine[i % buckets] += counts[i];
  std::vector<std::uint64_t> all(buckets), before(buckets);
  const coll::Reduction sum(coll::Type::u64, coll::Op::sum);
  {
    const Phase phase(engine_, wait_phase);
    engine_.communicator().allreduce(mine.data(), all.data(), buckets, sum);
    engine_.communicator().exscan(mine.data(), before.data(), buckets, sum);
  }
  place_buckets(mine, all, before);
  engine_.together([&] {
    spare_ = Buffer<Word>(engine_.memory(), std::max<std::size_t>(spare_words_, 1));
    if (outgoing_words_ > 0) outgoing_ = Buffer<Word>(engine_.memory(), outgoing_words_);
  });
  spares_ = Reach(engine_, spare_.data());

  const std::vector<Word*> to = starts(counts);
  engine_.together([&] {
    const Phase phase(engine_, exchange_phase);
    scatter<Word>(work, key_, plan_, packing_, to);
  });
  send_outgoing();
  engine_.barrier();
  sort_mine();
  cut_large();
  blocks_.close();
}

template <class Word>
void DistributedSort<Word>::place_buckets(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> all,
                                          std::span<const std::uint64_t> before) {
  const Distribution& distribution = blocks_.distribution();
  const std::int64_t whole = engine_.npes() > few_pes ? least_cut_words : 0;
  std::vector<std::size_t> owner_spare(engine_.npes());
  std::int64_t position = 0;
  for (std::size_t b = 0; b < places_.size(); ++b) {
    Place& place = places_[b];
    place.begin = position;
    place.before = static_cast<std::int64_t>(before[b]);
    place.mine = static_cast<std::int64_t>(mine[b]);
    place.count = static_cast<std::int64_t>(all[b]);
    if (place.count == 0) continue;
    position += place.count;
    place.owner = distribution.owner(place.begin);
    const bool resolved = !rows() || packing_.resolves(plan_.shift(b), key_);
    if (distribution.owner(position - 1) == place.owner) {
      place.way = Way::direct;
    } else if (place.count > std::max(distribution.block_rows() / 4, whole) && resolved) {
      place.way = Way::by_cut;
    } else {
      place.way = Way::by_owner;
      place.offset = owner_spare[place.owner];
      owner_spare[place.owner] += static_cast<std::size_t>(place.count);
    }
    if (place.way != Way::by_cut && !blocks_.reach().maps(place.owner)) {
      place.outgoing = outgoing_words_;
      outgoing_words_ += static_cast<std::size_t>(place.mine);
    }
  }
  // Behind what others send here: where a PE keeps its own words until they are cut is its own affair.
  spare_words_ = owner_spare[engine_.pe()];
  for (Place& place : places_)
    if (place.way == Way::by_cut) {
      place.offset = spare_words_;
      spare_words_ += static_cast<std::size_t>(place.mine);
    }
}

template <class Word>
std::vector<Word*> DistributedSort<Word>::starts(std::span<const std::uint64_t> my_counts) const {
  const std::size_t buckets = places_.size();
  std::vector<Word*> to(my_counts.size(), nullptr);
  for (std::size_t b = 0; b < buckets; ++b) {
    const Place& place = places_[b];
    if (place.mine == 0) continue;
    Word* next = nullptr;
    const bool far = is_far(place);
    if (far) next = outgoing_.data() + place.outgoing;
    else if (place.way == Way::direct) next = at(place.begin) + place.before;
    else if (place.way == Way::by_owner)
      next = reinterpret_cast<Word*>(spares_.mapped(place.owner)) + place.offset + place.before;
    else next = spare_.data() + place.offset;
    if (!far && place.way != Way::by_cut && place.owner != engine_.pe())
      engine_.count_put(static_cast<std::size_t>(place.mine) * sizeof(Word));
    for (std::size_t i = b; i < my_counts.size(); i += buckets) {
      to[i] = next;
      next += my_counts[i];
    }
  }
  return to;
}

template <class Word>
void DistributedSort<Word>::send_outgoing() {
  for (const Place& place : places_) {
    if (!is_far(place)) continue;
    const Word* words = outgoing_.data() + place.outgoing;
    const std::size_t bytes = static_cast<std::size_t>(place.mine) * sizeof(Word);
    if (place.way == Way::direct) {
      const std::int64_t row = place.begin + place.before - blocks_.distribution().begin(place.owner);
      blocks_.reach().start_put(place.owner, static_cast<std::size_t>(row) * sizeof(Word), words, bytes);
    } else {
      const std::size_t at = place.offset + static_cast<std::size_t>(place.before);
      spares_.start_put(place.owner, at * sizeof(Word), words, bytes);
    }
  }
  spares_.complete();
}

/// Lists in the key the rows of other nodes whose words tie in these buckets. Collective; sorts the buckets' words.
template <class Word>
void DistributedSort<Word>::bring_tied_keys(std::vector<BucketOf<Word>>& buckets) {
  engine_.together([&] { sort_each(buckets); });
  std::vector<std::uint64_t> rows;
  auto add = [&](std::uint64_t word) {
    if (const std::uint64_t row = word & packing_.row_mask(); !key_.in_pieces(row)) rows.push_back(row);
  };
  for (const auto& bucket : buckets) {
    if (packing_.resolves(bucket.shift, key_)) continue;
    bool tied = false;
    for (std::size_t i = 1; i < bucket.n; ++i) {
      const bool ties = ((bucket.words[i] ^ bucket.words[i - 1]) >> packing_.row_bits) == 0;
      if (ties && !tied) add(bucket.words[i - 1]);
      if (ties) add(bucket.words[i]);
      tied = ties;
    }
  }
  if (!engine_.communicator().any(!rows.empty())) return;
  std::sort(rows.begin(), rows.end());
  engine_.together([&] {
    tied_rows_ = Buffer<std::uint64_t>(engine_.memory(), rows.size());
    for (const Array& column : columns_) tied_keys_.emplace_back(engine_.memory(), rows.size() * column->row_bytes());
  });
  std::copy(rows.begin(), rows.end(), tied_rows_.data());
  std::vector<Key> keys;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const OpenBlocks from(engine_, *columns_[column]);
    const auto* numbers = reinterpret_cast<const std::int64_t*>(tied_rows_.data());
    gather_over_nodes(engine_, from, numbers, rows.size(), tied_keys_[column].data());
    keys.push_back({columns_[column]->dtype, tied_keys_[column].data()});
  }
  key_.list_rows({tied_rows_.data(), rows.size()}, keys);
}

template <class Word>
void DistributedSort<Word>::sort_mine() {
  std::vector<BucketOf<Word>> buckets;
  for (std::size_t b = 0; b < places_.size(); ++b) {
    const Place& place = places_[b];
    if (place.owner != engine_.pe() || (place.way != Way::direct && place.way != Way::by_owner)) continue;
    Word* words = place.way == Way::direct ? at(place.begin) : spare_.data() + place.offset;
    buckets.push_back({words, static_cast<std::size_t>(place.count), plan_.shift(b)});
  }
  if constexpr (sizeof(Word) == 8) {
    if (rows()) {
      if (engine_.spans_nodes()) bring_tied_keys(buckets);
    }
  }
  engine_.together([&] {
    if constexpr (sizeof(Word) == 8) {
      if (rows()) {
        sort_buckets(engine_.work(), key_, packing_, std::move(buckets), 0);
        buckets.clear();
      }
    }
    sort_each(buckets);
    for (const Place& place : places_)
      if (place.way == Way::by_owner && place.owner == engine_.pe())
        deliver(spare_.data() + place.offset, place.begin, place.count);
  });
}

/// The largest first.
template <class Word>
void DistributedSort<Word>::sort_each(std::vector<BucketOf<Word>>& buckets) {
  std::sort(buckets.begin(), buckets.end(), [](const auto& a, const auto& b) { return a.n > b.n; });
  Polling(engine_.work()).for_each_dynamic(buckets.size(), [&](std::size_t i, unsigned) {
    sort_words(buckets[i].words, buckets[i].n);
  });
}

/// Copies words to their final positions, on whichever PEs those lie.
template <class Word>
void DistributedSort<Word>::deliver(const Word* words, std::int64_t begin, std::int64_t count) {
  blocks_.write_rows(begin, begin + count, words);
}

/// Of each of these buckets: whether its words, PE after PE, are sorted already, as those of a key that is alone in its
/// bucket are.
template <class Word>
std::vector<std::uint64_t> DistributedSort<Word>::in_order(std::span<const Place* const> large) {
  std::vector<std::uint64_t> last(large.size()), highest_before(large.size()), ordered(large.size(), 1);
  for (std::size_t i = 0; i < large.size(); ++i)
    if (const Place& place = *large[i]; place.mine > 0)
      last[i] = spare_.data()[place.offset + static_cast<std::size_t>(place.mine) - 1];
  // Where all before are in order, the highest of their last words is the last.
  engine_.communicator().exscan(last.data(), highest_before.data(), last.size(),
                                coll::Reduction(coll::Type::u64, coll::Op::max));
  for (std::size_t i = 0; i < large.size(); ++i) {
    const Place& place = *large[i];
    const Word* words = spare_.data() + place.offset;
    if (place.mine > 0) ordered[i] = words[0] >= highest_before[i] && std::is_sorted(words, words + place.mine);
  }
  engine_.communicator().allreduce(ordered.data(), ordered.data(), ordered.size(),
                                   coll::Reduction(coll::Type::u64, coll::Op::min));
  return ordered;
}

template <class Word>
void DistributedSort<Word>::sort_all(Word* words, std::size_t n) {
  if constexpr (sizeof(Word) == 8) {
    Buffer<Word> scratch(engine_.memory(), n);
    sort_words(engine_.work(), words, n, scratch.data());
  } else {
    sort_words(words, n);
  }
}

/// Sends the words of buckets that are cut to where they end up, all buckets in the same rounds.
template <class Word>
void DistributedSort<Word>::cut_large() {
  std::vector<const Place*> large;
  for (const Place& place : places_)
    if (place.way == Way::by_cut) large.push_back(&place);
  if (large.empty()) return;
  const std::vector<std::uint64_t> ordered = in_order(large);
  std::vector<Cut> cuts;
  engine_.together([&] {
    for (std::size_t i = 0; i < large.size(); ++i) {
      const Place& place = *large[i];
      Word* words = spare_.data() + place.offset;
      if (ordered[i] != 0) deliver(words, place.begin + place.before, place.mine);
      else sort_all(words, static_cast<std::size_t>(place.mine));
    }
  });
  for (std::size_t i = 0; i < large.size(); ++i) {
    const Place& place = *large[i];
    if (ordered[i] != 0) continue;
    const std::uint32_t last_pe = blocks_.distribution().owner(place.begin + place.count - 1);
    for (std::uint32_t pe = place.owner + 1; pe <= last_pe; ++pe)
      cuts.push_back({&place, blocks_.distribution().begin(pe)});
  }
  find_cuts(cuts);
  send_parts(cuts);
  blocks_.close();
  const std::int64_t mine_begin = result_.first_row(), mine_end = mine_begin + result_.local_rows();
  engine_.together([&] {
    for (std::size_t i = 0; i < large.size(); ++i) {
      const std::int64_t first = std::max(large[i]->begin, mine_begin),
                         past = std::min(large[i]->begin + large[i]->count, mine_end);
      if (first >= past) continue;
      const auto n = static_cast<std::size_t>(past - first);
      if (ordered[i] == 0) sort_all(at(first), n);
      if constexpr (sizeof(Word) == 8) {
        if (rows()) unpack_rows(at(first), n, packing_, 0);
      }
    }
  });
}

/// How many of this PE's words of the bucket lie before each cut: by halving, all cuts in the same rounds.
template <class Word>
void DistributedSort<Word>::find_cuts(std::vector<Cut>& cuts) {
  if (cuts.empty()) return;
  const std::size_t n = cuts.size();
  auto& communicator = engine_.communicator();
  const coll::Reduction sum(coll::Type::i64, coll::Op::sum), least(coll::Type::u64, coll::Op::min);
  auto first = [&](const Cut& cut) { return spare_.data() + cut.place->offset; };
  auto past = [&](const Cut& cut) { return first(cut) + cut.place->mine; };
  // The lowest word, and the highest as what is missing to the highest there may be.
  std::vector<std::uint64_t> ends(2 * n, UINT64_MAX);
  for (std::size_t i = 0; i < n; ++i)
    if (cuts[i].place->mine > 0) ends[2 * i] = *first(cuts[i]), ends[2 * i + 1] = UINT64_MAX - past(cuts[i])[-1];
  communicator.allreduce(ends.data(), ends.data(), ends.size(), least);
  // The smallest word with at least so many words up to it as lie before the cut.
  std::vector<Word> low(n), high(n);
  for (std::size_t i = 0; i < n; ++i)
    low[i] = static_cast<Word>(ends[2 * i]), high[i] = static_cast<Word>(UINT64_MAX - ends[2 * i + 1]);
  auto middle = [&](std::size_t i) { return static_cast<Word>(low[i] + (high[i] - low[i]) / 2); };
  auto rank = [&](std::size_t i) { return cuts[i].position - cuts[i].place->begin; };
  std::vector<std::int64_t> counts(n);
  while (low != high) {
    for (std::size_t i = 0; i < n; ++i)
      counts[i] = std::upper_bound(first(cuts[i]), past(cuts[i]), middle(i)) - first(cuts[i]);
    communicator.allreduce(counts.data(), counts.data(), n, sum);
    for (std::size_t i = 0; i < n; ++i) {
      if (counts[i] >= rank(i)) high[i] = middle(i);
      else if (low[i] < high[i]) low[i] = static_cast<Word>(middle(i) + 1);
    }
  }
  // Words that are equal go left in the order of PEs until what lies before the cut is full.
  std::vector<std::int64_t> equal(n), equal_before(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto range = std::equal_range(first(cuts[i]), past(cuts[i]), low[i]);
    cuts[i].mine = counts[i] = range.first - first(cuts[i]);
    equal[i] = range.second - range.first;
  }
  communicator.allreduce(counts.data(), counts.data(), n, sum);
  communicator.exscan(equal.data(), equal_before.data(), n, sum);
  for (std::size_t i = 0; i < n; ++i)
    cuts[i].mine += std::clamp<std::int64_t>(rank(i) - counts[i] - equal_before[i], 0, equal[i]);
}

/// What lies between two cuts goes to the PE there, behind the parts of lower PEs.
template <class Word>
void DistributedSort<Word>::send_parts(std::span<const Cut> cuts) {
  struct Part {
    const Word* words;
    std::int64_t position, count;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Place& place = *cuts[i].place;
    const Word* words = spare_.data() + place.offset;
    if (i == 0 || cuts[i - 1].place != &place) parts.push_back({words, place.begin, cuts[i].mine});
    const bool is_last = i + 1 == cuts.size() || cuts[i + 1].place != &place;
    parts.push_back({words + cuts[i].mine, cuts[i].position, (is_last ? place.mine : cuts[i + 1].mine) - cuts[i].mine});
  }
  std::vector<std::int64_t> counts(parts.size()), before(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) counts[i] = parts[i].count;
  engine_.communicator().exscan(counts.data(), before.data(), parts.size(),
                                coll::Reduction(coll::Type::i64, coll::Op::sum));
  for (std::size_t i = 0; i < parts.size(); ++i) deliver(parts[i].words, parts[i].position + before[i], parts[i].count);
}

template class DistributedSort<std::uint32_t>;
template class DistributedSort<std::uint64_t>;

}  // namespace atl::array
