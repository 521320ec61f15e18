// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/bucket_plan.hpp"

#include <algorithm>

#include "atoll/array/kernel/deal.hpp"
#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

constexpr std::size_t rows_per_bucket =
    std::size_t{1} << 14;  // 28 bytes each while they are sorted: half a second-level cache of 1 MiB
constexpr std::size_t most_buckets = 1024;
constexpr std::size_t fewest_buckets = 8;
constexpr std::size_t samples_per_bucket = 32;
constexpr std::size_t sorted_soon = std::size_t{1} << 17;

/// The bytes that some strings have.
ByteCodes codes_of(const std::vector<Image>& images) {
  std::uint8_t lowest = 255, highest = 0;
  for (const Image& image : images) {
    for (std::size_t i = 0; i < Image::longest; ++i) {
      const auto byte = static_cast<std::uint8_t>(i < 8 ? image.low >> (8 * i) : image.high >> (8 * (i - 8)));
      if (byte == 0) continue;
      lowest = std::min(lowest, byte);
      highest = std::max(highest, byte);
    }
  }
  return ByteCodes::of(lowest, highest);
}

std::size_t wanted_buckets(const TextBuckets::Terms& terms) {
  std::size_t wanted = std::clamp(terms.rows / rows_per_bucket, fewest_buckets, most_buckets);
  while (wanted > fewest_buckets && !array::Dealt<Image>::fits(terms.threads, terms.rows, wanted)) wanted /= 2;
  return wanted;
}

}  // namespace

std::vector<std::uint64_t> BucketPlan::sample(const TextView& texts, const TextBuckets::Terms& terms,
                                              std::uint64_t seed) {
  const std::size_t share = samples_per_bucket * wanted_buckets(terms) * texts.count / terms.rows + 1;
  SequentialRandom random(seed);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < share; ++i) {
    const std::string_view text = texts[random.below(texts.count)];
    const Image image = image_of(text.data() + terms.depth, text.size() - terms.depth);
    words.push_back(image.low);
    words.push_back(image.high);
  }
  return words;
}

std::optional<BucketPlan> BucketPlan::of(std::span<const std::uint64_t> sample, const TextBuckets::Terms& terms) {
  if (!array::Dealt<Image>::fits(terms.threads, terms.rows, wanted_buckets(terms))) return std::nullopt;
  BucketPlan plan;
  const std::size_t samples = sample.size() / 2;
  std::vector<Image> images;
  for (std::size_t i = 0; i < samples; ++i) images.push_back({sample[2 * i], sample[2 * i + 1]});
  const auto long_ones = static_cast<std::size_t>(
      std::count_if(images.begin(), images.end(), [](const Image& image) { return image.is_long(); }));
  plan.mostly_short_ = long_ones * 8 < samples;
  if (terms.bytes == TextBuckets::Terms::Bytes::of_sample) plan.codes_ = codes_of(images);
  std::vector<std::uint32_t> counts(std::size_t{1} << cell_bits);
  std::vector<std::uint64_t> keys(samples);
  make_keys(images.data(), samples, plan.codes_, keys.data());
  for (const std::uint64_t key : keys) ++counts[key >> (64 - cell_bits)];
  // A bucket ends with the cell that fills it.
  plan.most_rows_ = std::max(sorted_soon, terms.rows / std::max<std::size_t>(8, std::size_t{2} * terms.threads));
  std::size_t in_bucket = 0;
  for (const std::uint32_t count : counts) {
    plan.bucket_of_cell_.push_back(static_cast<std::uint16_t>(plan.buckets_));
    in_bucket += count;
    if (in_bucket < samples_per_bucket) continue;
    if (in_bucket * (terms.rows / samples) > plan.most_rows_) return std::nullopt;
    ++plan.buckets_;
    in_bucket = 0;
  }
  ++plan.buckets_;
  return plan;
}

}  // namespace atl::table
