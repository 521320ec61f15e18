// SPDX-License-Identifier: Apache-2.0
#include "kernel/random/draws.hpp"

#include <algorithm>
#include <numbers>

namespace atl::array {

double log_gamma(double x) {
  if (x == 1.0 || x == 2.0) return 0.0;
  double shifted = x, product = 1.0;
  while (shifted < 7.0) {
    product *= shifted;
    shifted += 1.0;
  }
  const double half_log_two_pi = 0.91893853320467274178;
  const double value = (shifted - 0.5) * natural_log(shifted) - shifted + half_log_two_pi + stirling_rest(shifted);
  return value - natural_log(product);
}

double arc_cosine(double x) {
  // The angle whose tangent is y / x, y >= 0: halved three times, then below 0.42, where the series needs few terms.
  const double y = std::sqrt(std::max(0.0, (1.0 - x) * (1.0 + x)));
  const double across = std::abs(x);
  const bool steep = y > across;
  double t = steep ? across / y : (across > 0.0 ? y / across : 0.0);
  for (int halved = 0; halved < 3; ++halved) t = t / (1.0 + std::sqrt(1.0 + t * t));
  const double z = t * t;  // at most 0.0097
  double p = 1.0 / 17.0;
  for (double n : {15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0}) p = 1.0 / n - z * p;
  double angle = 8.0 * t * p;
  if (steep) angle = std::numbers::pi / 2.0 - angle;
  return x < 0.0 ? std::numbers::pi - angle : angle;
}

}  // namespace atl::array
