// SPDX-License-Identifier: Apache-2.0
// add, subtract, multiply, divide, and what has the same shape.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/arithmetic.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

ATOLL_BINARY(Add, static_cast<T>(x + y))
ATOLL_BINARY(Subtract, static_cast<T>(x - y))
ATOLL_BINARY(Or, static_cast<T>(x | y))
ATOLL_BINARY(Divide, x / y)
ATOLL_UNARY(Copy, x)
template <class T>
struct Multiply {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    // uint16 would be promoted to int, whose product may overflow.
    if constexpr (sizeof(T) < 4) return static_cast<T>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
    else return x * y;
  }
};
template <class T>
struct Square {
  static HWY_INLINE HWY_ATTR T call(T x) { return Multiply<T>::call(x, x); }
};
template <class T>
struct Negative {
  static HWY_INLINE HWY_ATTR T call(T x) {
    if constexpr (std::is_floating_point_v<T>) return -x;
    else return static_cast<T>(0 - x);
  }
};
template <class T>
struct Absolute {
  static HWY_INLINE HWY_ATTR auto call(T x) {
    if constexpr (std::is_same_v<T, double>) return __builtin_fabs(x);
    else if constexpr (std::is_same_v<T, float>) return __builtin_fabsf(x);
    else if constexpr (std::is_signed_v<T>) {
      Unsigned<T> u = static_cast<Unsigned<T>>(x);
      return static_cast<T>(x < 0 ? static_cast<Unsigned<T>>(0 - u) : u);
    } else return x;
  }
};
template <class T>
struct Sign {
  static HWY_INLINE HWY_ATTR T call(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      T r = x > T(0) ? T(1) : T(0);
      r = x < T(0) ? T(-1) : r;
      return x != x ? x : r;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>((x > 0) - (x < 0));
    } else {
      return static_cast<T>(x != 0);
    }
  }
};
template <class T>
struct Reciprocal {
  static HWY_INLINE HWY_ATTR T call(T x) {
    if constexpr (std::is_floating_point_v<T>) return T(1) / x;
    else if constexpr (std::is_signed_v<T>) return static_cast<T>(x == 1 ? 1 : x == -1 ? -1 : 0);
    else return static_cast<T>(x == 1);
  }
};

template <template <class> class F, class T>
constexpr ElementKernel unary = &unary_loop<F<T>, T, T>;
template <template <class> class F, class T>
constexpr ElementKernel binary = &binary_loop<F<T>, T, T, T>;

#define ATOLL_ARITHMETIC_OPS(X) \
  X(add, 2, BIUF, same, std::is_same_v<Type, bool> ? binary<Or, std::uint8_t> : binary<Add, W>) \
  X(subtract, 2, IUF, same, binary<Subtract, W>) \
  X(multiply, 2, BIUF, same, binary<Multiply, W>) \
  X(divide, 2, F, same, binary<Divide, T>) \
  X(negative, 1, IUF, same, unary<Negative, W>) \
  X(positive, 1, BIUF, same, unary<Copy, U>) \
  X(absolute, 1, BIUF, same, unary<Absolute, T>) \
  X(sign, 1, IUF, same, unary<Sign, T>) \
  X(square, 1, BIUF, same, unary<Square, W>) \
  X(reciprocal, 1, IUF, same, unary<Reciprocal, T>)

}  // namespace

ATOLL_FAMILY_LOOPS(arithmetic, ATOLL_ARITHMETIC_OPS)

// Streaming stores lie here because they, too, are one instruction per vector.
HWY_ATTR void stream_copy_kernel(void* dst, const void* src, std::size_t bytes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  std::uint8_t* to = static_cast<std::uint8_t*>(dst);
  const std::uint8_t* from = static_cast<const std::uint8_t*>(src);
  for (std::size_t i = 0; i < bytes; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(arithmetic, ATOLL_ARITHMETIC_OPS)

HWY_EXPORT(stream_copy_kernel);
void stream_copy(void* dst, const void* src, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_copy_kernel)(dst, src, bytes);
}
void stream_fence() { hwy::FlushStream(); }

}  // namespace atl::array
#endif
