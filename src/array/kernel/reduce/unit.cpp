// SPDX-License-Identifier: Apache-2.0
// Reducing one unit. Vectors are 64 bytes on every SIMD level (the compiler splits them where registers are shorter),
// so that a float sum has the same bits on all processors.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/reduce/unit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernel/reduce/combine.hpp"
#include "kernel/reduce/unit.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // 64-byte vectors only pass through inlined functions

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

constexpr std::size_t vector_bytes = 64;
constexpr std::size_t accumulators = 4;  // hides the latency of an addition
constexpr std::size_t ahead_bytes = 4096;  // prefetch: a plain sum from memory is a third slower without

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
inline constexpr std::size_t block = accumulators * vector_bytes / sizeof(T);

// Vector forms of an operation: `step` for vectors, `join` for the lanes at the end, `identity` for missing elements.
template <class T>
struct AddStep {
  // x + -0.0 is x, also for x = -0.0.
  static constexpr T identity = std::is_floating_point_v<T> ? T(-0.0) : T(0);
  template <class V>
  static HWY_INLINE HWY_ATTR void step(V& acc, const V& v) { acc += v; }
  static HWY_INLINE HWY_ATTR T join(T x, T y) { return static_cast<T>(x + y); }
};
template <class T>
struct MultiplyStep {
  static constexpr T identity = T(1);
  template <class V>
  static HWY_INLINE HWY_ATTR void step(V& acc, const V& v) { acc *= v; }
  static HWY_INLINE HWY_ATTR T join(T x, T y) {
    if constexpr (sizeof(T) < 4) return static_cast<T>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
    else return x * y;
  }
};
template <class T>
struct MinStep {
  static constexpr T identity =
      std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  template <class V>
  static HWY_INLINE HWY_ATTR void step(V& acc, const V& v) { acc = v < acc ? v : acc; }
  static HWY_INLINE HWY_ATTR T join(T x, T y) { return y < x ? y : x; }
};
template <class T>
struct MaxStep {
  static constexpr T identity =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  template <class V>
  static HWY_INLINE HWY_ATTR void step(V& acc, const V& v) { acc = v > acc ? v : acc; }
  static HWY_INLINE HWY_ATTR T join(T x, T y) { return y > x ? y : x; }
};

// Not `Vector<T>{} + value`, which would turn -0.0 into 0.0.
template <class T>
HWY_INLINE HWY_ATTR void fill(Vector<T>& v, T value) {
  for (std::size_t i = 0; i < vector_bytes / sizeof(T); ++i) v[i] = value;
}

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

// Lane i with lane i + half, until one is left. In registers: through memory it cost 50 ns for each unit, a third of a sum in
// the cache.
template <class T, class Step, class V, std::size_t... i>
HWY_INLINE HWY_ATTR T join_halves(const V& v, std::index_sequence<i...>) {
  constexpr std::size_t half = sizeof...(i);
  if constexpr (half == 0) {
    return v[0];
  } else if constexpr (half == 1) {
    return Step::join(v[0], v[1]);
  } else {
    typedef T Half __attribute__((vector_size(half * sizeof(T))));
    Half low = __builtin_shufflevector(v, v, i...);
    Half high = __builtin_shufflevector(v, v, (half + i)...);
    Step::step(low, high);
    return join_halves<T, Step>(low, std::make_index_sequence<half / 2>{});
  }
}

template <class T, class Step>
HWY_INLINE HWY_ATTR T join_lanes(Vector<T> a0, Vector<T> a1, Vector<T> a2, Vector<T> a3) {
  Step::step(a0, a1);
  Step::step(a2, a3);
  Step::step(a0, a2);
  return join_halves<T, Step>(a0, std::make_index_sequence<vector_bytes / sizeof(T) / 2>{});
}

