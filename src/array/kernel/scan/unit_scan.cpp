// SPDX-License-Identifier: Apache-2.0
// Scanning one unit: 64-byte vectors scan themselves in log2(lanes) shifted steps, and only one operation per vector
// waits for the one before it (a plain loop waits for every element).
//
// A vector is made of registers: g++ 12 shifts and compares its own vectors lane by lane where they are wider than a
// register. A shift by a whole register is then no work at all.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/scan/unit_scan.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "kernel/scan/unit_scan.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors only pass through inlined functions

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

constexpr std::size_t vector_bytes = scan_vector_bytes;
// Not 64: a shift across 64 bytes takes longer than two across 32 (cumsum of doubles in L2 on Zen 4: 22 GB/s instead of
// 25).
constexpr std::size_t register_bytes = HWY_MAX_BYTES < 32 ? HWY_MAX_BYTES : 32;
constexpr std::size_t parts = vector_bytes / register_bytes;

template <class T>
struct RegisterOf {
  static constexpr std::size_t lanes = register_bytes / sizeof(T);
  typedef T type __attribute__((vector_size(register_bytes)));
  typedef T unaligned __attribute__((vector_size(register_bytes), aligned(alignof(T)), may_alias));
};
template <class T>
using Register = typename RegisterOf<T>::type;

// Registers and scalars alike; integers are unsigned for the first two, so that they wrap.
struct Plus {
  template <class T>
  static constexpr T identity = std::is_floating_point_v<T> ? T(-0.0) : T(0);
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) {
    return x + y;
  }
};
struct Times {
  template <class T>
  static constexpr T identity = T(1);
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) {
    return x * y;
  }
};
struct Least {
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) {
    return (x <= y) | (x != x) ? x : y;
  }
};
struct Greatest {
  template <class T>
  static constexpr T identity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  template <class V>
  static HWY_INLINE HWY_ATTR V call(const V& x, const V& y) {
    return (x >= y) | (x != x) ? x : y;
  }
};

// The last `by` lanes of `before`, then the first ones of v.
template <std::size_t by, class V, std::size_t... i>
HWY_INLINE HWY_ATTR V shifted(const V& before, const V& v, std::index_sequence<i...>) {
  return __builtin_shufflevector(before, v, (sizeof...(i) - by + i)...);
}
template <class V, std::size_t... i>
HWY_INLINE HWY_ATTR V last_lane(const V& v, std::index_sequence<i...>) {
  return __builtin_shufflevector(v, v, (sizeof...(i) - 1 + 0 * i)...);
}

/// Register k of 64 bytes, of which each lane takes in the one `by` before it.
template <std::size_t by, std::size_t k, class T, class F>
HWY_INLINE HWY_ATTR void take_in_one(Register<T> (&v)[parts], const Register<T>& identity) {
  constexpr std::size_t lanes = RegisterOf<T>::lanes, whole = by / lanes, rest = by % lanes;
  if constexpr (k >= whole && rest == 0) v[k] = F::call(v[k - whole], v[k]);
  if constexpr (k > whole && rest != 0)
    v[k] = F::call(shifted<rest>(v[k - whole - 1], v[k - whole], std::make_index_sequence<lanes>{}), v[k]);
  if constexpr (k == whole && rest != 0)
    v[k] = F::call(shifted<rest>(identity, v[0], std::make_index_sequence<lanes>{}), v[k]);
}
// From the last register on: those before are read as they were.
template <std::size_t by, class T, class F, std::size_t... k>
HWY_INLINE HWY_ATTR void take_in(Register<T> (&v)[parts], const Register<T>& identity, std::index_sequence<k...>) {
  (take_in_one<by, parts - 1 - k, T, F>(v, identity), ...);
}

// Past the cache where `to` is a multiple of the register.
template <bool streamed, class T>
HWY_INLINE HWY_ATTR void put(T* to, const Register<T>& v) {
  if constexpr (streamed) {
    const hwy::HWY_NAMESPACE::CappedTag<T, RegisterOf<T>::lanes> d;
    T lanes[RegisterOf<T>::lanes];
    __builtin_memcpy(lanes, &v, sizeof lanes);  // stays in a register
    hwy::HWY_NAMESPACE::Stream(hwy::HWY_NAMESPACE::LoadU(d, lanes), d, to);
  } else {
    *reinterpret_cast<typename RegisterOf<T>::unaligned*>(to) = v;
  }
}

