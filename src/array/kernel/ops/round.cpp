// SPDX-License-Identifier: Apache-2.0
// Rounding, roots and operations on the parts of a float.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/round.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

#define ATOLL_BUILTIN(name) \
  (sizeof(T) == 8 ? static_cast<T>(__builtin_##name(x)) : static_cast<T>(__builtin_##name##f(x)))
ATOLL_UNARY(Rint, ATOLL_BUILTIN(rint))
ATOLL_UNARY(Floor, ATOLL_BUILTIN(floor))
ATOLL_UNARY(Ceil, ATOLL_BUILTIN(ceil))
ATOLL_UNARY(Trunc, ATOLL_BUILTIN(trunc))
ATOLL_UNARY(Sqrt, ATOLL_BUILTIN(sqrt))
#undef ATOLL_BUILTIN
ATOLL_UNARY(DegreesToRadians, x* static_cast<T>(3.141592653589793238462643383279502884L / 180.0L))
ATOLL_UNARY(RadiansToDegrees, x* static_cast<T>(180.0L / 3.141592653589793238462643383279502884L))
ATOLL_BINARY(Copysign, sizeof(T) == 8
                           ? static_cast<T>(__builtin_copysign(x, y))
                           : static_cast<T>(__builtin_copysignf(static_cast<float>(x), static_cast<float>(y))))
ATOLL_BINARY(Nextafter, sizeof(T) == 8
                            ? static_cast<T>(__builtin_nextafter(x, y))
                            : static_cast<T>(__builtin_nextafterf(static_cast<float>(x), static_cast<float>(y))))
template <class T>
struct Heaviside {
  static HWY_INLINE HWY_ATTR T call(T x, T at_zero) {
    T r = x < T(0) ? T(0) : T(1);
    r = x == T(0) ? at_zero : r;
    return x != x ? x : r;
  }
};
template <class T>
struct Ldexp {
  static HWY_INLINE HWY_ATTR T call(T x, std::int32_t exponent) {
    if constexpr (sizeof(T) == 8) return __builtin_ldexp(x, exponent);
    else return __builtin_ldexpf(x, exponent);
  }
};

template <template <class> class F, class T>
constexpr ElementKernel unary = &unary_loop<F<T>, T, T>;
template <template <class> class F, class T>
constexpr ElementKernel binary = &binary_loop<F<T>, T, T, T>;

#define ATOLL_ROUND_OPS(X) \
  X(rint, 1, F, same, unary<Rint, T>) \
  X(floor, 1, F, same, unary<Floor, T>) \
  X(ceil, 1, F, same, unary<Ceil, T>) \
  X(trunc, 1, F, same, unary<Trunc, T>) \
  X(sqrt, 1, F, same, unary<Sqrt, T>) \
  X(deg2rad, 1, F, same, unary<DegreesToRadians, T>) \
  X(rad2deg, 1, F, same, unary<RadiansToDegrees, T>) \
  X(copysign, 2, F, same, binary<Copysign, T>) \
  X(nextafter, 2, F, same, binary<Nextafter, T>) \
  X(heaviside, 2, F, same, binary<Heaviside, T>) \
  X(ldexp, 2, F, same, &binary_loop<Ldexp<T>, T, T, std::int32_t>)

}  // namespace

ATOLL_FAMILY_LOOPS(round, ATOLL_ROUND_OPS)

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(round, ATOLL_ROUND_OPS)

}  // namespace atl::array
#endif