template <class T>
HWY_INLINE HWY_ATTR void prefetch_block(const T* p) {
  const char* at = reinterpret_cast<const char*>(p) + ahead_bytes;
  for (std::size_t k = 0; k < accumulators; ++k) __builtin_prefetch(at + k * vector_bytes);
}

template <class T, class Step>
HWY_ATTR std::uint64_t reduce_unit(const void* data, std::size_t count) {
  const T* x = static_cast<const T*>(data);
  T tail[block<T>];
  Vector<T> a0;
  fill(a0, Step::identity);
  Vector<T> a1 = a0, a2 = a0, a3 = a0;
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  auto add_block = [&](const T* p) HWY_ATTR __attribute__((always_inline)) {
    Step::step(a0, *reinterpret_cast<const Vector<T>*>(p));
    Step::step(a1, *reinterpret_cast<const Vector<T>*>(p + lanes));
    Step::step(a2, *reinterpret_cast<const Vector<T>*>(p + 2 * lanes));
    Step::step(a3, *reinterpret_cast<const Vector<T>*>(p + 3 * lanes));
  };
  for (std::size_t i = 0; i + block<T> <= count; i += block<T>) {
    prefetch_block(x + i);
    add_block(x + i);
  }
  if (load_tail(x, count, Step::identity, tail)) add_block(tail);
  return bits_of(join_lanes<T, Step>(a0, a1, a2, a3));
}

/// Extremes of floats: comparisons skip NaN, which is looked for on the side.
template <class T, class Step>
HWY_ATTR std::uint64_t extreme_unit(const void* data, std::size_t count) {
  const T* x = static_cast<const T*>(data);
  T tail[block<T>];
  Vector<T> a0;
  fill(a0, Step::identity);
  Vector<T> a1 = a0, a2 = a0, a3 = a0;
  auto seen = Vector<T>{} != Vector<T>{};
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  auto add_block = [&](const T* p) HWY_ATTR __attribute__((always_inline)) {
    const Vector<T>*v0 = reinterpret_cast<const Vector<T>*>(p), *v1 = reinterpret_cast<const Vector<T>*>(p + lanes),
                *v2 = reinterpret_cast<const Vector<T>*>(p + 2 * lanes),
                *v3 = reinterpret_cast<const Vector<T>*>(p + 3 * lanes);
    Step::step(a0, *v0);
    Step::step(a1, *v1);
    Step::step(a2, *v2);
    Step::step(a3, *v3);
    // x + y is NaN when x or y is; +inf + -inf gives a false alarm, which the slow path sorts out.
    const Vector<T> any = (*v0 + *v1) + (*v2 + *v3);
    seen |= any != any;
  };
  for (std::size_t i = 0; i + block<T> <= count; i += block<T>) {
    prefetch_block(x + i);
    add_block(x + i);
  }
  if (load_tail(x, count, Step::identity, tail)) add_block(tail);
  std::uint64_t words[vector_bytes / 8];
  __builtin_memcpy(words, &seen, sizeof words);
  std::uint64_t any = 0;
  for (std::uint64_t word : words) any |= word;
  if (any != 0) [[unlikely]] {
    for (std::size_t i = 0; i < count; ++i) {
      if (x[i] != x[i]) return bits_of(x[i]);
    }
  }
  return bits_of(join_lanes<T, Step>(a0, a1, a2, a3));
}