template <bool streamed, bool reduced, class T, class F, std::size_t... k>
HWY_INLINE HWY_ATTR void scan_parts(T* y, const T* x, std::size_t count, T start, const char* next, T* sums,
                                    std::index_sequence<k...> all) {
  using V = Register<T>;
  using Unaligned = typename RegisterOf<T>::unaligned;
  constexpr std::size_t lanes = vector_bytes / sizeof(T), register_lanes = RegisterOf<T>::lanes;
  V identity, carry;
  for (std::size_t i = 0; i < register_lanes; ++i) {
    identity[i] = F::template identity<T>;
    carry[i] = start;
  }
  auto step = [&](T* to, const T* from, T* sum) HWY_ATTR __attribute__((always_inline)) {
    V v[parts] = {*reinterpret_cast<const Unaligned*>(from + k * register_lanes)...};
    if constexpr (reduced)
      ((*reinterpret_cast<Unaligned*>(sum + k * register_lanes) =
            F::call(V(*reinterpret_cast<const Unaligned*>(sum + k * register_lanes)), v[k])),
       ...);
    take_in<1, T, F>(v, identity, all);
    take_in<2, T, F>(v, identity, all);
    take_in<4, T, F>(v, identity, all);
    if constexpr (lanes >= 16) take_in<8, T, F>(v, identity, all);
    if constexpr (lanes >= 32) take_in<16, T, F>(v, identity, all);
    if constexpr (lanes >= 64) take_in<32, T, F>(v, identity, all);
    const V last = F::call(carry, last_lane(v[parts - 1], std::make_index_sequence<register_lanes>{}));
    (put<streamed>(to + k * register_lanes, F::call(carry, v[k])), ...);
    carry = last;
  };
  std::size_t i = 0;
  constexpr std::size_t all_lanes = scan_lanes_bytes / sizeof(T);
  if constexpr (reduced) {
    for (std::size_t n = 0; n < all_lanes; ++n) sums[n] = F::template identity<T>;
    for (; i + all_lanes <= count; i += all_lanes) {
      for (std::size_t n = 0; n < all_lanes; n += lanes) {
        __builtin_prefetch(next + (i + n) * sizeof(T), 0, 2);
        step(y + i + n, x + i + n, sums + n);
      }
    }
  }
  for (; i + lanes <= count; i += lanes) {
    __builtin_prefetch(next + i * sizeof(T), 0, 2);
    step(y + i, x + i, sums + i % all_lanes);
  }
  if (i < count) {
    alignas(vector_bytes) T rest[lanes];
    for (std::size_t n = 0; n < lanes; ++n) rest[n] = i + n < count ? x[i + n] : F::template identity<T>;
    step(rest, rest, sums + i % all_lanes);
    for (std::size_t n = 0; i + n < count; ++n) y[i + n] = rest[n];
  }
}

template <class T, class F>
HWY_ATTR void scan_vectors(void* out, const void* in, std::size_t count, std::uint64_t carry_bits, bool has_carry,
                           bool stream, const void* next, void* lanes) {
  T start = F::template identity<T>;
  if (has_carry) __builtin_memcpy(&start, &carry_bits, sizeof start);
  T* y = static_cast<T*>(out);
  const T* x = static_cast<const T*>(in);
  constexpr std::make_index_sequence<parts> all;
  const char* fetched = static_cast<const char*>(next);
  if constexpr (std::is_same_v<F, Plus> || std::is_same_v<F, Times>) {
    T* sums = static_cast<T*>(lanes);
    if (sums != nullptr && stream) return scan_parts<true, true, T, F>(y, x, count, start, fetched, sums, all);
    if (sums != nullptr) return scan_parts<false, true, T, F>(y, x, count, start, fetched, sums, all);
  }
  if (stream) scan_parts<true, false, T, F>(y, x, count, start, fetched, nullptr, all);
  else scan_parts<false, false, T, F>(y, x, count, start, fetched, nullptr, all);
}

}  // namespace

UnitScan find_scan(Scan kind, DType type) {
  return dispatch(type, [kind](auto t) -> UnitScan {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    using W = std::conditional_t<std::is_floating_point_v<T>, T,
                                 std::make_unsigned_t<std::conditional_t<std::is_floating_point_v<T>, int, T>>>;
    switch (kind) {
      case Scan::cumsum: return &scan_vectors<W, Plus>;
      case Scan::cumprod: return &scan_vectors<W, Times>;
      case Scan::cummax: return &scan_vectors<T, Greatest>;
      case Scan::cummin: return &scan_vectors<T, Least>;
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
