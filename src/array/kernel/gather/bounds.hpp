// SPDX-License-Identifier: Apache-2.0
// Remembers the first bad index that several threads meet. Private to the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/array/kernel/gather.hpp"

namespace atl::array {

/// Indices per piece of work at least: some 100 µs of random access.
inline constexpr std::size_t index_grain = 8192;

/// Whether all are in [0, rows). The sign of `i | (rows - 1 - i)` says so, which vectorises where there are no
/// comparisons of 64-bit integers without a sign.
inline bool all_in_range(const std::int64_t* indices, std::size_t n, std::int64_t rows) {
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < n; ++i) outside |= indices[i] | (rows - 1 - indices[i]);
  return outside >= 0;
}
/// Whether all are in [-rows, rows).
inline bool all_in_range_of_signs(const std::int64_t* indices, std::size_t n, std::int64_t rows) {
  bool outside = false;
  for (std::size_t i = 0; i < n; ++i) outside |= indices[i] >= rows || indices[i] < -rows;
  return !outside;
}

class FirstBad {
 public:
  explicit FirstBad(unsigned threads) : slots_(threads) {}
  /// Each thread notes its first only, in a slot of its own.
  void note(unsigned thread, std::size_t position, std::int64_t value) {
    if (slots_[thread].bad) return;
    slots_[thread].bad = {static_cast<std::int64_t>(position), value};
  }
  BadIndex first() const {
    BadIndex result;
    for (const Slot& slot : slots_)
      if (slot.bad && (!result || slot.bad.position < result.position)) result = slot.bad;
    return result;
  }

 private:
  struct alignas(64) Slot {
    BadIndex bad;
  };
  std::vector<Slot> slots_;
};

}  // namespace atl::array
