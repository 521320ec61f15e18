// SPDX-License-Identifier: Apache-2.0
#include "kernel/text/sorted_bucket.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/base/prefetch.hpp"
#include "atoll/table/kernel/text/order.hpp"

namespace atl::table {

void SortedBucket::add(std::size_t piece, const std::uint32_t* rows, const Image* images, std::size_t count) {
  std::memcpy(images_.data() + count_, images, count * sizeof *images);
  const auto first = static_cast<std::uint32_t>(texts_->first(piece));
  std::uint32_t* const to = rows_.data() + count_;
  for (std::size_t i = 0; i < count; ++i) to[i] = first + rows[i];
  count_ += count;
}

void SortedBucket::sort() {
  const unsigned place_bits = std::max(1u, static_cast<unsigned>(std::bit_width(count_ - 1)));
  mask_ = (std::uint64_t{1} << place_bits) - 1;
  make_keys(images_.data(), count_, codes_, words_.data());
  std::uint64_t* const words = words_.data();
  const Image* const images = images_.data();
  const std::uint64_t mask = mask_;
  bool has_long = false;
  for (std::size_t i = 0; i < count_; ++i) {
    words[i] = (words[i] & ~mask) | i;
    has_long |= images[i].is_long();
  }
  has_long_ = has_long;
  array::sort_words(words_.data(), count_);
  for (std::size_t i = 1; i < count_; ++i) {
    if (!same_key(i, i - 1)) continue;
    const std::size_t begin = i - 1;
    while (i < count_ && same_key(i, begin)) ++i;
    mend(begin, i);
  }
}

/// Puts strings with equal keys in order.
void SortedBucket::mend(std::size_t begin, std::size_t end) {
  const Image first = images_[place(begin)];
  bool equal = true, has_long = first.is_long();
  for (std::size_t i = begin + 1; i < end; ++i) {
    const Image& image = images_[place(i)];
    equal = equal && image == first;
    has_long = has_long || image.is_long();
  }
  if (has_long) return mend_long(begin, end);
  if (equal) return;
  std::sort(words_.data() + begin, words_.data() + end, [&](std::uint64_t a, std::uint64_t b) {
    const Image &x = images_[a & mask_], &y = images_[b & mask_];
    return x < y || (x == y && a < b);
  });
}

void SortedBucket::mend_long(std::size_t begin, std::size_t end) {
  std::vector<Item> items;
  items.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view one = text(i);
    items.push_back({one.data(), one.size(), static_cast<std::int64_t>(place(i))});
  }
  sort_items(items, depth_);
  const std::uint64_t key = words_[begin] & ~mask_;
  for (std::size_t i = begin; i < end; ++i) words_[i] = key | static_cast<std::uint64_t>(items[i - begin].row);
}

bool SortedBucket::differs_from_last(std::size_t i) const {
  if (!same_key(i, i - 1)) return true;
  const Image& image = images_[place(i)];
  if (image != images_[place(i - 1)]) return true;
  return image.is_long() && text(i) != text(i - 1);
}

void SortedBucket::rows(std::int64_t* out) const {
  const std::uint64_t* const words = words_.data();
  const std::uint32_t* const rows = rows_.data();
  const std::uint64_t mask = mask_;
  for (std::size_t i = 0, n = count_; i < n; ++i) out[i] = rows[words[i] & mask];
}

void SortedBucket::apart(bool* out) const {
  out[0] = true;
  for (std::size_t i = 1; i < count_; ++i) out[i] = differs_from_last(i);
}

template <bool distinct>
std::size_t SortedBucket::write_texts(std::int64_t base, char* to, const char* to_end, std::int64_t* ends,
                                      std::uint32_t* first_rows) const {
  constexpr std::size_t ahead = 8;  // long strings that are fetched, and as many more whose offsets are
  const char* const start = to;
  const char* const common = text(0).data();
  // Because of the byte stores the compiler would reload members for each string.
  const std::uint64_t* const words = words_.data();
  const Image* const images = images_.data();
  const std::uint64_t mask = mask_;
  const std::size_t depth = depth_, count = count_;
  const bool has_long = has_long_;
  std::size_t written = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_long && i + 2 * ahead < count) {
      prefetch_for_read(texts_->offsets(rows_[place(i + 2 * ahead)]));
      if (images_[place(i + ahead)].is_long()) prefetch_for_read(text(i + ahead).data());
    }
    if (distinct && i > 0 && !differs_from_last(i)) continue;
    const Image image = images[words[i] & mask];
    if (image.is_long()) [[unlikely]] {
      const std::string_view one = text(i);
      std::memcpy(to, one.data(), one.size());
      to += one.size();
    } else {
      if (depth > 0) std::memcpy(to, common, depth);
      to += depth;
      const std::size_t length = image.length();
      // The next string overwrites bytes that were written beyond this one.
      if (to + sizeof image <= to_end) std::memcpy(to, &image, sizeof image);
      else std::memcpy(to, &image, length);
      to += length;
    }
    if (distinct) first_rows[written] = rows_[place(i)];
    ends[written++] = base + (to - start);
  }
  return written;
}

void SortedBucket::write(std::int64_t base, char* to, const char* to_end, std::int64_t* ends) const {
  write_texts<false>(base, to, to_end, ends, nullptr);
}

std::size_t SortedBucket::write_distinct(char* to, const char* to_end, std::int64_t* ends,
                                         std::uint32_t* first_rows) const {
  return write_texts<true>(0, to, to_end, ends, first_rows);
}

}  // namespace atl::table
