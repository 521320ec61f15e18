// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/buckets.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "atoll/array/kernel/deal.hpp"
#include "kernel/text/bucket_plan.hpp"
#include "kernel/text/sorted_bucket.hpp"

namespace atl::table {

using array::Work;

class TextBuckets::Impl {
 public:
  Impl(const Work& work, const TextView& texts, std::size_t depth, BucketPlan plan)
      : texts_(texts), depth_(depth), plan_(std::move(plan)), dealt_(work, texts.count, plan_.buckets()), sizes_(work.threads.size() * plan_.buckets()) {}

  /// Deals all texts; whether their bytes were those that the plan's codes are made for.
  bool deal(const Work& work);
  /// How many texts and bytes lie before each bucket's, and in all.
  void add_up() {
    largest_ = 0;
    rows_before_.assign(1, 0);
    bytes_before_.assign(1, 0);
    for (std::size_t bucket = 0; bucket < plan_.buckets(); ++bucket) {
      const std::size_t count = dealt_.count(bucket);
      largest_ = std::max(largest_, count);
      std::int64_t size = 0;
      for (std::size_t at = bucket; at < sizes_.size(); at += plan_.buckets()) size += sizes_[at];
      rows_before_.push_back(rows_before_.back() + static_cast<std::int64_t>(count));
      bytes_before_.push_back(bytes_before_.back() + size);
    }
  }
  std::size_t largest() const { return largest_; }
  bool mostly_short() const { return plan_.mostly_short(); }
  const std::vector<std::int64_t>& rows_before() const { return rows_before_; }
  const std::vector<std::int64_t>& bytes_before() const { return bytes_before_; }

  /// Calls body(bucket, its texts in order) for all buckets.
  template <class Body>
  void for_each_sorted(const Work& work, Body&& body) const {
    std::vector<SortedBucket> areas;
    for (unsigned thread = 0; thread < work.threads.size(); ++thread) areas.emplace_back(work.memory, texts_, depth_, plan_.codes(), largest_);
    work.threads.for_each_dynamic(plan_.buckets(), [&](std::size_t bucket, unsigned thread) {
      if (thread == 0 && bucket % 8 == 0) work.monitor.checkpoint(texts_.count + static_cast<std::size_t>(rows_before_[bucket]), 2 * texts_.count);
      SortedBucket& area = areas[thread];
      area.clear();
      dealt_.for_each_run(bucket, [&](const auto& run) { area.add(run.rows, run.values, run.count); });
      if (area.size() == 0) return;
      area.sort();
      body(bucket, std::as_const(area));
    });
  }

 private:
  TextView texts_;
  std::size_t depth_;
  BucketPlan plan_;
  array::Dealt<Image> dealt_;
  std::vector<std::int64_t> sizes_;  // [thread * buckets + bucket]: bytes of texts
  std::vector<std::int64_t> rows_before_, bytes_before_;
  std::size_t largest_ = 0;
};

bool TextBuckets::Impl::deal(const Work& work) {
  constexpr std::size_t at_once = 256;
  std::atomic<bool> good{true};
  work.threads.for_ranges(texts_.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    array::Dealt<Image>::Dealer dealer(dealt_, thread);
    std::int64_t* const sizes = sizes_.data() + thread * plan_.buckets();
    Image images[at_once];
    std::uint64_t keys[at_once];
    std::size_t blocks = 0;
    for (std::size_t at = begin; at < end && good.load(std::memory_order_relaxed); at += at_once) {
      if (thread == 0 && blocks++ % 1024 == 0) work.monitor.checkpoint(at - begin, 2 * (end - begin));
      const std::size_t count = std::min(at_once, end - at);
      const std::int64_t* const offsets = texts_.offsets + at;
      for (std::size_t i = 0; i < count; ++i) {
        const auto length = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
        images[i] = image_of(texts_.bytes + offsets[i] + depth_, length - depth_);
      }
      if (!make_keys(images, count, plan_.codes(), keys)) good.store(false, std::memory_order_relaxed);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bucket = plan_.bucket_of(keys[i]);
        sizes[bucket] += offsets[i + 1] - offsets[i];
        dealer.next(bucket, static_cast<std::uint32_t>(at + i)) = images[i];
      }
    }
    dealer.finish();
  });
  return good.load(std::memory_order_relaxed);
}

