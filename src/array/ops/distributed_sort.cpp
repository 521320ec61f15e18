// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/distributed_sort.hpp"

#include <algorithm>

#include "atoll/array/ops/routing.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {

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
  Work work = engine_.work(Interruptible::no);
  const std::vector<std::uint64_t> counts = histogram(work, key_, plan_);
  // Lanes are added up, as only this PE needs its own. What the others have is needed as sums alone: of all, and of those before.
  const std::size_t buckets = plan_.buckets();
  std::vector<std::uint64_t> mine(buckets);
  for (std::size_t i = 0; i < counts.size(); ++i) mine[i % buckets] += counts[i];
  std::vector<std::uint64_t> all(buckets), before(buckets);
  const coll::Reduction sum(coll::Type::u64, coll::Op::sum);
  engine_.communicator().allreduce(mine.data(), all.data(), buckets, sum);
  engine_.communicator().exscan(mine.data(), before.data(), buckets, sum);
  place_buckets(mine, all, before);
  engine_.together([&] {
    spare_ = Buffer<Word>(engine_.memory(), std::max<std::size_t>(spare_words_, 1));
    if (outgoing_words_ > 0) outgoing_ = Buffer<Word>(engine_.memory(), outgoing_words_);
  });
  spares_ = Reach(engine_, spare_.data());
  engine_.checkpoint();

  const std::vector<Word*> to = starts(counts);
  scatter<Word>(work, key_, plan_, packing_, to);
  send_outgoing();
  engine_.barrier();
  engine_.checkpoint();
  sort_mine();
  for (const Place& place : places_)
    if (place.way == Way::by_cut) cut(place);
  blocks_.close();
}

template <class Word>
void DistributedSort<Word>::place_buckets(std::span<const std::uint64_t> mine, std::span<const std::uint64_t> all,
                                         std::span<const std::uint64_t> before) {
  const Distribution& distribution = blocks_.distribution();
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
    } else if (place.count * 4 > distribution.block_rows() && resolved) {
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
void DistributedSort<Word>::bring_tied_keys(std::span<const BucketOf<Word>> buckets) {
  engine_.threads().for_each_dynamic(buckets.size(), [&](std::size_t i, unsigned) {
    sort_words(buckets[i].words, buckets[i].n);
  });
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
      sort_buckets(engine_.work(Interruptible::no), key_, packing_, std::move(buckets), 0);
      buckets.clear();
    }
  }
  std::sort(buckets.begin(), buckets.end(), [](const auto& a, const auto& b) { return a.n > b.n; });
  engine_.threads().for_each_dynamic(buckets.size(), [&](std::size_t i, unsigned) { sort_words(buckets[i].words, buckets[i].n); });
  for (const Place& place : places_)
    if (place.way == Way::by_owner && place.owner == engine_.pe()) deliver(spare_.data() + place.offset, place.begin, place.count);
}

/// Copies words to their final positions, on whichever PEs those lie.
template <class Word>
void DistributedSort<Word>::deliver(const Word* words, std::int64_t begin, std::int64_t count) {
  blocks_.write_rows(begin, begin + count, words);
}

/// Whether the bucket's words, PE after PE, are sorted already: a key that is alone in its bucket.
template <class Word>
bool DistributedSort<Word>::in_order(const Place& place, const Word* words) {
  struct Ends {
    std::uint64_t first, last, sorted, count;
  };
  Ends mine{0, 0, 1, static_cast<std::uint64_t>(place.mine)};
  if (place.mine > 0) mine = {words[0], words[place.mine - 1], std::is_sorted(words, words + place.mine) ? 1u : 0u, mine.count};
  bool ordered = true;
  std::uint64_t last = 0;
  for (const Ends& ends : engine_.allgather_value(mine)) {
    if (ends.count == 0) continue;
    ordered = ordered && ends.sorted != 0 && ends.first >= last;
    last = ends.last;
  }
  return ordered;
}

template <class Word>
void DistributedSort<Word>::sort_all(Word* words, std::size_t n) {
  if constexpr (sizeof(Word) == 8) {
    Buffer<Word> scratch(engine_.memory(), n);
    sort_words(engine_.work(Interruptible::no), words, n, scratch.data());
  } else {
    sort_words(words, n);
  }
}

