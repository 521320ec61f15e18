// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/buckets.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "atoll/array/kernel/deal.hpp"
#include "atoll/base/error.hpp"
#include "kernel/text/bucket_plan.hpp"
#include "kernel/text/sorted_bucket.hpp"

namespace atl::table {

using array::Work;
using Images = array::Dealt<Image>;

namespace {

constexpr std::size_t fewest = std::size_t{1} << 16;

}  // namespace

class TextBuckets::Impl {
 public:
  Impl(const Work& work, const TextView& texts, const Terms& terms, BucketPlan plan)
      : texts_(texts),
        depth_(terms.depth),
        plan_(std::move(plan)),
        own_(work, texts.count, plan_.buckets()),
        sizes_(plan_.buckets()) {
    fit_ = deal(work);
    const Dealt mine = dealt();
    share({&mine, 1}, sizes_, 0, plan_.buckets());
  }

  bool fit() const { return fit_; }
  const BucketPlan& plan() const { return plan_; }
  const std::vector<Size>& sizes() const { return sizes_; }
  bool crowded() const {
    return std::any_of(sizes_.begin(), sizes_.end(),
                       [&](const Size& size) { return static_cast<std::size_t>(size.rows) > plan_.most_rows(); });
  }
  Dealt dealt() const {
    const Images::Places places = own_.places();
    return {places.lists, places.next, places.rows, places.values, texts_.offsets, texts_.bytes, places.threads, 0};
  }
  void share(std::span<const Dealt> dealt, std::vector<Size> sizes, std::size_t begin, std::size_t end) {
    pieces_.clear();
    rows_of_ = {};
    for (const Dealt& one : dealt) {
      pieces_.push_back({static_cast<const Images::List*>(one.lists), static_cast<const std::uint32_t*>(one.next),
                         static_cast<const std::uint32_t*>(one.rows), static_cast<const Image*>(one.images),
                         plan_.buckets(), one.threads});
      rows_of_.add(one.first_row, one.offsets, one.bytes);
    }
    sizes_ = std::move(sizes);
    begin_ = begin;
    rows_before_.assign(1, 0);
    bytes_before_.assign(1, 0);
    largest_ = 0;
    for (std::size_t bucket = begin; bucket < end; ++bucket) {
      largest_ = std::max(largest_, static_cast<std::size_t>(sizes_[bucket].rows));
      rows_before_.push_back(rows_before_.back() + sizes_[bucket].rows);
      bytes_before_.push_back(bytes_before_.back() + sizes_[bucket].bytes);
    }
  }

  /// Of the buckets shared: where each one's rows and bytes begin, and the end.
  const std::vector<std::int64_t>& rows_before() const { return rows_before_; }
  const std::vector<std::int64_t>& bytes_before() const { return bytes_before_; }

  /// Calls body(bucket, its strings in order) for the buckets shared, counted from the first of them.
  template <class Body>
  void for_each_sorted(const Work& work, Body&& body) const {
    std::vector<SortedBucket> areas;
    for (unsigned thread = 0; thread < work.threads.size(); ++thread)
      areas.emplace_back(work.memory, rows_of_, depth_, plan_.codes(), largest_);
    const auto rows = static_cast<std::uint64_t>(rows_before_.back());
    work.threads.for_each_dynamic(rows_before_.size() - 1, [&](std::size_t bucket, unsigned thread) {
      if (thread == 0 && bucket % 8 == 0)
        work.monitor.checkpoint(rows + static_cast<std::uint64_t>(rows_before_[bucket]), 2 * rows);
      SortedBucket& area = areas[thread];
      area.clear();
      for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
        pieces_[piece].for_each_run(begin_ + bucket,
                                    [&](const Images::Run& run) { area.add(piece, run.rows, run.values, run.count); });
      }
      if (area.size() == 0) return;
      area.sort();
      body(bucket, std::as_const(area));
    });
  }

 private:
  bool deal(const Work& work);

  TextView texts_;
  std::size_t depth_;
  BucketPlan plan_;
  Images own_;
  bool fit_ = false;
  std::vector<Images::Places> pieces_;
  RowTexts rows_of_;
  std::vector<Size> sizes_;
  std::size_t begin_ = 0;
  std::vector<std::int64_t> rows_before_, bytes_before_;
  std::size_t largest_ = 0;
};

