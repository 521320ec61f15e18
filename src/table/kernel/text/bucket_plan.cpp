// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/bucket_plan.hpp"

#include <algorithm>

#include "atoll/array/kernel/deal.hpp"
#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

constexpr std::size_t rows_per_bucket = std::size_t{1} << 14;  // 28 bytes each while they are sorted: half a second-level cache of 1 MiB
constexpr std::size_t most_buckets = 1024;
constexpr std::size_t fewest_buckets = 8;
constexpr std::size_t samples_per_bucket = 32;
constexpr std::size_t sorted_soon = std::size_t{1} << 17;

/// The bytes that some texts have.
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

}  // namespace

std::optional<BucketPlan> BucketPlan::of(const TextView& texts, std::size_t depth, unsigned threads, std::optional<ByteCodes> codes) {
  BucketPlan plan;
  std::size_t wanted = std::clamp(texts.count / rows_per_bucket, fewest_buckets, most_buckets);
  while (wanted > fewest_buckets && !array::Dealt<Image>::fits(threads, texts.count, wanted)) wanted /= 2;
  if (!array::Dealt<Image>::fits(threads, texts.count, wanted)) return std::nullopt;
  const std::size_t samples = samples_per_bucket * wanted;
  SequentialRandom random(texts.count);
  std::vector<Image> images(samples);
  std::size_t long_ones = 0;
  for (Image& image : images) {
    const std::string_view text = texts[random.below(texts.count)];
    image = image_of(text.data() + depth, text.size() - depth);
    long_ones += image.is_long() ? 1 : 0;
  }
  plan.mostly_short_ = long_ones * 8 < samples;
  plan.codes_ = codes ? *codes : codes_of(images);
  std::vector<std::uint32_t> counts(std::size_t{1} << cell_bits);
  std::vector<std::uint64_t> keys(samples);
  make_keys(images.data(), samples, plan.codes_, keys.data());
  for (const std::uint64_t key : keys) ++counts[key >> (64 - cell_bits)];
  // A bucket ends with the cell that fills it.
  plan.most_rows_ = std::max(sorted_soon, texts.count / std::max<std::size_t>(8, std::size_t{2} * threads));
  std::size_t in_bucket = 0;
  for (const std::uint32_t count : counts) {
    plan.bucket_of_cell_.push_back(static_cast<std::uint16_t>(plan.buckets_));
    in_bucket += count;
    if (in_bucket < samples_per_bucket) continue;
    if (in_bucket * (texts.count / samples) > plan.most_rows_) return std::nullopt;
    ++plan.buckets_;
    in_bucket = 0;
  }
  ++plan.buckets_;
  return plan;
}

}  // namespace atl::table
