// SPDX-License-Identifier: Apache-2.0
#include "kernel/aggregate/key_buckets.hpp"

#include <algorithm>
#include <bit>

namespace atl::table {
namespace {

constexpr std::uint64_t no_key = ~std::uint64_t{0};

}  // namespace

KeyBuckets::KeyBuckets(std::vector<std::uint64_t> sample, unsigned width, std::size_t buckets)
    : plan_(array::PartitionPlan::from_sample(sample, width, buckets)) {
  std::sort(sample.begin(), sample.end());
  if (!shares_evenly(sample, buckets)) split(sample, width, buckets);
  shares_.resize(count());
  // Keys of which the range that was guessed knows nothing have any bucket.
  constexpr std::size_t most = array::CompositeKey::block;
  std::uint16_t found[most];
  for (std::size_t at = 0; at < sample.size(); at += most) {
    const std::size_t n = std::min(most, sample.size() - at);
    find(sample.data() + at, n, found);
    for (std::size_t i = 0; i < n; ++i)
      shares_[std::min<std::size_t>(found[i], count() - 1)] += 1.0 / static_cast<double>(sample.size());
  }
}

void KeyBuckets::split(const std::vector<std::uint64_t>& sample, unsigned width, std::size_t buckets) {
  // A key that fills a bucket's share has one to itself.
  std::vector<std::uint64_t> borders{0};
  auto add = [&](std::uint64_t border) {
    if (border > borders.back()) borders.push_back(border);
  };
  for (std::size_t k = 1; k < buckets; ++k) {
    const std::uint64_t key = sample[sample.size() * k / buckets];
    add(key);
    if (k + 1 < buckets && sample[sample.size() * (k + 1) / buckets] == key && key != no_key) add(key + 1);
  }
  const std::uint64_t last = width >= 64 ? no_key : (std::uint64_t{1} << width) - 1;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const std::uint64_t end = i + 1 < borders.size() ? borders[i + 1] - 1 : std::max(last, borders[i]);
    shifts_.push_back(static_cast<std::uint8_t>(std::bit_width(borders[i] ^ end)));
  }
  borders.resize(std::bit_ceil(borders.size()), no_key);
  borders_ = std::move(borders);
}

// No bucket that could be split has more than four times its share of the sample, beyond chance.
bool KeyBuckets::shares_evenly(const std::vector<std::uint64_t>& sample, std::size_t buckets) const {
  const std::size_t most = 4 * (sample.size() / buckets) + 16;
  for (std::size_t begin = 0; begin < sample.size();) {
    const std::size_t bucket = plan_.bucket_of(sample[begin]);
    std::size_t end = begin + 1;
    while (end < sample.size() && plan_.bucket_of(sample[end]) == bucket) ++end;
    if (end - begin > most && sample[begin] != sample[end - 1]) return false;
    begin = end;
  }
  return true;
}

void KeyBuckets::find(const std::uint64_t* keys, std::size_t n, std::uint16_t* buckets) const {
  if (borders_.empty()) return array::find_buckets(plan_, keys, n, buckets);
  // The last border that is not above the key, all keys in step: no branch depends on one, and their loads overlap.
  std::uint16_t at[array::CompositeKey::block] = {};
  for (std::size_t half = borders_.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < n; ++i)
      at[i] = static_cast<std::uint16_t>(at[i] + (borders_[at[i] + half] <= keys[i] ? half : 0));
  const auto last =
      static_cast<std::uint16_t>(shifts_.size() - 1);  // the largest key is not below what stands for none
  for (std::size_t i = 0; i < n; ++i) buckets[i] = std::min(at[i], last);
}

}  // namespace atl::table
