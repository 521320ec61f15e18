// SPDX-License-Identifier: Apache-2.0
// The order of some neighbouring rows' values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "kernel/window/states.hpp"

namespace atl::table {

/// The values of some neighbouring rows, numbered in their order; NaN has no number.
class Numbered {
 public:
  static constexpr std::uint32_t missing = ~std::uint32_t{0};

  void number(const double* x, std::size_t n) {
    // Words of key bits and row are sorted, several times as fast as pairs.
    const auto row_bits = static_cast<unsigned>(std::bit_width(n));
    const std::uint64_t row_mask = (std::uint64_t{1} << row_bits) - 1;
    words_.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (x[i] == x[i]) words_.push_back((array::ordered_bits(x[i]) & ~row_mask) | i);
    array::sort_words(words_.data(), words_.size());
    values_.resize(words_.size());
    bool in_order = true;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      values_[i] = x[words_[i] & row_mask];
      in_order = in_order && (i == 0 || values_[i - 1] <= values_[i]);
    }
    if (!in_order) mend(x, row_bits);
    numbers_.assign(n, missing);
    for (std::size_t i = 0; i < words_.size(); ++i) numbers_[words_[i] & row_mask] = static_cast<std::uint32_t>(i);
  }
  std::size_t count() const { return values_.size(); }
  double value(std::size_t number) const { return values_[number]; }
  std::uint32_t of_row(std::size_t row) const { return numbers_[row]; }

 private:
  // Bits that had to make room for the row may tell values apart.
  void mend(const double* x, unsigned row_bits) {
    const std::uint64_t row_mask = (std::uint64_t{1} << row_bits) - 1;
    for (std::size_t begin = 0, end = 0; begin < words_.size(); begin = end) {
      while (end < words_.size() && words_[end] >> row_bits == words_[begin] >> row_bits) ++end;
      const auto at = words_.begin();
      std::sort(at + static_cast<std::ptrdiff_t>(begin), at + static_cast<std::ptrdiff_t>(end),
                [&](std::uint64_t a, std::uint64_t b) {
                  const double left = x[a & row_mask], right = x[b & row_mask];
                  return left < right || (left == right && a < b);
                });
      for (std::size_t i = begin; i < end; ++i) values_[i] = x[words_[i] & row_mask];
    }
  }

  std::vector<std::uint64_t> words_;
  std::vector<double> values_;
  std::vector<std::uint32_t> numbers_;
};

/// Figures of windows of numbered values, a block of rows after the other. `Windows` has `rows` (Numbered), a `set` of
/// the numbers that are in the window, start() for when a block's rows are numbered, and figure(spec, number of the
/// window's last row).
template <class Windows>
void for_numbered_windows(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                          std::int64_t end, std::int64_t block, double* out) {
  if (begin >= end) return;
  struct Scratch {  // of a thread
    std::vector<std::int64_t> low, high;
    Windows windows;
  };
  std::vector<Scratch> scratch(work.threads.size());
  array::Polling(work).for_each_dynamic(
      static_cast<std::size_t>((end - begin + block - 1) / block), [&](std::size_t number, unsigned thread) {
        auto& [low, high, windows] = scratch[thread];
        const std::int64_t start = begin + static_cast<std::int64_t>(number) * block,
                           stop = std::min(end, start + block);
        low.resize(static_cast<std::size_t>(stop - start));
        high.resize(low.size());
        WindowBounds(spec, rows).next(start, stop - start, low.data(), high.data());
        const std::int64_t base = low.front();
        windows.rows.number(rows.x + (base - rows.first), static_cast<std::size_t>(std::max(high.back(), base) - base));
        windows.start();
        auto number_of = [&](std::int64_t row) { return windows.rows.of_row(static_cast<std::size_t>(row - base)); };
        std::int64_t first = base, last = base;
        for (std::size_t i = 0; i < low.size(); ++i) {
          for (; last < high[i]; ++last)
            if (const std::uint32_t one = number_of(last); one != Numbered::missing) windows.set.insert(one);
          for (; first < low[i] && first < last; ++first)
            if (const std::uint32_t one = number_of(first); one != Numbered::missing) windows.set.erase(one);
          first = std::max(first, low[i]);
          last = std::max(last, first);
          const std::uint32_t own = high[i] > low[i] ? number_of(high[i] - 1) : Numbered::missing;
          const bool enough = windows.set.size() >= std::max<std::int64_t>(spec.min_periods, 1);
          out[start + static_cast<std::int64_t>(i) - begin] = enough ? windows.figure(spec, own) : no_figure;
        }
      });
}

}  // namespace atl::table
