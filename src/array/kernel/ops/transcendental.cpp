// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms, trigonometry and powers, by glibc's vector mathematics library (at most 4 ulp).
//
// Its functions are called with whole vectors of the SIMD level at hand, through their vector ABI names (N2, N4, N8
// lanes of double), so that an element's bits do not depend on where it lies. Without that library, scalar libm.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/transcendental.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

#if defined(__x86_64__) && defined(__GLIBC__)
#define ATOLL_HAS_LIBMVEC 1
#else
#define ATOLL_HAS_LIBMVEC 0
#endif

#undef ATOLL_MVEC_BYTES
#undef ATOLL_MVEC_NAME
#if HWY_TARGET == HWY_AVX3
#define ATOLL_MVEC_BYTES 64
#define ATOLL_MVEC_NAME(lanes, arguments, name) ATOLL_MVEC_JOIN(_ZGVeN, lanes, arguments, name)
#elif HWY_TARGET == HWY_AVX2
#define ATOLL_MVEC_BYTES 32
#define ATOLL_MVEC_NAME(lanes, arguments, name) ATOLL_MVEC_JOIN(_ZGVdN, lanes, arguments, name)
#else
#define ATOLL_MVEC_BYTES 16
#define ATOLL_MVEC_NAME(lanes, arguments, name) ATOLL_MVEC_JOIN(_ZGVbN, lanes, arguments, name)
#endif
#ifndef ATOLL_MVEC_JOIN
#define ATOLL_MVEC_JOIN(prefix, lanes, arguments, name) ATOLL_MVEC_JOIN2(prefix, lanes, arguments, name)
#define ATOLL_MVEC_JOIN2(prefix, lanes, arguments, name) prefix##lanes##arguments##_##name
#endif
#undef ATOLL_MVEC_F64
#undef ATOLL_MVEC_F32
#if ATOLL_MVEC_BYTES == 64
#define ATOLL_MVEC_F64 8
#define ATOLL_MVEC_F32 16
#elif ATOLL_MVEC_BYTES == 32
#define ATOLL_MVEC_F64 4
#define ATOLL_MVEC_F32 8
#else
#define ATOLL_MVEC_F64 2
#define ATOLL_MVEC_F32 4
#endif

// VectorFunction<T>: T by T, whole vectors of it.
template <class T>
struct Lanes;
template <>
struct Lanes<double> {
  typedef double type __attribute__((vector_size(ATOLL_MVEC_BYTES)));
  typedef double unaligned __attribute__((vector_size(ATOLL_MVEC_BYTES), aligned(8), may_alias));
};
template <>
struct Lanes<float> {
  typedef float type __attribute__((vector_size(ATOLL_MVEC_BYTES)));
  typedef float unaligned __attribute__((vector_size(ATOLL_MVEC_BYTES), aligned(4), may_alias));
};
using VectorD = Lanes<double>::type;
using VectorF = Lanes<float>::type;

template <class F, class T>
HWY_ATTR void vector_unary(void* out, const void* a, const void*, const void*, std::size_t n, Outcome&) {
  constexpr std::size_t lanes = ATOLL_MVEC_BYTES / sizeof(T);
  for (std::size_t i = 0; i < n; i += lanes) {
    const typename Lanes<T>::type x =
        *reinterpret_cast<const typename Lanes<T>::unaligned*>(static_cast<const T*>(a) + i);
    *reinterpret_cast<typename Lanes<T>::unaligned*>(static_cast<T*>(out) + i) = F::call(x);
  }
}
template <class F, class T>
HWY_ATTR void vector_binary(void* out, const void* a, const void* b, const void*, std::size_t n, Outcome&) {
  constexpr std::size_t lanes = ATOLL_MVEC_BYTES / sizeof(T);
  for (std::size_t i = 0; i < n; i += lanes) {
    const typename Lanes<T>::type x =
        *reinterpret_cast<const typename Lanes<T>::unaligned*>(static_cast<const T*>(a) + i);
    const typename Lanes<T>::type y =
        *reinterpret_cast<const typename Lanes<T>::unaligned*>(static_cast<const T*>(b) + i);
    *reinterpret_cast<typename Lanes<T>::unaligned*>(static_cast<T*>(out) + i) = F::call(x, y);
  }
}

