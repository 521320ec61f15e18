// SPDX-License-Identifier: Apache-2.0
// where, maximum, minimum and their forms that skip NaN.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/select.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

template <class T>
HWY_ATTR void where_loop(void* out, const void* a, const void* b, const void* c, std::size_t n, Outcome&) {
  T* result = static_cast<T*>(out);
  const std::uint8_t* condition = static_cast<const std::uint8_t*>(a);
  const T* x = static_cast<const T*>(b);
  const T* y = static_cast<const T*>(c);
  n &= ~(kernel_multiple - 1);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const T yes = x[i], no = y[i];  // both read, so that the choice is a blend
    result[i] = condition[i] ? yes : no;
  }
}
// NaN wins in maximum and minimum and loses in fmax and fmin; of two, the first.
ATOLL_BINARY(Maximum, (x >= y) | (x != x) ? x : y)
ATOLL_BINARY(Minimum, (x <= y) | (x != x) ? x : y)
ATOLL_BINARY(Fmax, (x >= y) | (y != y) ? x : y)
ATOLL_BINARY(Fmin, (x <= y) | (y != y) ? x : y)

template <template <class> class F, class T>
constexpr ElementKernel binary = &binary_loop<F<T>, T, T, T>;

#define ATOLL_SELECT_OPS(X) \
  X(where, 3, BIUF, same, &where_loop<U>) \
  X(maximum, 2, BIUF, same, binary<Maximum, T>) \
  X(minimum, 2, BIUF, same, binary<Minimum, T>) \
  X(fmax, 2, BIUF, same, binary<Fmax, T>) \
  X(fmin, 2, BIUF, same, binary<Fmin, T>)

}  // namespace

ATOLL_FAMILY_LOOPS(select, ATOLL_SELECT_OPS)

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(select, ATOLL_SELECT_OPS)

}  // namespace atl::array
#endif
