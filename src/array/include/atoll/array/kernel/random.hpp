// SPDX-License-Identifier: Apache-2.0
// Filling with random numbers: element i depends on (key, first + i) alone, bit for bit, whatever the threads, the PEs
// and the SIMD level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/random.hpp"

namespace atl::array {

using atl::random_bits;  // of one counter

struct RandomStream {
  std::uint64_t key = 0;
  std::uint64_t first = 0;  ///< counter of element 0
};

/// All 64 bits.
void random_bits(const Work& work, RandomStream stream, std::uint64_t* to, std::size_t n);

/// Integers (or bools) in [low, low + span); span 0 means 2^64. `low` is the value's two's complement.
void random_integers(const Work& work, RandomStream stream, DType type, std::uint64_t low, std::uint64_t span, void* to,
                     std::size_t n);

/// float32 or float64 in [low, high): 24 or 53 random bits.
void random_uniform(const Work& work, RandomStream stream, DType type, double low, double high, void* to,
                    std::size_t n);

/// Normal: Box and Muller's method on the counters 2k and 2k + 1, which give elements 2k and 2k + 1.
void random_normal(const Work& work, RandomStream stream, DType type, double mean, double deviation, void* to,
                   std::size_t n);

void random_exponential(const Work& work, RandomStream stream, DType type, double scale, void* to, std::size_t n);

/// Integers 1 … bound with probability proportional to k^-exponent (rejection-inversion, Hoermann and Derflinger 1996,
/// trials of one element on counters of its own). Any integer or floating type that holds `bound`; exponent > 0.
void random_zipf(const Work& work, RandomStream stream, DType type, double exponent, std::uint64_t bound, void* to,
                 std::size_t n);

/// Laws whose elements may need any number of draws. Parameters in the order of NumPy's generator.
enum class Law : std::uint8_t {
  beta,
  binomial,
  cauchy,
  chi_square,
  f,
  gamma,
  geometric,
  gumbel,
  hypergeometric,
  laplace,
  log_series,
  logistic,
  negative_binomial,
  noncentral_chi_square,
  noncentral_f,
  pareto,
  poisson,
  power,
  rayleigh,
  student,
  triangular,
  von_mises,
  wald,
  weibull
};

/// One number for all elements, or, where there is a pointer, one for each. Valid ranges are the caller's to check.
struct LawParameters {
  std::array<double, 3> same{};
  std::array<const double*, 3> each{};
};

/// Elements of a law, as float64, float32 or int64; those of whole numbers beyond int64 become its largest.
void random_sample(const Work& work, RandomStream stream, Law law, const LawParameters& given, DType type, void* to,
                   std::size_t n);

}  // namespace atl::array