template <class T>
HWY_ATTR std::size_t count_unit(const void* data, std::size_t count) {
  const T* x = static_cast<const T*>(data);
  std::size_t found = 0;
  std::size_t i = 0;
  for (; i + block<T> <= count; i += block<T>) {
    Wrap<T> here = 0;  // at most 256 per block of bytes: counts zeros and nonzeros apart would overflow, so halves
    Wrap<T> there = 0;
    for (std::size_t k = 0; k < block<T> / 2; ++k) here = static_cast<Wrap<T>>(here + (x[i + k] != T(0)));
    for (std::size_t k = block<T> / 2; k < block<T>; ++k) there = static_cast<Wrap<T>>(there + (x[i + k] != T(0)));
    found += static_cast<std::size_t>(here) + static_cast<std::size_t>(there);
  }
  for (; i < count; ++i) found += x[i] != T(0);
  return found;
}
template <class T>
HWY_ATTR std::uint64_t count_nonzero_unit(const void* data, std::size_t count) {
  return count_unit<T>(data, count);
}
template <class T>
HWY_ATTR std::uint64_t any_unit(const void* data, std::size_t count) {
  return count_unit<T>(data, count) != 0;
}
template <class T>
HWY_ATTR std::uint64_t all_unit(const void* data, std::size_t count) {
  return count_unit<T>(data, count) == count;
}

template <class T>
HWY_ATTR std::size_t locate(const void* data, std::size_t count, std::uint64_t bits) {
  const T* x = static_cast<const T*>(data);
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  const bool nan = value != value;
  auto hit = [nan, value](T v) HWY_ATTR { return nan ? v != v : v == value; };
  constexpr std::size_t step = 64;
  std::size_t i = 0;
  for (; i + step <= count; i += step) {
    bool any = false;
    if (nan) {
      for (std::size_t k = 0; k < step; ++k) any |= x[i + k] != x[i + k];
    } else {
      for (std::size_t k = 0; k < step; ++k) any |= x[i + k] == value;
    }
    if (any) break;
  }
  while (i < count && !hit(x[i])) ++i;
  return i;
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

}  // namespace

UnitKernels find_units(Reduction kind, DType type) {
  return dispatch(type, [kind](auto t) -> UnitKernels {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    switch (kind) {
      case Reduction::sum: return both<T, &reduce_unit<Wrap<T>, AddStep<Wrap<T>>>>();
      case Reduction::prod: return both<T, &reduce_unit<Wrap<T>, MultiplyStep<Wrap<T>>>>();
      case Reduction::count_nonzero: return both<T, &count_nonzero_unit<T>>();
      case Reduction::any: return both<T, &any_unit<T>>();
      case Reduction::all: return both<T, &all_unit<T>>();
      default: break;
    }
    const bool minimum = kind == Reduction::min || kind == Reduction::argmin;
    if constexpr (std::is_floating_point_v<T>) {
      return minimum ? both<T, &extreme_unit<T, MinStep<T>>>() : both<T, &extreme_unit<T, MaxStep<T>>>();
    } else {
      return minimum ? both<T, &reduce_unit<T, MinStep<T>>>() : both<T, &reduce_unit<T, MaxStep<T>>>();
    }
  });
}

LocateKernel find_locate(DType type) {
  return dispatch(type, [](auto t) -> LocateKernel {
    using Stored = typename decltype(t)::type;
    return &locate<std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>>;
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_units);
UnitKernels find_unit_kernels(Reduction kind, DType type) { return HWY_DYNAMIC_DISPATCH(find_units)(kind, type); }

HWY_EXPORT(find_locate);
LocateKernel find_locate_kernel(DType type) { return HWY_DYNAMIC_DISPATCH(find_locate)(type); }

PrecedesKernel find_precedes(Reduction kind, DType type) {
  return dispatch(type, [kind](auto t) -> PrecedesKernel {
    using Stored = typename decltype(t)::type;
    using T = std::conditional_t<std::is_same_v<Stored, bool>, std::uint8_t, Stored>;
    auto make = [](auto minimum) -> PrecedesKernel {
      return [](std::uint64_t x, std::uint64_t p, std::uint64_t y, std::uint64_t q) {
        T a, b;
        std::memcpy(&a, &x, sizeof a);
        std::memcpy(&b, &y, sizeof b);
        return precedes<T, decltype(minimum)::value>(a, p, b, q);
      };
    };
    return kind == Reduction::argmin ? make(std::true_type{}) : make(std::false_type{});
  });
}

}  // namespace atl::array
#endif
