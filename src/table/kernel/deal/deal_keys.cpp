// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/deal_keys.hpp"

#include <algorithm>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/units.hpp"
#include "kernel/deal/record_writer.hpp"

namespace atl::table {

static_assert(DealtKeys::run_grain == RecordWriter::group);

BucketRule::BucketRule(std::size_t buckets, std::vector<std::uint64_t> heavy)
    : buckets_(buckets), heavy_(std::move(heavy)) {
  ATOLL_EXPECT(buckets_ >= 1 && buckets_ <= most_buckets && heavy_.size() <= most_heavy);
  first_.back() = static_cast<std::uint16_t>(heavy_.size());
  for (std::size_t bits = 0; bits + 1 < first_.size(); ++bits)
    first_[bits] = static_cast<std::uint16_t>(
        std::lower_bound(heavy_.begin(), heavy_.end(), std::uint64_t{bits} << (64 - first_bits)) - heavy_.begin());
}

void BucketRule::find(std::uint64_t* keys, std::size_t n, std::uint16_t* buckets) const {
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = hashed(keys[i]);
    buckets[i] = static_cast<std::uint16_t>((static_cast<unsigned __int128>(keys[i]) * buckets_) >> 64);
  }
  if (heavy_.empty()) return;
  // Where a fifth of the rows have heavy keys, a branch for each row is mispredicted for most of these: rows that may
  // have one are noted first, nearly all of which have.
  std::uint16_t likely[array::CompositeKey::block];
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    likely[count] = static_cast<std::uint16_t>(i);
    const std::size_t bits = keys[i] >> (64 - first_bits);
    count += first_[bits] != first_[bits + 1] ? 1 : 0;
  }
  for (std::size_t k = 0; k < count; ++k)
    if (heavy_place(keys[likely[k]]) < heavy_.size()) buckets[likely[k]] = static_cast<std::uint16_t>(buckets_);
}

void DealtKeys::load(const array::CompositeKey& key, const BucketRule& rule, std::size_t at, std::size_t n,
                     std::uint64_t* keys, std::uint16_t* buckets) {
  key.load(at, n, keys);
  rule.find(keys, n, buckets);
}

DealtKeys::DealtKeys(array::Work work, const array::CompositeKey& key, const BucketRule& rule, BringRows bring)
    : lanes_(work.threads.size()),
      width_(bring == BringRows::yes ? 2 : 1),
      counts_(work.memory, (rule.buckets() + 1) * lanes_),
      starts_((rule.buckets() + 1) * lanes_ + 1) {
  const std::size_t buckets = rule.buckets() + 1;
  std::fill(counts_.begin(), counts_.end(), 0);
  array::Polling polling(work);
  polling.for_ranges(key.rows(), block, [&](std::size_t begin, std::size_t end, unsigned lane) {
    alignas(64) std::uint64_t keys[block];
    std::uint16_t found[block];
    std::vector<std::uint64_t> counts(buckets);
    array::Pace pace(polling, lane);
    for (std::size_t at = begin; at < end; at += block) {
      const std::size_t n = std::min(block, end - at);
      pace.done(n);
      load(key, rule, at, n, keys, found);
      for (std::size_t i = 0; i < n; ++i) ++counts[found[i]];
    }
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) counts_[bucket * lanes_ + lane] = counts[bucket];
  });
  for (std::size_t run = 0; run < counts_.size(); ++run)
    starts_[run + 1] = starts_[run] + round_up(counts_[run], std::uint64_t{run_grain}) * width_;
  records_ = Buffer<std::uint64_t>(work.memory, starts_.back());
  polling.for_ranges(key.rows(), block, [&](std::size_t begin, std::size_t end, unsigned lane) {
    alignas(64) std::uint64_t keys[block];
    std::uint64_t rows[block];
    std::uint16_t found[block];
    std::vector<std::uint64_t*> to;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) to.push_back(records_.data() + start(bucket, lane));
    RecordWriter writer(work.memory, std::move(to), width_);
    const std::uint64_t* words[1] = {rows};
    array::Pace pace(polling, lane);
    for (std::size_t at = begin; at < end; at += block) {
      const std::size_t n = std::min(block, end - at);
      pace.done(n);
      load(key, rule, at, n, keys, found);
      for (std::size_t i = 0; i < n; ++i) rows[i] = key.first_row() + at + i;
      writer.write(keys, words, found, n);
    }
    writer.finish();
  });
}

}  // namespace atl::table