TextBuckets::TextBuckets(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TextBuckets::TextBuckets(TextBuckets&&) noexcept = default;
TextBuckets& TextBuckets::operator=(TextBuckets&&) noexcept = default;
TextBuckets::~TextBuckets() = default;

std::optional<TextBuckets> TextBuckets::of(const Work& work, const TextView& texts, std::size_t depth) {
  constexpr std::size_t fewest = std::size_t{1} << 16;
  if (texts.count < fewest || texts.count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  // Codes of the bytes that a sample has first; of all bytes if others occur.
  for (const std::optional<ByteCodes>& codes : {std::optional<ByteCodes>{}, std::optional(ByteCodes{})}) {
    std::optional<BucketPlan> plan = BucketPlan::of(texts, depth, work.threads.size(), codes);
    if (!plan) return std::nullopt;
    const std::size_t most = plan->most_rows();
    try {
      auto impl = std::make_unique<Impl>(work, texts, depth, std::move(*plan));
      if (!impl->deal(work)) continue;
      impl->add_up();
      if (impl->largest() > most) return std::nullopt;
      return TextBuckets(std::move(impl));
    } catch (const MemoryError&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool TextBuckets::mostly_short() const { return impl_->mostly_short(); }

void TextBuckets::order(const Work& work, std::int64_t* rows, bool* apart) const {
  impl_->for_each_sorted(work, [&](std::size_t bucket, const SortedBucket& texts) {
    const std::int64_t first = impl_->rows_before()[bucket];
    texts.rows(rows + first);
    if (apart != nullptr) texts.apart(apart + first);
  });
}

void TextBuckets::write(const Work& work, std::int64_t* offsets, char* bytes) const {
  offsets[0] = 0;
  impl_->for_each_sorted(work, [&](std::size_t bucket, const SortedBucket& texts) {
    const std::int64_t begin = impl_->bytes_before()[bucket], end = impl_->bytes_before()[bucket + 1];
    texts.write(begin, bytes + begin, bytes + end, offsets + impl_->rows_before()[bucket] + 1);
  });
}

TextBuckets::Distinct TextBuckets::distinct(const Work& work) const {
  Distinct result;
  result.rows_from_ = impl_->rows_before();
  result.bytes_from_ = impl_->bytes_before();
  const auto rows = static_cast<std::size_t>(result.rows_from_.back());
  result.bytes_ = Buffer<char>(work.memory, static_cast<std::size_t>(result.bytes_from_.back()));
  result.ends_ = Buffer<std::int64_t>(work.memory, rows);
  result.rows_ = Buffer<std::uint32_t>(work.memory, rows);
  const std::size_t buckets = result.rows_from_.size() - 1;
  std::vector<std::int64_t> counts(buckets), sizes(buckets);
  impl_->for_each_sorted(work, [&](std::size_t bucket, const SortedBucket& texts) {
    const auto from = static_cast<std::size_t>(result.rows_from_[bucket]);
    char* const room = result.bytes_.data() + result.bytes_from_[bucket];
    const char* const room_end = result.bytes_.data() + result.bytes_from_[bucket + 1];
    counts[bucket] = static_cast<std::int64_t>(texts.write_distinct(room, room_end, result.ends_.data() + from, result.rows_.data() + from));
    sizes[bucket] = counts[bucket] == 0 ? 0 : result.ends_[from + static_cast<std::size_t>(counts[bucket]) - 1];
  });
  result.rows_before_.assign(1, 0);
  result.bytes_before_.assign(1, 0);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    result.rows_before_.push_back(result.rows_before_.back() + counts[bucket]);
    result.bytes_before_.push_back(result.bytes_before_.back() + sizes[bucket]);
  }
  return result;
}

void TextBuckets::Distinct::write(const Work& work, std::int64_t* offsets, char* bytes, std::int64_t* first) const {
  offsets[0] = 0;
  work.threads.for_each_dynamic(rows_from_.size() - 1, [&](std::size_t bucket, unsigned) {
    const std::int64_t begin = bytes_before_[bucket], at = rows_before_[bucket], count = rows_before_[bucket + 1] - at, from = rows_from_[bucket];
    std::memcpy(bytes + begin, bytes_.data() + bytes_from_[bucket], static_cast<std::size_t>(bytes_before_[bucket + 1] - begin));
    for (std::int64_t i = 0; i < count; ++i) {
      offsets[at + i + 1] = begin + ends_[static_cast<std::size_t>(from + i)];
      first[at + i] = rows_[static_cast<std::size_t>(from + i)];
    }
  });
}

}  // namespace atl::table
