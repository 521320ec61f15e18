// SPDX-License-Identifier: Apache-2.0
// Loops over a tile for one SIMD level, written plainly and vectorised by the compiler. Included once per level.
//
// Functors are structs with a static `call`. No function of another header may be instantiated from here: the linker
// might keep the copy that was compiled for AVX-512.

#if defined(ATOLL_ARRAY_KERNEL_OPS_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATOLL_ARRAY_KERNEL_OPS_LOOPS_INL
#undef ATOLL_ARRAY_KERNEL_OPS_LOOPS_INL
#else
#define ATOLL_ARRAY_KERNEL_OPS_LOOPS_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernel/ops/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

template <class F, class R, class A>
HWY_ATTR void unary_loop(void* out, const void* a, const void*, const void*, std::size_t n, Outcome&) {
  R* result = static_cast<R*>(out);
  const A* x = static_cast<const A*>(a);
  n &= ~(kernel_multiple - 1);  // tells the compiler that no tail is needed
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) result[i] = F::call(x[i]);
}

template <class F, class R, class A, class B>
HWY_ATTR void binary_loop(void* out, const void* a, const void* b, const void*, std::size_t n, Outcome&) {
  R* result = static_cast<R*>(out);
  const A* x = static_cast<const A*>(a);
  const B* y = static_cast<const B*>(b);
  n &= ~(kernel_multiple - 1);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) result[i] = F::call(x[i], y[i]);
}

/// The unsigned integer of T's size: arithmetic that wraps (also for bool: one byte, 0 or 1).
template <class T>
using Unsigned =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
/// What arithmetic without a sign is done in: floats themselves, integers as unsigned.
template <class T>
using Wrapping = std::conditional_t<std::is_floating_point_v<T>, T, Unsigned<T>>;
/// bool is read as a byte.
template <class T>
using Plain = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// #define a functor: ATOLL_UNARY(Negate, -x)
#define ATOLL_UNARY(Name, ...) \
  template <class T> \
  struct Name { \
    static HWY_INLINE HWY_ATTR auto call(T x) { return __VA_ARGS__; } \
  };
#define ATOLL_BINARY(Name, ...) \
  template <class T> \
  struct Name { \
    static HWY_INLINE HWY_ATTR auto call(T x, T y) { return __VA_ARGS__; } \
  };

// A family is a list of rows, X(name, operands, loop dtypes, result, loop): all that an operation is but for its
// functor, in one line. `loop` is an expression of the element type: `Type`, or `T` (bool as a byte), `U` (the unsigned
// integer of its size), `W` (what arithmetic without a sign is done in). Append rows: their number is the operation's
// code.
#define ATOLL_ROW_NUMBER(name, operands, kinds, result, ...) row_##name,
#define ATOLL_ROW_INFO(name, operands, kinds, result, ...) \
  OpInfo{static_cast<Op>(first + row_##name), #name, operands, kinds, ResultRule::result},
#define ATOLL_ROW_LOOP(name, operands, kinds, result, ...) \
  case row_##name: \
    if constexpr (loops_over<Type>(kinds)) return __VA_ARGS__; \
    else return nullptr;

// For each SIMD level, inside its namespace.
#define ATOLL_FAMILY_LOOPS(family, ROWS) \
  namespace { \
  enum Row : unsigned { ROWS(ATOLL_ROW_NUMBER) }; \
  } \
  ElementKernel family##_loop(unsigned row, DType type) { \
    return dispatch(type, [row](auto t) -> ElementKernel { \
      using Type = typename decltype(t)::type; \
      using T [[maybe_unused]] = Plain<Type>; \
      using U [[maybe_unused]] = Unsigned<T>; \
      using W [[maybe_unused]] = Wrapping<T>; \
      switch (row) { \
        ROWS(ATOLL_ROW_LOOP) \
        default: return nullptr; \
      } \
    }); \
  }
// Once, in atl::array.
#define ATOLL_FAMILY_TABLE(family, ROWS) \
  HWY_EXPORT(family##_loop); \
  namespace { \
  enum Row : unsigned { ROWS(ATOLL_ROW_NUMBER) row_count }; \
  static_assert(row_count <= op_family_size); \
  constexpr unsigned first = static_cast<unsigned>(OpFamily::family) * op_family_size; \
  constexpr OpInfo rows[] = {ROWS(ATOLL_ROW_INFO)}; \
  ElementKernel find(unsigned row, DType type) { return HWY_DYNAMIC_DISPATCH(family##_loop)(row, type); } \
  } \
  constinit const Family family##_ops{rows, find};

#endif  // per-target include guard
