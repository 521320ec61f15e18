// SPDX-License-Identifier: Apache-2.0
// Scanning one unit: 64-byte vectors scan themselves in log2(lanes) shifted steps, and only one operation per vector
// waits for the one before it (a plain loop waits for every element). Elements of 1 and 2 bytes go one by one.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/scan/unit_scan.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>

#include "kernel/scan/unit_scan.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // 64-byte vectors only pass through inlined functions

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

template <class T>
struct Vec {
  static constexpr std::size_t lanes = 64 / sizeof(T);
  using Index = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  typedef T type __attribute__((vector_size(64)));
  typedef T unaligned __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
  typedef Index index __attribute__((vector_size(64)));
};

// Vectors of 64 bytes and scalars alike; integers are unsigned for the first two, so that they wrap.
struct Plus {
  template <class T>
  static constexpr T identity = std::is_floating_point_v<T> ? T(-0.0) : T(0);
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) { return x + y; }
};
struct Times {
  template <class T>
  static constexpr T identity = T(1);
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) { return x * y; }
};
struct Least {
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) { return (x <= y) | (x != x) ? x : y; }
};
struct Greatest {
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) { return (x >= y) | (x != x) ? x : y; }
};

template <class T, class F>
HWY_ATTR void scan_vectors(void* out, const void* in, std::size_t count, std::uint64_t carry_bits, bool has_carry) {
  using V = typename Vec<T>::type;
  constexpr std::size_t lanes = Vec<T>::lanes;
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  V identity, carry;
  T start = F::template identity<T>;
  if (has_carry) __builtin_memcpy(&start, &carry_bits, sizeof start);
  for (std::size_t i = 0; i < lanes; ++i) {
    identity[i] = F::template identity<T>;
    carry[i] = start;
  }
  // Lane i of shift<k> takes lane i - k, or the identity; `last` spreads the last lane.
  typename Vec<T>::index shift1, shift2, shift4, shift8, last;
  for (std::size_t i = 0; i < lanes; ++i) {
    auto from = [i](std::size_t k) { return static_cast<typename Vec<T>::Index>(i < k ? i : lanes + i - k); };
    shift1[i] = from(1);
    shift2[i] = from(2);
    shift4[i] = from(4);
    shift8[i] = from(8);
    last[i] = static_cast<typename Vec<T>::Index>(lanes - 1);
  }
  auto step = [&](V& v) HWY_ATTR __attribute__((always_inline)) {
    v = F::call(V(__builtin_shuffle(identity, v, shift1)), v);
    v = F::call(V(__builtin_shuffle(identity, v, shift2)), v);
    v = F::call(V(__builtin_shuffle(identity, v, shift4)), v);
    if constexpr (lanes == 16) v = F::call(V(__builtin_shuffle(identity, v, shift8)), v);
    const V next = F::call(carry, V(__builtin_shuffle(v, last)));
    v = F::call(carry, v);
    carry = next;
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    V v = *reinterpret_cast<const typename Vec<T>::unaligned*>(x + i);
    step(v);
    *reinterpret_cast<typename Vec<T>::unaligned*>(y + i) = v;
  }
  if (i < count) {
    V v = identity;
    for (std::size_t k = 0; i + k < count; ++k) v[k] = x[i + k];
    step(v);
    for (std::size_t k = 0; i + k < count; ++k) y[i + k] = v[k];
  }
}

template <class T, class F>
HWY_ATTR void scan_scalars(void* out, const void* in, std::size_t count, std::uint64_t carry_bits, bool has_carry) {
  // Sums and products wrap as unsigned; comparisons need the sign.
  using Wide = std::conditional_t<std::is_same_v<F, Plus> || std::is_same_v<F, Times>, unsigned, int>;
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  T carry = F::template identity<T>;
  if (has_carry) __builtin_memcpy(&carry, &carry_bits, sizeof carry);
  for (std::size_t i = 0; i < count; ++i) {
    carry = static_cast<T>(F::template call<Wide>(static_cast<Wide>(carry), static_cast<Wide>(x[i])));
    y[i] = carry;
  }
}

template <class T, class F>
constexpr UnitScan choose() {
  if constexpr (sizeof(T) >= 4) return &scan_vectors<T, F>;
  else return &scan_scalars<T, F>;
}

}  // namespace

UnitScan find_scan(Scan kind, DType type) {
  return dispatch(type, [kind](auto t) -> UnitScan {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    using W = std::conditional_t<
        std::is_floating_point_v<T>, T,
        std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, T>>>;
    switch (kind) {
      case Scan::cumsum: return choose<W, Plus>();
      case Scan::cumprod: return choose<W, Times>();
      case Scan::cummax: return choose<T, Greatest>();
      case Scan::cummin: return choose<T, Least>();
    }
    return nullptr;
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_scan);
UnitScan find_unit_scan(Scan kind, DType type) { return HWY_DYNAMIC_DISPATCH(find_scan)(kind, type); }

}  // namespace atl::array
#endif
