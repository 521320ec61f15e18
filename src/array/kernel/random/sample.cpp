// SPDX-License-Identifier: Apache-2.0
// Fills of one law: its parameters are one number for all elements, or one for each.
#include <algorithm>
#include <cmath>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/random.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/random/laws.hpp"

namespace atl::array {
namespace {

double draw(Law law, Draws& draws, double a, double b, double c) {
  switch (law) {
    case Law::beta: return laws::beta(draws, a, b);
    case Law::binomial: return laws::binomial(draws, a, b);
    case Law::cauchy: return laws::cauchy(draws);
    case Law::chi_square: return 2.0 * laws::gamma(draws, a / 2.0);
    case Law::f: return laws::gamma(draws, a / 2.0) * b / (laws::gamma(draws, b / 2.0) * a);
    case Law::gamma: return laws::gamma(draws, a) * b;
    case Law::geometric: return laws::geometric(draws, a);
    case Law::gumbel: return a + b * laws::gumbel(draws);
    case Law::hypergeometric: return laws::hypergeometric(draws, a, b, c);
    case Law::laplace: return a + b * laws::laplace(draws);
    case Law::log_series: return laws::log_series(draws, a);
    case Law::logistic: return a + b * laws::logistic(draws);
    case Law::negative_binomial: return laws::poisson(draws, laws::gamma(draws, a) * ((1.0 - b) / b));
    case Law::noncentral_chi_square: return laws::noncentral_chi_square(draws, a, b);
    case Law::noncentral_f:
      return laws::noncentral_chi_square(draws, a, c) * b / (2.0 * laws::gamma(draws, b / 2.0) * a);
    case Law::pareto: return exponential_minus_one(draws.exponential_law() / a);
    case Law::poisson: return laws::poisson(draws, a);
    case Law::power: return power(-exponential_minus_one(-draws.exponential_law()), 1.0 / a);
    case Law::rayleigh: return a * std::sqrt(2.0 * draws.exponential_law());
    case Law::student: {
      const double x = draws.normal();
      return x * std::sqrt(a / 2.0) / std::sqrt(laws::gamma(draws, a / 2.0));
    }
    case Law::triangular: return laws::triangular(draws, a, b, c);
    case Law::von_mises: return laws::von_mises(draws, a, b);
    case Law::wald: return laws::wald(draws, a, b);
    case Law::weibull: return a == 0.0 ? 0.0 : power(draws.exponential_law(), 1.0 / a);
  }
  ATOLL_EXPECT(false);
  return 0.0;
}

}  // namespace

void random_sample(const Work& work, RandomStream stream, Law law, const LawParameters& given, DType type, void* to,
                   std::size_t n) {
  ATOLL_EXPECT(type == DType::f64 || type == DType::f32 || type == DType::i64);
  Polling(work).for_pieces(n, 512, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      Draws draws(stream.key, stream.first + i);
      std::array<double, 3> parameters = given.same;
      for (std::size_t k = 0; k < parameters.size(); ++k)
        if (given.each[k] != nullptr) parameters[k] = given.each[k][i];
      const double value = draw(law, draws, parameters[0], parameters[1], parameters[2]);
      if (type == DType::f64) static_cast<double*>(to)[i] = value;
      else if (type == DType::f32) static_cast<float*>(to)[i] = static_cast<float>(value);
      else static_cast<std::int64_t*>(to)[i] = value >= 0x1.0p63 ? INT64_MAX : static_cast<std::int64_t>(value);
    }
  });
}

}  // namespace atl::array
