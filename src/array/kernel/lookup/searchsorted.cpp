// SPDX-License-Identifier: Apache-2.0
// Binary search of many values at once: no branches, and all searches of a block take a step together, so that their
// cache misses overlap.
#include <algorithm>
#include <cmath>

#include "atoll/array/kernel/lookup.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/lookup/searchsorted.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

// The table holds no NaN. Values that are NaN come out as 0 or m and are put right by the caller.
template <class T, bool Right>
HWY_ATTR void search_block(const T* table, std::int64_t m, const T* values, std::size_t n, std::int64_t* to) {
  constexpr std::size_t block = 64;
  for (std::size_t first = 0; first < n; first += block) {
    std::size_t count = std::min(block, n - first);
    const T* value = values + first;
    std::int64_t base[block] = {};
    for (std::int64_t length = m; length > 1;) {
      std::int64_t half = length / 2;
      for (std::size_t k = 0; k < count; ++k) {
        T probe = table[base[k] + half - 1];
        bool go = Right ? !(value[k] < probe) : probe < value[k];
        base[k] += go ? half : 0;
      }
      length -= half;
      if (length > 4096) {  // beyond L1: fetch what the next step reads
        for (std::size_t k = 0; k < count; ++k) __builtin_prefetch(table + base[k] + length / 2 - 1);
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      T probe = table[base[k]];
      bool go = Right ? !(value[k] < probe) : probe < value[k];
      to[first + k] = base[k] + (go ? 1 : 0);
    }
  }
}

HWY_ATTR void search_any(DType type, const void* table, std::int64_t m, const void* values, std::size_t begin,
                         std::size_t end, Side side, std::int64_t* to) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    const auto* from = static_cast<const T*>(values) + begin;
    if (side == Side::right) search_block<T, true>(static_cast<const T*>(table), m, from, end - begin, to + begin);
    else search_block<T, false>(static_cast<const T*>(table), m, from, end - begin, to + begin);
  });
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(search_any);

// Where the NaNs at the table's end begin.
template <class T>
std::size_t without_nan(const T* table, std::size_t m) {
  return static_cast<std::size_t>(std::partition_point(table, table + m, [](T value) { return value == value; }) -
                                  table);
}

}  // namespace

void searchsorted(const Work& work, DType type, const void* table, std::size_t m, const void* values, std::size_t n,
                  Side side, std::int64_t* to) {
  std::size_t numbers = m;
  if (type == DType::f64) numbers = without_nan(static_cast<const double*>(table), m);
  if (type == DType::f32) numbers = without_nan(static_cast<const float*>(table), m);
  Polling(work).for_pieces(n, 2048, [&](std::size_t begin, std::size_t end, unsigned) {
    if (numbers == 0) std::fill(to + begin, to + end, 0);
    else
      HWY_DYNAMIC_DISPATCH(search_any)(type, table, static_cast<std::int64_t>(numbers), values, begin, end, side, to);
    if (!is_float(type)) return;
    auto for_nan = static_cast<std::int64_t>(side == Side::right ? m : numbers);
    dispatch(type, [&]<class T>(Type<T>) {
      const auto* value = static_cast<const T*>(values);
      for (std::size_t i = begin; i < end; ++i) to[i] = value[i] == value[i] ? to[i] : for_nan;
    });
  });
}

}  // namespace atl::array
#endif  // HWY_ONCE
