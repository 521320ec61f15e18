// SPDX-License-Identifier: Apache-2.0
// Number types that C++ has no portable type for: half and quadruple precision, 16-byte integers.
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

namespace atl::mpi::op {

__extension__ using Integer16 = __int128;
#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ using Quad = __float128;
#endif

/// IEEE binary16. Arithmetic is in float, rounded to nearest even.
class Half {
 public:
  Half() = default;
  explicit Half(float value) : bits_(pack(value)) {}
  operator float() const { return unpack(bits_); }

 private:
  static float unpack(std::uint16_t bits) {
    std::uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    float small = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -small : small;
  }
  static std::uint16_t pack(float value) {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(value), sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (rest >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (rest < 0x38800000u) {
      // Below the smallest normal: adding 0.5 lets the addition round to multiples of 2^-24.
      float shifted = std::bit_cast<float>(rest) + 0.5f;
      return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
    }
    std::uint32_t rounded = rest + 0xfffu + ((rest >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  std::uint16_t bits_ = 0;
};

/// A complex number with parts of type T.
template <class T>
struct ComplexOf {
  T real, imag;
};

}  // namespace atl::mpi::op