#if ATOLL_HAS_LIBMVEC
// Name(double form, float form): the library's function for each type.
#define ATOLL_MVEC_UNARY(Name, name) \
  extern "C" HWY_ATTR VectorD ATOLL_MVEC_NAME(ATOLL_MVEC_F64, v, name)(VectorD); \
  extern "C" HWY_ATTR VectorF ATOLL_MVEC_NAME(ATOLL_MVEC_F32, v, name##f)(VectorF); \
  struct Name { \
    static HWY_INLINE HWY_ATTR VectorD call(VectorD x) { return ATOLL_MVEC_NAME(ATOLL_MVEC_F64, v, name)(x); } \
    static HWY_INLINE HWY_ATTR VectorF call(VectorF x) { return ATOLL_MVEC_NAME(ATOLL_MVEC_F32, v, name##f)(x); } \
  };
#define ATOLL_MVEC_BINARY(Name, name) \
  extern "C" HWY_ATTR VectorD ATOLL_MVEC_NAME(ATOLL_MVEC_F64, vv, name)(VectorD, VectorD); \
  extern "C" HWY_ATTR VectorF ATOLL_MVEC_NAME(ATOLL_MVEC_F32, vv, name##f)(VectorF, VectorF); \
  struct Name { \
    static HWY_INLINE HWY_ATTR VectorD call(VectorD x, VectorD y) { \
      return ATOLL_MVEC_NAME(ATOLL_MVEC_F64, vv, name)(x, y); \
    } \
    static HWY_INLINE HWY_ATTR VectorF call(VectorF x, VectorF y) { \
      return ATOLL_MVEC_NAME(ATOLL_MVEC_F32, vv, name##f)(x, y); \
    } \
  };
#else
#define ATOLL_MVEC_UNARY(Name, name) \
  struct Name { \
    template <class V> \
    static HWY_INLINE HWY_ATTR V call(V x) { \
      for (std::size_t i = 0; i < sizeof(V) / sizeof(x[0]); ++i) \
        x[i] = sizeof(x[0]) == 8 ? __builtin_##name(x[i]) : __builtin_##name##f(x[i]); \
      return x; \
    } \
  };
#define ATOLL_MVEC_BINARY(Name, name) \
  struct Name { \
    template <class V> \
    static HWY_INLINE HWY_ATTR V call(V x, V y) { \
      for (std::size_t i = 0; i < sizeof(V) / sizeof(x[0]); ++i) \
        x[i] = sizeof(x[0]) == 8 ? __builtin_##name(x[i], y[i]) : __builtin_##name##f(x[i], y[i]); \
      return x; \
    } \
  };
#endif

ATOLL_MVEC_UNARY(Cbrt, cbrt)
ATOLL_MVEC_UNARY(Exp, exp)
ATOLL_MVEC_UNARY(Exp2, exp2)
ATOLL_MVEC_UNARY(Expm1, expm1)
ATOLL_MVEC_UNARY(Log, log)
ATOLL_MVEC_UNARY(Log2, log2)
ATOLL_MVEC_UNARY(Log10, log10)
ATOLL_MVEC_UNARY(Log1p, log1p)
ATOLL_MVEC_UNARY(Sin, sin)
ATOLL_MVEC_UNARY(Cos, cos)
ATOLL_MVEC_UNARY(Tan, tan)
ATOLL_MVEC_UNARY(Arcsin, asin)
ATOLL_MVEC_UNARY(Arccos, acos)
ATOLL_MVEC_UNARY(Arctan, atan)
ATOLL_MVEC_UNARY(Sinh, sinh)
ATOLL_MVEC_UNARY(Cosh, cosh)
ATOLL_MVEC_UNARY(Tanh, tanh)
ATOLL_MVEC_UNARY(Arcsinh, asinh)
ATOLL_MVEC_UNARY(Arccosh, acosh)
ATOLL_MVEC_UNARY(Arctanh, atanh)
ATOLL_MVEC_BINARY(Power, pow)
ATOLL_MVEC_BINARY(Arctan2, atan2)
ATOLL_MVEC_BINARY(Hypot, hypot)

/// log(exp(x) + exp(y)) with the greater factored out; equal arguments (infinities too) add log 2.
struct Logaddexp {
  template <class V>
  static HWY_INLINE HWY_ATTR V call(V x, V y) {
    const V greater = x > y ? x : y;
    const V distance = x > y ? x - y : y - x;
    const V result = greater + Log1p::call(Exp::call(-distance));
    return x == y ? x + V{} + decltype(x[0] + x[0])(0.693147180559945309417232121458176568L) : result;
  }
};
struct Logaddexp2 {
  template <class V>
  static HWY_INLINE HWY_ATTR V call(V x, V y) {
    using T = decltype(x[0] + x[0]);
    const V greater = x > y ? x : y;
    const V distance = x > y ? x - y : y - x;
    const V result = greater + T(1.44269504088896340735992468100189214L) * Log1p::call(Exp2::call(-distance));
    return x == y ? x + T(1) : result;
  }
};
/// sin(pi x) / (pi x), 1 at 0.
struct Sinc {
  template <class V>
  static HWY_INLINE HWY_ATTR V call(V x) {
    using T = decltype(x[0] + x[0]);
    const V angle = T(3.141592653589793238462643383279502884L) * x;
    const V result = Sin::call(angle) / angle;
    return angle == T(0) ? V{} + T(1) : result;
  }
};

#define ATOLL_TRANSCENDENTAL_OPS(X) \
  X(cbrt, 1, F, same, &vector_unary<Cbrt, T>) \
  X(exp, 1, F, same, &vector_unary<Exp, T>) \
  X(exp2, 1, F, same, &vector_unary<Exp2, T>) \
  X(expm1, 1, F, same, &vector_unary<Expm1, T>) \
  X(log, 1, F, same, &vector_unary<Log, T>) \
  X(log2, 1, F, same, &vector_unary<Log2, T>) \
  X(log10, 1, F, same, &vector_unary<Log10, T>) \
  X(log1p, 1, F, same, &vector_unary<Log1p, T>) \
  X(sin, 1, F, same, &vector_unary<Sin, T>) \
  X(cos, 1, F, same, &vector_unary<Cos, T>) \
  X(tan, 1, F, same, &vector_unary<Tan, T>) \
  X(arcsin, 1, F, same, &vector_unary<Arcsin, T>) \
  X(arccos, 1, F, same, &vector_unary<Arccos, T>) \
  X(arctan, 1, F, same, &vector_unary<Arctan, T>) \
  X(sinh, 1, F, same, &vector_unary<Sinh, T>) \
  X(cosh, 1, F, same, &vector_unary<Cosh, T>) \
  X(tanh, 1, F, same, &vector_unary<Tanh, T>) \
  X(arcsinh, 1, F, same, &vector_unary<Arcsinh, T>) \
  X(arccosh, 1, F, same, &vector_unary<Arccosh, T>) \
  X(arctanh, 1, F, same, &vector_unary<Arctanh, T>) \
  X(arctan2, 2, F, same, &vector_binary<Arctan2, T>) \
  X(hypot, 2, F, same, &vector_binary<Hypot, T>) \
  X(logaddexp, 2, F, same, &vector_binary<Logaddexp, T>) \
  X(logaddexp2, 2, F, same, &vector_binary<Logaddexp2, T>) \
  X(sinc, 1, F, same, &vector_unary<Sinc, T>)

}  // namespace

ElementKernel float_power_loop(DType type) {
  return type == DType::f64 ? &vector_binary<Power, double> : &vector_binary<Power, float>;
}
ATOLL_FAMILY_LOOPS(transcendental, ATOLL_TRANSCENDENTAL_OPS)

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(transcendental, ATOLL_TRANSCENDENTAL_OPS)

HWY_EXPORT(float_power_loop);
ElementKernel find_float_power(DType type) { return HWY_DYNAMIC_DISPATCH(float_power_loop)(type); }

}  // namespace atl::array
#endif
