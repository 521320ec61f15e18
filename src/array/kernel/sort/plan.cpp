// SPDX-License-Identifier: Apache-2.0
// Chooses the buckets of a partition from a sample of the keys.
#include <algorithm>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/base/random.hpp"
#include "kernel/sort/magnitude.hpp"

namespace atl::array {

std::size_t PartitionPlan::suitable_buckets(std::size_t n) {
  constexpr std::size_t rows_per_bucket = 40'000;  // 320 KB of words
  return std::clamp(std::bit_ceil(n / rows_per_bucket), std::size_t{16}, most_of_one_pe);
}

PartitionPlan PartitionPlan::from_sample(std::vector<std::uint64_t> sample, unsigned width, std::size_t buckets,
                                         std::size_t most) {
  PartitionPlan plan;
  plan.width_ = width;
  std::sort(sample.begin(), sample.end());
  buckets = std::bit_ceil(std::clamp<std::size_t>(buckets, 1, most));
  unsigned bucket_bits = static_cast<unsigned>(std::bit_width(buckets) - 1);

  // One shift for all if no bucket then has more than four times its share of the sample, beyond chance.
  unsigned uniform_shift = width > bucket_bits ? width - bucket_bits : 0;
  std::size_t fair = sample.size() / buckets, longest = 0;
  for (std::size_t begin = 0; begin < sample.size();) {
    std::size_t end = begin;
    while (end < sample.size() && sample[end] >> uniform_shift == sample[begin] >> uniform_shift) ++end;
    longest = std::max(longest, end - begin);
    begin = end;
  }
  if (uniform_shift == 0 || longest <= 4 * fair + 8) {
    plan.uniform_shift_ = uniform_shift;
    plan.shifts_.assign(std::size_t{1} << (width - uniform_shift), static_cast<std::uint8_t>(uniform_shift));
    return plan;
  }

  // Entries by magnitude; the smallest magnitudes, as far as they hold no more than one bucket's share, together.
  auto below = [&](unsigned bits) {
    return static_cast<std::size_t>(std::lower_bound(sample.begin(), sample.end(), std::uint64_t{1} << bits) -
                                    sample.begin());
  };
  unsigned low = magnitude::mantissa_bits;
  while (low + 1 < width && below(low + 1) <= fair) ++low;
  plan.table_.assign(magnitude::entries, std::uint64_t{low} << 32);
  auto add = [&](std::uint64_t begin, unsigned shift, unsigned split) {
    // Modulo 2^32: bucket = base + (key >> shift).
    auto base = static_cast<std::uint32_t>(plan.shifts_.size()) - static_cast<std::uint32_t>(begin >> shift);
    plan.table_[magnitude::entry_of(begin)] = base | std::uint64_t{shift} << 32;
    plan.shifts_.insert(plan.shifts_.end(), std::size_t{1} << split, static_cast<std::uint8_t>(shift));
  };
  if (low > magnitude::mantissa_bits) {
    plan.shifts_.push_back(static_cast<std::uint8_t>(low));
  } else {
    for (std::uint64_t key = 0; key < std::uint64_t{1} << low; ++key) add(key, 0, 0);
  }
  auto at = std::lower_bound(sample.begin(), sample.end(), std::uint64_t{1} << low);
  for (unsigned exponent = low; exponent < width; ++exponent) {
    unsigned bits = magnitude::bits_of(exponent);
    for (unsigned mantissa = 0; mantissa < 1u << magnitude::mantissa_bits; ++mantissa) {
      std::uint64_t begin = magnitude::begin_of(exponent, mantissa);
      auto end = std::upper_bound(at, sample.end(), begin + ((std::uint64_t{1} << bits) - 1));
      auto count = static_cast<std::size_t>(end - at);
      at = end;
      unsigned split = 0;
      while (split < bits && (count >> split) > fair) ++split;
      add(begin, bits - split, split);
    }
  }
  return plan;
}

PartitionPlan PartitionPlan::for_rows(const CompositeKey& key) {
  std::size_t buckets = suitable_buckets(key.rows());
  return from_sample(sample_keys(key, 16 * buckets, key.rows()), key.width(0), buckets);
}

template <class Word>
std::vector<BucketOf<Word>> lay_out(const PartitionPlan& plan, std::span<const std::uint64_t> counts, Word* words,
                                    std::span<Word*> starts) {
  std::vector<BucketOf<Word>> filled;
  for (std::size_t bucket = 0; bucket < plan.buckets(); ++bucket) {
    Word* begin = words;
    for (std::size_t at = bucket; at < counts.size(); at += plan.buckets()) {
      starts[at] = words;
      words += counts[at];
    }
    if (words != begin) filled.push_back({begin, static_cast<std::size_t>(words - begin), plan.shift(bucket)});
  }
  return filled;
}

template std::vector<BucketOf<std::uint64_t>> lay_out(const PartitionPlan&, std::span<const std::uint64_t>,
                                                      std::uint64_t*, std::span<std::uint64_t*>);
template std::vector<BucketOf<std::uint32_t>> lay_out(const PartitionPlan&, std::span<const std::uint64_t>,
                                                      std::uint32_t*, std::span<std::uint32_t*>);

std::size_t PartitionPlan::bucket_of(std::uint64_t key) const {
  if (is_uniform()) return key >> uniform_shift_;
  std::uint64_t entry = table_[magnitude::entry_of(key)];
  return static_cast<std::uint32_t>(entry) + static_cast<std::uint32_t>(key >> (entry >> 32));
}

std::vector<std::uint64_t> sample_keys(const CompositeKey& key, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> rows(std::min(count, key.rows())), sample(rows.size());
  SequentialRandom random(seed);
  for (std::uint64_t& row : rows) row = key.first_row() + random.below(key.rows());
  if (key.chunks() > 0) key.gather(0, rows.data(), rows.size(), 0, sample.data());
  return sample;
}

}  // namespace atl::array