/// Deals own strings; whether their bytes were those that the plan's codes are made for.
bool TextBuckets::Impl::deal(const Work& work) {
  constexpr std::size_t at_once = 256;
  std::atomic<bool> good{true};
  std::vector<std::int64_t> bytes(work.threads.size() * plan_.buckets());
  work.threads.for_ranges(texts_.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    Images::Dealer dealer(own_, thread);
    std::int64_t* const sizes = bytes.data() + thread * plan_.buckets();
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
  for (std::size_t bucket = 0; bucket < plan_.buckets(); ++bucket) {
    sizes_[bucket].rows = static_cast<std::int64_t>(own_.count(bucket));
    for (std::size_t at = bucket; at < bytes.size(); at += plan_.buckets()) sizes_[bucket].bytes += bytes[at];
  }
  return good.load(std::memory_order_relaxed);
}

TextBuckets::TextBuckets(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TextBuckets::TextBuckets(TextBuckets&&) noexcept = default;
TextBuckets& TextBuckets::operator=(TextBuckets&&) noexcept = default;
TextBuckets::~TextBuckets() = default;

std::vector<std::uint64_t> TextBuckets::sample(const TextView& texts, const Terms& terms, std::uint64_t seed) {
  if (terms.rows < fewest || texts.count == 0) return {};
  return BucketPlan::sample(texts, terms, seed);
}

std::optional<TextBuckets> TextBuckets::deal(const Work& work, const TextView& texts, const Terms& terms,
                                             std::span<const std::uint64_t> sample) {
  if (terms.rows < fewest || terms.rows > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  std::optional<BucketPlan> plan = BucketPlan::of(sample, terms);
  if (!plan) return std::nullopt;
  return TextBuckets(std::make_unique<Impl>(work, texts, terms, std::move(*plan)));
}

std::optional<TextBuckets> TextBuckets::of(const Work& work, const TextView& texts, std::size_t depth) {
  try {
    Terms terms{depth, texts.count, work.threads.size()};
    const std::vector<std::uint64_t> some = sample(texts, terms, 0);
    std::optional<TextBuckets> dealt = deal(work, texts, terms, some);
    if (dealt && !dealt->fit()) {
      dealt.reset();
      terms.bytes = Terms::Bytes::any;
      dealt = deal(work, texts, terms, some);
    }
    if (dealt && dealt->crowded()) dealt.reset();
    return dealt;
  } catch (const MemoryError&) { return std::nullopt; }
}

bool TextBuckets::fit() const { return impl_->fit(); }
bool TextBuckets::mostly_short() const { return impl_->plan().mostly_short(); }
bool TextBuckets::crowded() const { return impl_->crowded(); }
TextBuckets::Dealt TextBuckets::dealt() const { return impl_->dealt(); }
const std::vector<TextBuckets::Size>& TextBuckets::sizes() const { return impl_->sizes(); }
void TextBuckets::share(std::span<const Dealt> dealt, std::vector<Size> sizes, std::size_t begin, std::size_t end) {
  impl_->share(dealt, std::move(sizes), begin, end);
}
std::int64_t TextBuckets::rows() const { return impl_->rows_before().back(); }
std::int64_t TextBuckets::bytes() const { return impl_->bytes_before().back(); }

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
    counts[bucket] = static_cast<std::int64_t>(
        texts.write_distinct(room, room_end, result.ends_.data() + from, result.rows_.data() + from));
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
    const std::int64_t begin = bytes_before_[bucket], at = rows_before_[bucket], count = rows_before_[bucket + 1] - at,
                       from = rows_from_[bucket];
    std::memcpy(bytes + begin, bytes_.data() + bytes_from_[bucket],
                static_cast<std::size_t>(bytes_before_[bucket + 1] - begin));
    for (std::int64_t i = 0; i < count; ++i) {
      offsets[at + i + 1] = begin + ends_[static_cast<std::size_t>(from + i)];
      first[at + i] = rows_[static_cast<std::size_t>(from + i)];
    }
  });
}

}  // namespace atl::table
