// SPDX-License-Identifier: Apache-2.0
// Logarithm, sine and cosine for random numbers: branch-free, some 1e-15 relative, and the same bits everywhere.
// Private to the random kernels.
#pragma once

#include <bit>
#include <cstdint>

namespace atl::array {

#define ATOLL_FORCE_INLINE inline __attribute__((always_inline))

/// 53 random bits as a double in [0, 1): like to_unit_interval, by signed conversion, which AVX2 can emulate.
ATOLL_FORCE_INLINE double unit_double(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1.0p-53;
}

/// ln(x) for normal x > 0: x = 2^e * m with m in [sqrt(1/2), sqrt(2)), and ln(m) = 2 atanh((m - 1) / (m + 1)).
ATOLL_FORCE_INLINE double natural_log(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  // Subtracting the bits of sqrt(1/2) makes the exponent field count from there.
  std::uint64_t shifted = bits - 0x3FE6A09E667F3BCDull;
  auto exponent = static_cast<std::int64_t>(shifted) >> 52;
  double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  // Small integers to double by the mantissa of 2^52 + 2^51: a conversion that all levels have.
  double e = std::bit_cast<double>(static_cast<std::uint64_t>(exponent) + 0x4338000000000000ull) - 0x1.8p52;
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s;  // below 0.0295: twelve terms of the series leave 1e-19
  double p = 1.0 / 23.0;
  p = p * z + 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  return e * 0x1.62e42fefa39efp-1 + (2.0 * s + 2.0 * s * (z * p));
}

/// Sine and cosine of `turn` full turns, 0 <= turn < 1.
ATOLL_FORCE_INLINE void sine_cosine_turn(double turn, double& sine, double& cosine) {
  // Quarter turns to the nearest, then a remainder in [-1/8, 1/8] turns.
  double scaled = turn * 4.0;
  double quarter = (scaled + 0x1.8p52) - 0x1.8p52;
  auto quadrant = std::bit_cast<std::uint64_t>(scaled + 0x1.8p52) & 3;
  double x = (scaled - quarter) * 0x1.921fb54442d18p+0;  // times pi / 2
  double z = x * x;                                      // at most 0.617
  double s = -1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  s = x + x * (z * s);
  double c = 1.0 / 20922789888000.0;
  c = c * z - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  c = c * z - 0.5;
  c = 1.0 + z * c;
  bool swap = (quadrant & 1) != 0;
  double a = swap ? c : s, b = swap ? s : c;
  // Signs by quadrant: sine + + - -, cosine + - - +.
  sine = std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) ^ (quadrant & 2) << 62);
  cosine = std::bit_cast<double>(std::bit_cast<std::uint64_t>(b) ^ ((quadrant + 1) & 2) << 62);
}

}  // namespace atl::array
