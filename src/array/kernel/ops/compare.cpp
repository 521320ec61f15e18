// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic and tests of values: results are bool.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

ATOLL_BINARY(Equal, static_cast<std::uint8_t>(x == y))
ATOLL_BINARY(NotEqual, static_cast<std::uint8_t>(x != y))
ATOLL_BINARY(Less, static_cast<std::uint8_t>(x < y))
ATOLL_BINARY(LessEqual, static_cast<std::uint8_t>(x <= y))
ATOLL_BINARY(Greater, static_cast<std::uint8_t>(x > y))
ATOLL_BINARY(GreaterEqual, static_cast<std::uint8_t>(x >= y))
ATOLL_BINARY(LogicalAnd, static_cast<std::uint8_t>((x != 0) & (y != 0)))
ATOLL_BINARY(LogicalOr, static_cast<std::uint8_t>((x != 0) | (y != 0)))
ATOLL_BINARY(LogicalXor, static_cast<std::uint8_t>((x != 0) ^ (y != 0)))
ATOLL_UNARY(LogicalNot, static_cast<std::uint8_t>(x == 0))
ATOLL_UNARY(Never, static_cast<std::uint8_t>(x & 0))
ATOLL_UNARY(Always, static_cast<std::uint8_t>((x & 0) | 1))
ATOLL_UNARY(Negative, static_cast<std::uint8_t>(x < 0))
// Floats are tested by their bits: no compiler option can then assume the special values away. U is uint32 or uint64.
template <class U>
inline constexpr U infinity_bits = sizeof(U) == 4 ? U(0x7F800000u) : U(0x7FF0000000000000ull);
template <class U>
inline constexpr U magnitude_mask = static_cast<U>(~U(0)) >> 1;
ATOLL_UNARY(IsNan, static_cast<std::uint8_t>((x & magnitude_mask<T>) > infinity_bits<T>))
ATOLL_UNARY(IsInf, static_cast<std::uint8_t>((x & magnitude_mask<T>) == infinity_bits<T>))
ATOLL_UNARY(IsFinite, static_cast<std::uint8_t>((x & magnitude_mask<T>) < infinity_bits<T>))
ATOLL_UNARY(SignBit, static_cast<std::uint8_t>(x >> (sizeof(T) * 8 - 1)))

template <template <class> class F, class T>
constexpr ElementKernel unary = &unary_loop<F<T>, std::uint8_t, T>;
template <template <class> class F, class T>
constexpr ElementKernel binary = &binary_loop<F<T>, std::uint8_t, T, T>;
// Of floats by their bits; integers have no special values.
template <template <class> class OfFloat, template <class> class OfInteger, class T>
constexpr ElementKernel special = [] {
  if constexpr (std::is_floating_point_v<T>) return unary<OfFloat, Unsigned<T>>;
  else return unary<OfInteger, Unsigned<T>>;
}();
template <class T>
constexpr ElementKernel sign_bit = [] {
  if constexpr (std::is_floating_point_v<T>) return unary<SignBit, Unsigned<T>>;
  else if constexpr (std::is_signed_v<T>) return unary<Negative, T>;
  else return unary<Never, T>;
}();

#define ATOLL_COMPARE_OPS(X) \
  X(equal, 2, BIUF, boolean, binary<Equal, W>) \
  X(not_equal, 2, BIUF, boolean, binary<NotEqual, W>) \
  X(less, 2, BIUF, boolean, binary<Less, T>) \
  X(less_equal, 2, BIUF, boolean, binary<LessEqual, T>) \
  X(greater, 2, BIUF, boolean, binary<Greater, T>) \
  X(greater_equal, 2, BIUF, boolean, binary<GreaterEqual, T>) \
  X(logical_and, 2, BIUF, boolean, binary<LogicalAnd, W>) \
  X(logical_or, 2, BIUF, boolean, binary<LogicalOr, W>) \
  X(logical_xor, 2, BIUF, boolean, binary<LogicalXor, W>) \
  X(logical_not, 1, BIUF, boolean, unary<LogicalNot, W>) \
  X(isnan, 1, BIUF, boolean, special<IsNan, Never, T>) \
  X(isinf, 1, BIUF, boolean, special<IsInf, Never, T>) \
  X(isfinite, 1, BIUF, boolean, special<IsFinite, Always, T>) \
  X(signbit, 1, BIUF, boolean, sign_bit<T>)

}  // namespace

ATOLL_FAMILY_LOOPS(compare, ATOLL_COMPARE_OPS)

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(compare, ATOLL_COMPARE_OPS)

}  // namespace atl::array
#endif
