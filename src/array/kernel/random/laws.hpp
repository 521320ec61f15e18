// SPDX-License-Identifier: Apache-2.0
// One element of each law: a function of its draws and parameters. Private to the random kernels.
#pragma once

#include "kernel/random/draws.hpp"

namespace atl::array::laws {

// -- continuous.cpp --
double gamma(Draws& draws, double shape);
double beta(Draws& draws, double a, double b);
double von_mises(Draws& draws, double mean, double concentration);
double wald(Draws& draws, double mean, double scale);
double triangular(Draws& draws, double left, double mode, double right);
double noncentral_chi_square(Draws& draws, double degrees, double centre);
double cauchy(Draws& draws);
double gumbel(Draws& draws);
double laplace(Draws& draws);
double logistic(Draws& draws);

// -- discrete.cpp: whole numbers, up to 2^53 exact --
double poisson(Draws& draws, double mean);
double binomial(Draws& draws, double trials, double probability);
double hypergeometric(Draws& draws, double good, double bad, double sample);
double geometric(Draws& draws, double probability);
double log_series(Draws& draws, double probability);

}  // namespace atl::array::laws
