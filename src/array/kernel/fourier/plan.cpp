// SPDX-License-Identifier: Apache-2.0
#include "kernel/fourier/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace atl::array {
namespace {

/// exp(-2 pi i k / n), from an angle of at most an eighth of a turn.
Complex root_of_unity(std::size_t k, std::size_t n) {
  const std::size_t eighths = 8 * k / n;  // n and k below 2^60
  const std::size_t quarter = (eighths + 1) / 2;
  const double angle = 2.0 * std::numbers::pi *
                       (static_cast<double>(static_cast<std::int64_t>(4 * k) - static_cast<std::int64_t>(quarter * n)) /
                        (4.0 * static_cast<double>(n)));
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter % 4) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

std::vector<Complex> roots_of_unity(std::size_t n) {
  std::vector<Complex> roots(n);
  for (std::size_t k = 0; k < n; ++k) roots[k] = root_of_unity(k, n);
  return roots;
}

/// Eights, fours and twos, as few as there can be, then the primes; empty when one of them is too great.
std::vector<std::size_t> factors_of(std::size_t n) {
  std::vector<std::size_t> factors;
  std::size_t twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (; twos > 4 || twos == 3; twos -= 3) factors.push_back(8);
  for (; twos >= 2; twos -= 2) factors.push_back(4);
  if (twos == 1) factors.push_back(2);
  for (std::size_t p = 3; p <= most_factor; p += 2)
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n > 1) factors.clear();
  return factors;
}

}  // namespace

FourierPlan::FourierPlan(std::size_t n) : n_(n), factors_(factors_of(n)) {
  if (n_ <= 1) return;
  if (!factors_.empty()) {
    roots_ = roots_of_unity(n_);
    return;
  }
  std::size_t length = 1;
  while (length < 2 * n_ - 1) length *= 2;
  inner_ = std::make_unique<FourierPlan>(length);
  chirp_.resize(n_);
  chirp_transform_.assign(length, {});
  std::size_t square = 0;  // k^2 modulo 2 n
  for (std::size_t k = 0; k < n_; ++k) {
    chirp_[k] = root_of_unity(square, 2 * n_);
    const Complex conjugate{chirp_[k].re, -chirp_[k].im};
    chirp_transform_[k] = conjugate;
    if (k > 0) chirp_transform_[length - k] = conjugate;
    square = (square + 2 * k + 1) % (2 * n_);
  }
  std::vector<double> re(length), im(length), scratch(2 * fourier_lanes() * inner_->scratch_numbers());
  for (std::size_t k = 0; k < length; ++k) re[k] = chirp_transform_[k].re, im[k] = chirp_transform_[k].im;
  transform_rows(*inner_, DType::f64, 1.0, {re.data(), im.data()}, {re.data(), im.data()}, 1, scratch.data());
  for (std::size_t k = 0; k < length; ++k) chirp_transform_[k] = {re[k], im[k]};
}

}  // namespace atl::array
