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

}  // namespace

ElementKernel find_compare_kernel(Op op, DType type) {
  return dispatch(type, [op](auto t) -> ElementKernel {
    using T = Plain<typename decltype(t)::type>;
    using U = Unsigned<T>;
    using W = Wrapping<T>;
    switch (op) {
      case Op::equal: return binary<Equal, W>;
      case Op::not_equal: return binary<NotEqual, W>;
      case Op::less: return binary<Less, T>;
      case Op::less_equal: return binary<LessEqual, T>;
      case Op::greater: return binary<Greater, T>;
      case Op::greater_equal: return binary<GreaterEqual, T>;
      case Op::logical_and: return binary<LogicalAnd, W>;
      case Op::logical_or: return binary<LogicalOr, W>;
      case Op::logical_xor: return binary<LogicalXor, W>;
      case Op::logical_not: return unary<LogicalNot, W>;
      default: break;
    }
    if constexpr (std::is_floating_point_v<T>) {
      switch (op) {
        case Op::isnan: return unary<IsNan, U>;
        case Op::isinf: return unary<IsInf, U>;
        case Op::isfinite: return unary<IsFinite, U>;
        case Op::signbit: return unary<SignBit, U>;
        default: return nullptr;
      }
    } else {
      switch (op) {
        case Op::isnan:
        case Op::isinf: return unary<Never, U>;
        case Op::isfinite: return unary<Always, U>;
        case Op::signbit:
          if constexpr (std::is_signed_v<T>) return unary<Negative, T>;
          else return unary<Never, U>;
        default: return nullptr;
      }
    }
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_compare_kernel);
ElementKernel find_compare(Op op, DType type) { return HWY_DYNAMIC_DISPATCH(find_compare_kernel)(op, type); }

}  // namespace atl::array
#endif
