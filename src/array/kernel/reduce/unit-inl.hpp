// SPDX-License-Identifier: Apache-2.0
// What the kernels of one unit share: the shape of a block, and units one after the other. Included once per SIMD
// level.

#if defined(ATOLL_ARRAY_KERNEL_REDUCE_UNIT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATOLL_ARRAY_KERNEL_REDUCE_UNIT_INL
#undef ATOLL_ARRAY_KERNEL_REDUCE_UNIT_INL
#else
#define ATOLL_ARRAY_KERNEL_REDUCE_UNIT_INL
#endif

#include <cstddef>
#include <cstdint>

#include "kernel/reduce/unit.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

constexpr std::size_t vector_bytes = unit_vector_bytes;
constexpr std::size_t accumulators = 4;  // hides the latency of an addition
// Prefetch into the second-level cache (10^7 doubles from memory on Zen 4: 2.19 ms, 2.67 into the first one 4 KiB
// ahead, 2.38 without).
constexpr std::size_t ahead_bytes = 3072;

template <class T>
inline constexpr std::size_t block = accumulators * vector_bytes / sizeof(T);

template <class T>
HWY_INLINE HWY_ATTR std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}

/// Copies the elements after the last whole block, and fills up with `identity`. False when there are none.
template <class T>
HWY_INLINE HWY_ATTR bool load_tail(const T* data, std::size_t count, T identity, T (&tail)[block<T>]) {
  const std::size_t whole = count / block<T> * block<T>;
  if (whole == count) return false;
  for (std::size_t i = 0; i < block<T>; ++i) tail[i] = identity;
  for (std::size_t i = whole; i < count; ++i) tail[i - whole] = data[i];
  return true;
}

template <class T>
HWY_INLINE HWY_ATTR void prefetch_block(const T* p) {
  const char* at = reinterpret_cast<const char*>(p) + ahead_bytes;
  for (std::size_t k = 0; k < accumulators; ++k) __builtin_prefetch(at + k * vector_bytes, 0, 2);
}

// Units one after the other without leaving the loop: the processor begins the next while it joins this one's lanes.
template <UnitKernel unit, class T>
HWY_ATTR void each_unit(const void* data, std::size_t length, std::size_t units, std::uint64_t* bits) {
  const T* x = static_cast<const T*>(data);
  for (std::size_t u = 0; u < units; ++u) bits[u] = unit(x + u * length, length);
}

template <class T, UnitKernel unit>
UnitKernels both() {
  return {unit, &each_unit<unit, T>};
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
