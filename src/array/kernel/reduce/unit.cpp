// SPDX-License-Identifier: Apache-2.0
// Sum, product and counts of one unit. Vectors are 64 bytes on every SIMD level, so that a float sum has the same bits
// on all processors; they are made of registers here, as g++ 12 keeps its own vectors in memory where they are wider
// than a register (sums at AVX2: 22 GB/s from the cache, made of registers 90).
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
#include "kernel/reduce/unit-inl.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors only pass through inlined functions

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

constexpr std::size_t register_bytes = HWY_MAX_BYTES < vector_bytes ? HWY_MAX_BYTES : vector_bytes;
template <class T>
struct RegisterOf {
  typedef T type __attribute__((vector_size(register_bytes), aligned(alignof(T)), may_alias));
};
template <class T>
using Register = typename RegisterOf<T>::type;
template <class T>
inline constexpr std::size_t register_lanes = register_bytes / sizeof(T);
constexpr std::size_t parts = vector_bytes / register_bytes;

/// 64 bytes.
template <class T>
struct Vector {
  Register<T> part[parts];
};

// Vector forms of an operation: `step` for vectors, `join` for the lanes at the end, `identity` for missing elements.
template <class T>
struct AddStep {
  static constexpr T identity = Sum<T>::identity;
  template <class V>
  static HWY_INLINE HWY_ATTR void step(V& acc, const V& v) {
    acc += v;
  }
  static HWY_INLINE HWY_ATTR T join(T x, T y) { return static_cast<T>(x + y); }
};
template <class T>
struct MultiplyStep {
  static constexpr T identity = T(1);
  template <class V>
  static HWY_INLINE HWY_ATTR void step(V& acc, const V& v) {
    acc *= v;
  }
  static HWY_INLINE HWY_ATTR T join(T x, T y) {
    if constexpr (sizeof(T) < 4) return static_cast<T>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
    else return x * y;
  }
};

// Not `Register<T>{} + value`, which would turn -0.0 into 0.0.
template <class T>
HWY_INLINE HWY_ATTR Register<T> filled(T value) {
  Register<T> v;
  for (std::size_t i = 0; i < register_lanes<T>; ++i) v[i] = value;
  return v;
}

// Lane i with lane i + half, until one is left. In registers: through memory it cost 50 ns for each unit, a third of a
// sum in the cache.
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
HWY_INLINE HWY_ATTR T join_lanes(Vector<T>& v) {
  if constexpr (parts == 4) {
    Step::step(v.part[0], v.part[2]);
    Step::step(v.part[1], v.part[3]);
  }
  if constexpr (parts >= 2) Step::step(v.part[0], v.part[1]);
  return join_halves<T, Step>(v.part[0], std::make_index_sequence<register_lanes<T> / 2>{});
}

template <class T, class Step, std::size_t... k>
HWY_INLINE HWY_ATTR T reduce_parts(const T* x, std::size_t count, std::index_sequence<k...>) {
  constexpr std::size_t lanes = vector_bytes / sizeof(T);
  alignas(vector_bytes) T tail[block<T>];
  Vector<T> a0{{(static_cast<void>(k), filled(Step::identity))...}};
  Vector<T> a1 = a0, a2 = a0, a3 = a0;
  auto at = [](const T* p, std::size_t part) HWY_ATTR __attribute__((always_inline)) -> const Register<T>& {
    return *reinterpret_cast<const Register<T>*>(p + part * register_lanes<T>);
  };
  auto add_block = [&](const T* p) HWY_ATTR __attribute__((always_inline)) {
    (Step::step(a0.part[k], at(p, k)), ...);
    (Step::step(a1.part[k], at(p + lanes, k)), ...);
    (Step::step(a2.part[k], at(p + 2 * lanes, k)), ...);
    (Step::step(a3.part[k], at(p + 3 * lanes, k)), ...);
  };
  for (std::size_t i = 0; i + block<T> <= count; i += block<T>) {
    prefetch_block(x + i);
    add_block(x + i);
  }
  if (load_tail(x, count, Step::identity, tail)) add_block(tail);
  (Step::step(a0.part[k], a1.part[k]), ...);
  (Step::step(a2.part[k], a3.part[k]), ...);
  (Step::step(a0.part[k], a2.part[k]), ...);
  return join_lanes<T, Step>(a0);
}

template <class T, class Step>
HWY_ATTR std::uint64_t reduce_unit(const void* data, std::size_t count) {
  return bits_of(reduce_parts<T, Step>(static_cast<const T*>(data), count, std::make_index_sequence<parts>{}));
}

// Counters have the elements' size, so that as many fit into a register; a float would have to be counted in order.
template <class T>
HWY_ATTR std::size_t count_unit(const void* data, std::size_t count) {
  constexpr std::size_t most = sizeof(T) == 1 ? 128 : UnitGrid::max_unit;  // that a counter holds
  const T* x = static_cast<const T*>(data);
  std::size_t found = 0;
  for (std::size_t first = 0; first < count; first += most) {
    const std::size_t n = count - first < most ? count - first : most;
    Unsigned<T> here = 0;
    for (std::size_t k = 0; k < n; ++k) here = static_cast<Unsigned<T>>(here + (x[first + k] != T(0)));
    found += here;
  }
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
      default: return {};
    }
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_units);
UnitKernels find_unit_kernels(Reduction kind, DType type) {
  switch (kind) {
    case Reduction::min:
    case Reduction::max:
    case Reduction::argmin:
    case Reduction::argmax: return find_extreme_kernels(kind, type);
    default: return HWY_DYNAMIC_DISPATCH(find_units)(kind, type);
  }
}

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
