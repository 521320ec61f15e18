// SPDX-License-Identifier: Apache-2.0
// What a random law draws for one element, and the functions it computes with: the same bits everywhere, one at a time.
// Private to the random kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "atoll/base/random.hpp"
#include "kernel/random/elementary.hpp"

namespace atl::array {

// exp(x), same bits everywhere, from the parts that natural_log uses the other way round.
inline double exponential(double x) {
  if (x < -745.0) return 0.0;
  if (x > 709.0) x = 709.0;
  double k = std::nearbyint(x * 0x1.71547652b82fep+0);
  double r = (x - k * 0x1.62e42fefa39efp-1) - k * 0x1.abc9e3b39803fp-56;
  double p = 1.0 / 6227020800.0;
  for (double factorial : {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0})
    p = p * r + 1.0 / factorial;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return std::ldexp(p, static_cast<int>(k));
}

// log1p(x) / x and expm1(x) / x, smooth through 0.
inline double log1p_over(double x) {
  return std::abs(x) > 1e-5 ? natural_log(1.0 + x) / x : 1.0 - x * (0.5 - x * (1.0 / 3.0 - 0.25 * x));
}
inline double expm1_over(double x) {
  return std::abs(x) > 1e-5 ? (exponential(x) - 1.0) / x : 1.0 + x * 0.5 * (1.0 + x * (1.0 / 3.0) * (1.0 + 0.25 * x));
}

inline double log_one_plus(double x) { return log1p_over(x) * x; }
inline double exponential_minus_one(double x) { return expm1_over(x) * x; }
inline double power(double base, double exponent) {
  return base > 0.0 ? exponential(natural_log(base) * exponent) : 0.0;
}

/// ln(gamma(x)) for x > 0, by Stirling's series from 7 on, some 1e-14.
double log_gamma(double x);
/// What Stirling's formula lacks of ln(gamma(x)), x >= 1.
inline double stirling_rest(double x) {
  const double z = 1.0 / (x * x);
  return (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0)))) / x;
}
/// The angle in [0, pi] whose cosine is x.
double arc_cosine(double x);

/// The numbers that one element may use, as many as it asks for: a stream of its own.
class Draws {
 public:
  Draws(std::uint64_t key, std::uint64_t counter) : key_(key), counter_(counter) {}

  std::uint64_t bits() {
    const std::uint64_t draw = number_++;
    return draw == 0 ? random_bits(key_, counter_) : random_bits(random_bits(key_ ^ draw, counter_), draw);
  }
  /// In [0, 1).
  double unit() { return to_unit_interval(bits()); }
  /// In (0, 1].
  double positive() { return 1.0 - unit(); }
  /// Mean 1.
  double exponential_law() { return -natural_log(positive()); }
  /// Mean 0, deviation 1.
  double normal() {
    const double radius = std::sqrt(2.0 * exponential_law());
    double sine, cosine;
    sine_cosine_turn(unit(), sine, cosine);
    return radius * cosine;
  }

 private:
  std::uint64_t key_, counter_, number_ = 0;
};

}  // namespace atl::array
