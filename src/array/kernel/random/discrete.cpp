// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernel/random/laws.hpp"

namespace atl::array::laws {
namespace {

double log_factorial(double k) { return log_gamma(k + 1.0); }

// How often an event of this probability happens, counted up from 0 (for few of them).
double binomial_from_zero(Draws& draws, double n, double p) {
  const double q = 1.0 - p, none = exponential(n * log_one_plus(-p));
  const double most = std::min(n, n * p + 10.0 * std::sqrt(n * p * q + 1.0));
  for (;;) {
    double k = 0.0, chance = none, u = draws.unit();
    while (u > chance && k <= most) {
      k += 1.0;
      u -= chance;
      chance *= (n - k + 1.0) * p / (k * q);
    }
    if (k <= most) return k;
  }
}

// Hoermann's transformed rejection (BTRS, 1993), p <= 1/2 and n p >= 10.
double binomial_by_rejection(Draws& draws, double n, double p) {
  const double q = 1.0 - p, deviation = std::sqrt(n * p * q);
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
  const double alpha = (2.83 + 5.1 / b) * deviation, inside = 0.92 - 4.2 / b;
  const double m = std::floor((n + 1.0) * p), odds = natural_log(p / q);
  for (;;) {
    const double u = draws.unit() - 0.5, v = draws.positive(), us = 0.5 - std::abs(u);
    if (us <= 0.0) continue;
    const double k = std::floor((2.0 * a / us + b) * u + c);
    if (us >= 0.07 && v <= inside) return k;
    if (k < 0.0 || k > n) continue;
    // The logarithm of how much less likely k is than m, in differences that stay exact for large n.
    const double f = m + 1.0, x = k + 1.0, z = n - m + 1.0, w = n - k + 1.0;
    const double ratio = (m + 0.5) * natural_log(f / x) + (n - m + 0.5) * natural_log(z / w) +
                         (k - m) * (natural_log(w / x) + odds) + stirling_rest(f) - stirling_rest(x) +
                         stirling_rest(z) - stirling_rest(w);
    if (natural_log(v * alpha / (a / (us * us) + b)) <= ratio) return k;
  }
}

}  // namespace

// By products below 10 (Knuth), else by transformed rejection (PTRS, Hoermann 1993).
double poisson(Draws& draws, double mean) {
  if (mean <= 0.0) return 0.0;
  if (mean < 10.0) {
    const double least = exponential(-mean);
    double product = draws.unit(), k = 0.0;
    for (; product > least; product *= draws.unit()) k += 1.0;
    return k;
  }
  const double root = std::sqrt(mean), log_mean = natural_log(mean);
  const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    const double u = draws.unit() - 0.5, v = draws.positive(), us = 0.5 - std::abs(u);
    if (us <= 0.0) continue;
    const double k = std::floor((2.0 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= inside) return k;
    if (k < 0.0 || (us < 0.013 && v > us)) continue;
    if (natural_log(v) + natural_log(inverse_alpha) - natural_log(a / (us * us) + b) <=
        k * log_mean - mean - log_factorial(k))
      return k;
  }
}

double binomial(Draws& draws, double trials, double probability) {
  if (trials <= 0.0 || probability <= 0.0) return 0.0;
  if (probability > 0.5) return trials - binomial(draws, trials, 1.0 - probability);
  return trials * probability < 10.0 ? binomial_from_zero(draws, trials, probability)
                                     : binomial_by_rejection(draws, trials, probability);
}

// One draw after the other where few are drawn or left, else by ratio of uniforms (HRUA, Stadlober 1990).
double hypergeometric(Draws& draws, double good, double bad, double sample) {
  const double total = good + bad;
  if (total <= 0.0 || sample <= 0.0) return 0.0;
  const double drawn = std::min(sample, total - sample);  // the rest is what is left
  if (sample < 10.0 || sample > total - 10.0) {
    double left = total, left_good = good, to_draw = drawn;
    while (to_draw > 0.0 && left_good > 0.0 && left > left_good) {
      if (std::floor(draws.unit() * left) < left_good) left_good -= 1.0;
      left -= 1.0;
      to_draw -= 1.0;
    }
    if (left == left_good) left_good -= to_draw;
    return sample > total - sample ? left_good : good - left_good;
  }
  const double fewer = std::min(good, bad), more = std::max(good, bad);
  const double p = fewer / total, q = more / total, a = drawn * p + 0.5;
  const double c = std::sqrt((total - drawn) * drawn * p * q / (total - 1.0) + 0.5);
  const double h = 1.7155277699214135 * c + 0.8989161620588988;  // 2 sqrt(2 / e) and 3 - 2 sqrt(3 / e)
  const double mode = std::floor((drawn + 1.0) * (fewer + 1.0) / (total + 2.0));
  auto logarithm = [&](double k) {
    return log_factorial(k) + log_factorial(fewer - k) + log_factorial(drawn - k) + log_factorial(more - drawn + k);
  };
  const double at_mode = logarithm(mode);
  const double end = std::min(std::min(drawn, fewer) + 1.0, std::floor(a + 16.0 * c));
  double k;
  for (;;) {
    const double u = draws.positive(), v = draws.unit(), x = a + h * (v - 0.5) / u;
    if (x < 0.0 || x >= end) continue;
    k = std::floor(x);
    const double t = at_mode - logarithm(k);
    if (u * (4.0 - u) - 3.0 <= t) break;
    if (u * (u - t) >= 1.0) continue;
    if (2.0 * natural_log(u) <= t) break;
  }
  if (good > bad) k = drawn - k;
  return drawn < sample ? good - k : k;
}

double geometric(Draws& draws, double probability) {
  if (probability >= 1.0) return 1.0;
  return std::max(1.0, std::ceil(draws.exponential_law() / -log_one_plus(-probability)));
}

// Kemp 1981.
double log_series(Draws& draws, double probability) {
  const double r = log_one_plus(-probability);
  for (;;) {
    const double v = draws.positive();
    if (v >= probability) return 1.0;
    const double q = -exponential_minus_one(r * draws.positive());
    if (v <= q * q) {
      const double k = std::floor(1.0 + natural_log(v) / natural_log(q));
      if (k >= 1.0) return k;
      continue;
    }
    return v >= q ? 1.0 : 2.0;
  }
}

}  // namespace atl::array::laws
