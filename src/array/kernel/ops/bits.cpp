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

ATOLL_BINARY(And, static_cast<T>(x& y))
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

// The last two make numbers of random bits: (bits >> 11) * 2^-53, and the high word of a 128-bit product.
#define ATOLL_BITS_OPS(X) \
  X(bitwise_and, 2, BIU, same, binary<And, U>) \
  X(bitwise_or, 2, BIU, same, binary<Or, U>) \
  X(bitwise_xor, 2, BIU, same, binary<Xor, U>) \
  X(invert, 1, BIU, same, std::is_same_v<Type, bool> ? unary<Not, std::uint8_t> : unary<Invert, U>) \
  X(left_shift, 2, IU, same, binary<ShiftLeft, T>) \
  X(right_shift, 2, IU, same, binary<ShiftRight, T>) \
  X(bitwise_count, 1, IU, byte, &unary_loop<BitCount<T>, std::uint8_t, T>) \
  X(unit_interval, 1, U64, real, &unary_loop<UnitInterval<T>, double, T>) \
  X(multiply_high, 2, U64, same, binary<MultiplyHigh, T>)

}  // namespace

ATOLL_FAMILY_LOOPS(bits, ATOLL_BITS_OPS)

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

ATOLL_FAMILY_TABLE(bits, ATOLL_BITS_OPS)

}  // namespace atl::array
#endif
