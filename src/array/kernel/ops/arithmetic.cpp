// SPDX-License-Identifier: Apache-2.0
// add, subtract, multiply, divide, and what has the same shape.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/arithmetic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

ATOLL_BINARY(Add, static_cast<T>(x + y))
ATOLL_BINARY(Subtract, static_cast<T>(x - y))
ATOLL_BINARY(And, static_cast<T>(x & y))
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

}  // namespace

ElementKernel find_arithmetic_kernel(Op op, DType type) {
  if (type == DType::b1) {
    switch (op) {
      case Op::add: return binary<Or, std::uint8_t>;
      case Op::multiply: return binary<And, std::uint8_t>;
      case Op::positive:
      case Op::absolute:
      case Op::square: return unary<Copy, std::uint8_t>;
      default: return nullptr;
    }
  }
  return dispatch(type, [op](auto t) -> ElementKernel {
    using T = typename decltype(t)::type;
    using W = Wrapping<T>;
    if constexpr (!std::is_same_v<T, bool>) {
      switch (op) {
        case Op::add: return binary<Add, W>;
        case Op::subtract: return binary<Subtract, W>;
        case Op::multiply: return binary<Multiply, W>;
        case Op::negative: return unary<Negative, W>;
        case Op::positive: return unary<Copy, Unsigned<T>>;
        case Op::absolute: return unary<Absolute, T>;
        case Op::sign: return unary<Sign, T>;
        case Op::square: return unary<Square, W>;
        case Op::reciprocal: return unary<Reciprocal, T>;
        case Op::divide:
          if constexpr (std::is_floating_point_v<T>) return binary<Divide, T>;
          return nullptr;
        default: return nullptr;
      }
    }
    return nullptr;
  });
}

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

HWY_EXPORT(find_arithmetic_kernel);
ElementKernel find_arithmetic(Op op, DType type) { return HWY_DYNAMIC_DISPATCH(find_arithmetic_kernel)(op, type); }

HWY_EXPORT(stream_copy_kernel);
void stream_copy(void* dst, const void* src, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_copy_kernel)(dst, src, bytes);
}
void stream_fence() { hwy::FlushStream(); }

}  // namespace atl::array
#endif
