// SPDX-License-Identifier: Apache-2.0
// The order of some neighbouring rows' values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/kernel/partition.hpp"

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
      std::sort(at + static_cast<std::ptrdiff_t>(begin), at + static_cast<std::ptrdiff_t>(end), [&](std::uint64_t a, std::uint64_t b) {
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

}  // namespace atl::table
