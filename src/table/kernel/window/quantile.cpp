// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernel/window/states.hpp"

namespace atl::table {
namespace {

/// A set of numbers below `size`, and its k-th member: a bit each, with a tree of counts (Fenwick's) over words of bits.
class NumberSet {
 public:
  explicit NumberSet(std::size_t size) : words_((size + 63) / 64), counts_(words_.size() + 1), top_(std::bit_floor(std::max<std::size_t>(words_.size(), 1))) {}

  std::int64_t size() const { return size_; }
  void insert(std::uint32_t number) { change(number, 1); }
  void erase(std::uint32_t number) { change(number, -1); }

  /// The member before which there are k smaller ones.
  std::uint32_t at(std::int64_t k) const {
    std::size_t word = 0;
    auto left = static_cast<std::int32_t>(k);
    for (std::size_t step = top_; step > 0; step /= 2)
      if (word + step < counts_.size() && counts_[word + step] <= left) {
        word += step;
        left -= counts_[word];
      }
    std::uint64_t bits = words_[word];
    for (; left > 0; --left) bits &= bits - 1;
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  /// The next larger member.
  std::uint32_t after(std::uint32_t number) const {
    std::size_t word = number / 64;
    std::uint64_t bits = number % 64 == 63 ? 0 : words_[word] & (~std::uint64_t{0} << (number % 64 + 1));
    while (bits == 0) bits = words_[++word];
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

 private:
  void change(std::uint32_t number, std::int32_t by) {
    words_[number / 64] ^= std::uint64_t{1} << (number % 64);
    for (std::size_t at = number / 64 + 1; at < counts_.size(); at += at & (~at + 1)) counts_[at] += by;
    size_ += by;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::int32_t> counts_;
  std::size_t top_;
  std::int64_t size_ = 0;
};

struct Item {
  double value;
  std::uint32_t row;
};

constexpr std::uint32_t missing = ~std::uint32_t{0};

double quantile(const WindowSpec& spec, const NumberSet& set, const std::vector<Item>& items) {
  const std::int64_t n = set.size();
  if (n < std::max<std::int64_t>(spec.min_periods, 1)) return no_figure;
  const double place = spec.q * static_cast<double>(n - 1);
  const auto below = static_cast<std::int64_t>(place);
  const double share = place - static_cast<double>(below);
  const std::uint32_t low = set.at(below);
  const double value = items[low].value;
  if (share == 0) return value;
  const double next = items[set.after(low)].value;
  switch (spec.interpolation) {
    case Interpolation::linear: return value + (next - value) * share;
    case Interpolation::lower: return value;
    case Interpolation::higher: return next;
    case Interpolation::midpoint: return value / 2 + next / 2;
    case Interpolation::nearest: return share < 0.5 || (share == 0.5 && below % 2 == 0) ? value : next;
  }
  return value;
}

}  // namespace

void window_quantiles(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin, std::int64_t end, std::int64_t block,
                      double* out) {
  if (begin >= end) return;
  const std::int64_t blocks = (end - begin + block - 1) / block;
  work.threads.for_each_dynamic(static_cast<std::size_t>(blocks), [&](std::size_t number, unsigned) {
    const std::int64_t start = begin + static_cast<std::int64_t>(number) * block, stop = std::min(end, start + block);
    std::vector<std::int64_t> low(static_cast<std::size_t>(stop - start)), high(low.size());
    WindowBounds(spec, rows).next(start, stop - start, low.data(), high.data());
    const std::int64_t base = low.front();
    const auto count = static_cast<std::size_t>(std::max(high.back(), base) - base);
    std::vector<Item> items;
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      if (const double x = rows.x[base + static_cast<std::int64_t>(i) - rows.first]; x == x) items.push_back({x, static_cast<std::uint32_t>(i)});
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.value < b.value || (a.value == b.value && a.row < b.row); });
    std::vector<std::uint32_t> numbers(count, missing);
    for (std::size_t i = 0; i < items.size(); ++i) numbers[items[i].row] = static_cast<std::uint32_t>(i);

    NumberSet set(items.size());
    std::int64_t first = base, last = base;
    for (std::size_t i = 0; i < low.size(); ++i) {
      for (; last < high[i]; ++last)
        if (const std::uint32_t item = numbers[static_cast<std::size_t>(last - base)]; item != missing) set.insert(item);
      for (; first < low[i]; ++first)
        if (const std::uint32_t item = first < last ? numbers[static_cast<std::size_t>(first - base)] : missing; item != missing) set.erase(item);
      last = std::max(last, first);
      out[start + static_cast<std::int64_t>(i) - begin] = quantile(spec, set, items);
    }
  });
}

}  // namespace atl::table
