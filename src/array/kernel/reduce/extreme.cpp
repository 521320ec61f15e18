// SPDX-License-Identifier: Apache-2.0
// The extreme of one unit, and where a value lies. A vector is 64 bytes on every SIMD level, here of as many registers
// as that takes: g++ 12 compares its own vectors lane by lane where they are wider than a register, which made min at
// AVX2 five times as slow as memory.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/reduce/extreme.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "kernel/reduce/unit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Part = hn::CappedTag<T, vector_bytes / sizeof(T)>;
template <class T>
inline constexpr std::size_t part_lanes = hn::MaxLanes(Part<T>());
template <class T>
using Parts = std::make_index_sequence<vector_bytes / sizeof(T) / part_lanes<T>>;

/// 64 bytes in registers.
template <class T>
struct Wide {
  hn::Vec<Part<T>> part[Parts<T>::size()];
};

template <class T, bool minimum>
struct Extreme {
  static constexpr T identity = std::is_floating_point_v<T> ? (minimum ? 1 : -1) * std::numeric_limits<T>::infinity()
                                : minimum                   ? std::numeric_limits<T>::max()
                                                            : std::numeric_limits<T>::lowest();
  /// v where it beats acc, else acc: also where they are zeros of two signs, or v is NaN.
  template <class V>
  static HWY_INLINE HWY_ATTR V keep(V acc, V v) {
#if !HWY_ARCH_X86
    if constexpr (std::is_floating_point_v<T>) return hn::IfThenElse(minimum ? hn::Lt(v, acc) : hn::Gt(v, acc), v, acc);
#endif
    return minimum ? hn::Min(v, acc) : hn::Max(v, acc);  // x86 returns the second of two that do not compare
  }
};

// Lane i with lane i + half, until one is left.
template <class F, class D>
HWY_INLINE HWY_ATTR hn::TFromD<D> join_lanes(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return join_lanes<F>(half, F::keep(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// Parts k and k + half, until one is left.
template <class F, class T, std::size_t count>
HWY_INLINE HWY_ATTR hn::Vec<Part<T>> join_parts(const Wide<T>& v) {
  if constexpr (count == 1) return v.part[0];
  else if constexpr (count == 2) return F::keep(v.part[0], v.part[1]);
  else return F::keep(F::keep(v.part[0], v.part[2]), F::keep(v.part[1], v.part[3]));
}

template <class T, bool minimum, std::size_t... k>
HWY_INLINE HWY_ATTR std::uint64_t extreme_of(const T* x, std::size_t count, std::index_sequence<k...>) {
  using F = Extreme<T, minimum>;
  constexpr bool floats = std::is_floating_point_v<T>;
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  const Part<T> d;
  alignas(vector_bytes) T tail[block<T>];
  Wide<T> a0{{(static_cast<void>(k), hn::Set(d, F::identity))...}};
  Wide<T> a1 = a0, a2 = a0, a3 = a0;
  auto nan = hn::Ne(hn::Zero(d), hn::Zero(d));  // none
  // NaN does not compare and is looked for on the side: x + y is NaN when x or y is. +inf + -inf gives a false alarm,
  // which the slow path sorts out.
  auto add_part = [&](auto& p0, auto& p1, auto& p2, auto& p3, const T* p) HWY_ATTR __attribute__((always_inline)) {
    const auto v0 = hn::LoadU(d, p), v1 = hn::LoadU(d, p + lanes), v2 = hn::LoadU(d, p + 2 * lanes),
               v3 = hn::LoadU(d, p + 3 * lanes);
    p0 = F::keep(p0, v0);
    p1 = F::keep(p1, v1);
    p2 = F::keep(p2, v2);
    p3 = F::keep(p3, v3);
    if constexpr (floats) nan = hn::Or(nan, hn::IsNaN(hn::Add(hn::Add(v0, v1), hn::Add(v2, v3))));
  };
  auto add_block = [&](const T* p) HWY_ATTR __attribute__((always_inline)) {
    (add_part(a0.part[k], a1.part[k], a2.part[k], a3.part[k], p + k * part_lanes<T>), ...);
  };
  // Unlike sums, no prefetch: max of 10^7 doubles in a session's memory took 3.6 ms with that of sums, 2.3 without.
  for (std::size_t i = 0; i + block<T> <= count; i += block<T>) add_block(x + i);
  if (load_tail(x, count, F::identity, tail)) add_block(tail);
  if constexpr (floats) {
    if (!hn::AllFalse(d, nan)) [[unlikely]] {
      for (std::size_t i = 0; i < count; ++i) {
        if (x[i] != x[i]) return bits_of(x[i]);
      }
    }
  }
  const Wide<T> all{{F::keep(F::keep(a0.part[k], a1.part[k]), F::keep(a2.part[k], a3.part[k]))...}};
  return bits_of(join_lanes<F>(d, join_parts<F, T, sizeof...(k)>(all)));
}

template <class T, bool minimum>
HWY_ATTR std::uint64_t extreme_unit(const void* data, std::size_t count) {
  return extreme_of<T, minimum>(static_cast<const T*>(data), count, Parts<T>{});
}

template <class T>
HWY_ATTR std::size_t locate(const void* data, std::size_t count, std::uint64_t bits) {
  const T* x = static_cast<const T*>(data);
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  const Part<T> d;
  const auto wanted = hn::Set(d, value);
  const bool nan = value != value;
  std::size_t i = 0;
  for (; i + 4 * part_lanes<T> <= count; i += 4 * part_lanes<T>) {
    auto hit = [&](std::size_t k) HWY_ATTR __attribute__((always_inline)) {
      const auto v = hn::LoadU(d, x + i + k * part_lanes<T>);
      if constexpr (std::is_floating_point_v<T>) return nan ? hn::IsNaN(v) : hn::Eq(v, wanted);
      else return hn::Eq(v, wanted);
    };
    if (!hn::AllFalse(d, hn::Or(hn::Or(hit(0), hit(1)), hn::Or(hit(2), hit(3))))) break;
  }
  while (i < count && !(nan ? x[i] != x[i] : x[i] == value)) ++i;
  return i;
}

template <class T>
using Plain = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

}  // namespace

UnitKernels find_extremes(bool minimum, DType type) {
  return dispatch(type, [minimum](auto t) -> UnitKernels {
    using T = Plain<typename decltype(t)::type>;
    return minimum ? both<T, &extreme_unit<T, true>>() : both<T, &extreme_unit<T, false>>();
  });
}

LocateKernel find_locate(DType type) {
  return dispatch(type, [](auto t) -> LocateKernel { return &locate<Plain<typename decltype(t)::type>>; });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_extremes);
UnitKernels find_extreme_kernels(Reduction kind, DType type) {
  return HWY_DYNAMIC_DISPATCH(find_extremes)(kind == Reduction::min || kind == Reduction::argmin, type);
}

HWY_EXPORT(find_locate);
LocateKernel find_locate_kernel(DType type) { return HWY_DYNAMIC_DISPATCH(find_locate)(type); }

}  // namespace atl::array
#endif
