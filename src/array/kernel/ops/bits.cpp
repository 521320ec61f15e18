// SPDX-License-Identifier: Apache-2.0
// Bitwise operations, shifts, and random bits to numbers.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/ops/bits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernel/ops/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

ATOLL_BINARY(And, static_cast<T>(x & y))
ATOLL_BINARY(Or, static_cast<T>(x | y))
ATOLL_BINARY(Xor, static_cast<T>(x ^ y))
ATOLL_UNARY(Invert, static_cast<T>(~x))
ATOLL_UNARY(Not, static_cast<T>(x ^ 1))
ATOLL_UNARY(Population, static_cast<std::uint8_t>(__builtin_popcountll(x)))
ATOLL_UNARY(UnitInterval, static_cast<double>(static_cast<std::int64_t>(x >> 11)) * 0x1.0p-53)
ATOLL_BINARY(MultiplyHigh, static_cast<T>((static_cast<unsigned __int128>(x) * y) >> 64))

// As NumPy: a shift by the width or more (or by a negative amount) leaves only the sign.
template <class T>
struct ShiftLeft {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    using U = Unsigned<T>;
    constexpr U width = sizeof(T) * 8;
    const U amount = static_cast<U>(y);
    const U shifted = static_cast<U>(static_cast<U>(x) << (amount & (width - 1)));
    return static_cast<T>(amount < width ? shifted : U(0));
  }
};
template <class T>
struct ShiftRight {
  static HWY_INLINE HWY_ATTR T call(T x, T y) {
    using U = Unsigned<T>;
    constexpr U width = sizeof(T) * 8;
    const U amount = static_cast<U>(y);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(x >> (amount < width ? amount : static_cast<U>(width - 1)));
    } else {
      const T shifted = static_cast<T>(x >> (amount & (width - 1)));
      return amount < width ? shifted : T(0);
    }
  }
};
// Counts the magnitude's bits, as NumPy does for negative numbers.
template <class T>
struct BitCount {
  static HWY_INLINE HWY_ATTR std::uint8_t call(T x) {
    using U = Unsigned<T>;
    const U u = static_cast<U>(x);
    if constexpr (std::is_signed_v<T>) return Population<U>::call(static_cast<U>(x < 0 ? static_cast<U>(0 - u) : u));
    else return Population<U>::call(u);
  }
};

template <template <class> class F, class T>
constexpr ElementKernel unary = &unary_loop<F<T>, T, T>;
template <template <class> class F, class T>
constexpr ElementKernel binary = &binary_loop<F<T>, T, T, T>;

}  // namespace

ElementKernel find_bits_kernel(Op op, DType type) {
  if (is_float(type)) return nullptr;
  if (type == DType::u64) {
    if (op == Op::unit_interval) return &unary_loop<UnitInterval<std::uint64_t>, double, std::uint64_t>;
    if (op == Op::multiply_high) return binary<MultiplyHigh, std::uint64_t>;
  }
  if (type == DType::b1 && op == Op::invert) return unary<Not, std::uint8_t>;
  return dispatch(type, [op](auto t) -> ElementKernel {
    using T = typename decltype(t)::type;
    if constexpr (!std::is_floating_point_v<T>) {
      using U = Unsigned<T>;
      switch (op) {
        case Op::bitwise_and: return binary<And, U>;
        case Op::bitwise_or: return binary<Or, U>;
        case Op::bitwise_xor: return binary<Xor, U>;
        case Op::invert: return unary<Invert, U>;
        default: break;
      }
      if constexpr (!std::is_same_v<T, bool>) {
        switch (op) {
          case Op::left_shift: return binary<ShiftLeft, T>;
          case Op::right_shift: return binary<ShiftRight, T>;
          case Op::bitwise_count: return &unary_loop<BitCount<T>, std::uint8_t, T>;
          default: break;
        }
      }
    }
    return nullptr;
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_bits_kernel);
ElementKernel find_bits(Op op, DType type) { return HWY_DYNAMIC_DISPATCH(find_bits_kernel)(op, type); }

}  // namespace atl::array
#endif
