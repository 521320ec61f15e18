// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/random/laws.hpp"

namespace atl::array::laws {

// Marsaglia and Tsang 2000; below 1 by a gamma of one more, and a power.
double gamma(Draws& draws, double shape) {
  if (shape <= 0.0) return 0.0;
  if (shape == 1.0) return draws.exponential_law();
  if (shape < 1.0) {
    const double larger = gamma(draws, shape + 1.0);
    return larger * exponential(natural_log(draws.positive()) / shape);
  }
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = draws.normal(), root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root, u = draws.positive();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return d * v;
    if (natural_log(u) < 0.5 * x * x + d * (1.0 - v + natural_log(v))) return d * v;
  }
}

// Two gammas; where both parameters are at most 1 these could both be 0: Joehnk 1964.
double beta(Draws& draws, double a, double b) {
  if (a > 1.0 || b > 1.0) {
    const double x = gamma(draws, a), y = gamma(draws, b);
    return x / (x + y);
  }
  for (;;) {
    const double log_x = natural_log(draws.positive()) / a, log_y = natural_log(draws.positive()) / b;
    const double most = std::max(log_x, log_y);
    const double x = exponential(log_x), y = exponential(log_y);
    if (x + y > 1.0) continue;
    if (std::min(x, y) > 1e-300) return x / (x + y);
    const double rest = natural_log(exponential(log_x - most) + exponential(log_y - most));
    return exponential(log_x - most - rest);
  }
}

// Best and Fisher 1979; a normal law where it is so narrow that the circle does not matter.
double von_mises(Draws& draws, double mean, double concentration) {
  const double pi = std::numbers::pi;
  double angle;
  if (concentration < 1e-8) {
    return pi * (2.0 * draws.unit() - 1.0);
  } else if (concentration > 1e6) {
    angle = mean + draws.normal() / std::sqrt(concentration);
  } else {
    double s;
    if (concentration < 1e-5) {
      s = 1.0 / concentration + concentration;
    } else {
      const double r = 1.0 + std::sqrt(1.0 + 4.0 * concentration * concentration);
      const double rho = (r - std::sqrt(2.0 * r)) / (2.0 * concentration);
      s = (1.0 + rho * rho) / (2.0 * rho);
    }
    double w;
    for (;;) {
      double sine, z;
      sine_cosine_turn(0.5 * draws.unit(), sine, z);
      w = (1.0 + s * z) / (s + z);
      const double y = concentration * (s - w), v = draws.positive();
      if (y * (2.0 - y) - v >= 0.0 || natural_log(y / v) + 1.0 - y >= 0.0) break;
    }
    angle = arc_cosine(std::clamp(w, -1.0, 1.0));
    angle = mean + (draws.unit() < 0.5 ? -angle : angle);
  }
  const double turned = angle - 2.0 * pi * std::floor((angle + pi) / (2.0 * pi));
  return std::clamp(turned, -pi, pi);
}

// Michael, Schucany and Haas 1976, without the difference of nearly equal numbers.
double wald(Draws& draws, double mean, double scale) {
  const double y = draws.normal();
  const double squared = std::max(mean * y * y, 1e-300);
  const double x = mean * (1.0 - 2.0 / (1.0 + std::sqrt(1.0 + 4.0 * scale / squared)));
  return draws.unit() <= mean / (mean + x) ? x : mean * mean / x;
}

double triangular(Draws& draws, double left, double mode, double right) {
  const double base = right - left, below = mode - left;
  const double u = draws.unit();
  return u <= below / base ? left + std::sqrt(u * below * base) : right - std::sqrt((1.0 - u) * (right - mode) * base);
}

double noncentral_chi_square(Draws& draws, double degrees, double centre) {
  if (centre == 0.0) return 2.0 * gamma(draws, degrees / 2.0);
  if (degrees > 1.0) {
    const double rest = 2.0 * gamma(draws, (degrees - 1.0) / 2.0), shifted = draws.normal() + std::sqrt(centre);
    return rest + shifted * shifted;
  }
  return 2.0 * gamma(draws, degrees / 2.0 + poisson(draws, centre / 2.0));
}

double cauchy(Draws& draws) {
  double sine, cosine;
  sine_cosine_turn(0.5 * (static_cast<double>(draws.bits() >> 11 | 1) * 0x1.0p-53), sine, cosine);
  return -cosine / sine;
}

double gumbel(Draws& draws) {
  for (;;) {
    const double waited = draws.exponential_law();
    if (waited > 0.0) return -natural_log(waited);
  }
}

double laplace(Draws& draws) {
  const double size = draws.exponential_law();
  return draws.bits() >> 63 ? size : -size;
}

double logistic(Draws& draws) {
  const double u = static_cast<double>(draws.bits() >> 11 | 1) * 0x1.0p-53;
  return natural_log(u / (1.0 - u));
}

}  // namespace atl::array::laws
