// SPDX-License-Identifier: Apache-2.0
// Selecting by a mask of bools (bytes 0 or 1): a[mask], flatnonzero, a[mask] = v.
//
// Everything goes in two passes: the trues of each piece of the mask are counted, then each piece knows where its
// elements go and pieces are done in any order. A caller that needs the count first (to allocate) keeps the first pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// How many trues lie before each piece of a mask.
class MaskCounts {
 public:
  static constexpr std::size_t piece = 16384;  ///< elements

  MaskCounts(const Work& work, const bool* mask, std::size_t n);

  /// Trues in all.
  std::size_t total() const { return total_; }
  std::size_t size() const { return n_; }
  std::size_t pieces() const { return (n_ + piece - 1) / piece; }
  std::size_t before(std::size_t index) const { return before_[index]; }
  /// Length of a start of `mask` with `count` trues; of all trues, the whole mask.
  std::size_t find(const bool* mask, std::size_t count) const;

 private:
  std::size_t n_;
  std::size_t total_ = 0;
  Buffer<std::size_t> before_;
};

std::size_t count_true(const Work& work, const bool* mask, std::size_t n);

/// Of the selected elements, which to write: when a result lies in several places.
struct Selected {
  std::size_t first = 0;
  std::size_t last = std::numeric_limits<std::size_t>::max();  ///< past the last; more than there are: all
};

/// to = values[mask], for elements of any size (1, 2, 4, 8 fast). Writes `selected` of counts.total() elements.
void compress(const Work& work, const MaskCounts& counts, std::size_t element_size, const void* values,
              const bool* mask, void* to, Selected selected = {});

/// Counts, then compresses; returns the number of elements written.
std::size_t compress(const Work& work, std::size_t element_size, const void* values, const bool* mask, std::size_t n,
                     void* to);

/// The positions of the trues, plus `first`.
void flatnonzero(const Work& work, const MaskCounts& counts, const bool* mask, std::int64_t first, std::int64_t* to,
                 Selected selected = {});
std::size_t flatnonzero(const Work& work, const bool* mask, std::size_t n, std::int64_t first, std::int64_t* to);

/// to[mask] = values in order, for elements of any size: the k-th true takes values[k]. To start further on in the
/// values (other PEs' trues come first), pass a pointer to the first one needed.
void expand(const Work& work, const MaskCounts& counts, std::size_t element_size, const void* values, const bool* mask,
            void* to);

/// to[mask] = one value (its low `element_size` bytes: 1, 2, 4 or 8).
void masked_fill(const Work& work, std::size_t element_size, std::uint64_t bits, const bool* mask, std::size_t n,
                 void* to);

/// to[mask] = one row of `row_bytes`, where each mask element stands for a row.
void masked_fill_rows(const Work& work, std::size_t row_bytes, const void* row, const bool* mask, std::size_t n,
                      void* to);

}  // namespace atl::array