template <class Word>
void DistributedSort<Word>::cut(const Place& place) {
  const Distribution& distribution = blocks_.distribution();
  Word* words = spare_.data() + place.offset;
  const auto n = static_cast<std::size_t>(place.mine);
  const bool ordered = in_order(place, words);
  const std::int64_t end = place.begin + place.count;
  const std::int64_t first = std::max(place.begin, result_.first_row());
  const std::int64_t last = std::min(end, result_.first_row() + result_.local_rows());
  if (ordered) {
    deliver(words, place.begin + place.before, place.mine);
    blocks_.close();
  } else {
    sort_all(words, n);
    // The ranks, within the bucket, at which PEs' parts begin.
    std::vector<std::int64_t> ranks;
    const std::uint32_t first_pe = place.owner, last_pe = distribution.owner(end - 1);
    for (std::uint32_t pe = first_pe + 1; pe <= last_pe; ++pe) ranks.push_back(distribution.begin(pe) - place.begin);
    // For each, the smallest word with at least that many words up to it: 8 sizeof(Word) halvings, all ranks at once.
    std::vector<Word> low(ranks.size(), 0), high(ranks.size(), static_cast<Word>(~Word{0}));
    std::vector<std::int64_t> counts(ranks.size());
    for (unsigned bit = 0; bit < 8 * sizeof(Word); ++bit) {
      for (std::size_t r = 0; r < ranks.size(); ++r)
        counts[r] = std::upper_bound(words, words + n, static_cast<Word>(low[r] + (high[r] - low[r]) / 2)) - words;
      engine_.communicator().allreduce(counts.data(), counts.data(), counts.size(), coll::Reduction(coll::Type::i64, coll::Op::sum));
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        const Word middle = static_cast<Word>(low[r] + (high[r] - low[r]) / 2);
        if (counts[r] >= ranks[r]) high[r] = middle;
        else if (low[r] < high[r]) low[r] = static_cast<Word>(middle + 1);
      }
    }
    // How many words below and equal to the cut every PE has; equal ones go left in PE order until the rank is full.
    std::vector<std::int64_t> mine;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const auto range = std::equal_range(words, words + n, low[r]);
      mine.push_back(range.first - words);
      mine.push_back(range.second - range.first);
    }
    mine.push_back(place.mine);
    const auto all = engine_.allgather_vector(mine);
    std::vector<std::vector<std::int64_t>> cuts(engine_.npes(), std::vector<std::int64_t>(ranks.size() + 2, 0));
    for (std::uint32_t pe = 0; pe < engine_.npes(); ++pe) cuts[pe].back() = all[pe].back();
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      std::int64_t left = ranks[r];
      for (const auto& values : all) left -= values[2 * r];
      for (std::uint32_t pe = 0; pe < engine_.npes(); ++pe) {
        const std::int64_t equal = std::min(left, all[pe][2 * r + 1]);
        cuts[pe][r + 1] = all[pe][2 * r] + equal;
        left -= equal;
      }
    }
    // Part r of this PE goes to PE first_pe + r, behind the parts of lower PEs.
    for (std::size_t r = 0; r + 1 < cuts[0].size(); ++r) {
      std::int64_t position = std::max(place.begin, distribution.begin(first_pe + static_cast<std::uint32_t>(r)));
      for (std::uint32_t pe = 0; pe < engine_.pe(); ++pe) position += cuts[pe][r + 1] - cuts[pe][r];
      const auto& own = cuts[engine_.pe()];
      deliver(words + own[r], position, own[r + 1] - own[r]);
    }
    blocks_.close();
    if (first < last) sort_all(at(first), static_cast<std::size_t>(last - first));
  }
  if constexpr (sizeof(Word) == 8) {
    if (rows() && first < last) unpack_rows(at(first), static_cast<std::size_t>(last - first), packing_, 0);
  }
}

template class DistributedSort<std::uint32_t>;
template class DistributedSort<std::uint64_t>;

}  // namespace atl::array
