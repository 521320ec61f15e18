// SPDX-License-Identifier: Apache-2.0
#include "kernel/fourier/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace atl::array {
namespace {

// Greater prime factors cost more by their own pass, p^2 operations, than by a convolution.
constexpr std::size_t most_factor = 61;

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

/// Fours, then the primes; empty when one of them is too great.
std::vector<std::size_t> factors_of(std::size_t n) {
  std::vector<std::size_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (std::size_t p = 2; p <= most_factor; ++p)
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n > 1) factors.clear();
  return factors;
}

Complex over_i(Complex a) { return {a.im, -a.re}; }  // times -i

// One pass of Stockham's method: `before` is the product of the factors done, `after` of those to come. Input j of p lies at
// i + after * (j + p * k), output q at i + after * (k + before * q), and is turned by q * before * i / n.
template <std::size_t P, class Butterfly>
void pass_of(std::size_t before, std::size_t after, const Complex* from, Complex* to, const Complex* roots, Butterfly butterfly) {
  for (std::size_t k = 0; k < before; ++k) {
    const Complex* in = from + after * P * k;
    Complex* out = to + after * k;
    for (std::size_t i = 0; i < after; ++i) {
      Complex t[P];
      for (std::size_t j = 0; j < P; ++j) t[j] = in[i + after * j];
      butterfly(t);
      out[i] = t[0];
      for (std::size_t q = 1; q < P; ++q) out[i + after * before * q] = t[q] * roots[q * before * i];
    }
  }
}

void pass_2(Complex* t) {
  const Complex a = t[0], b = t[1];
  t[0] = a + b;
  t[1] = a - b;
}

void pass_3(Complex* t) {
  const double half_root_3 = 0.86602540378443864676;
  const Complex sum = t[1] + t[2], middle = t[0] - 0.5 * sum, turned = over_i(half_root_3 * (t[1] - t[2]));
  t[0] = t[0] + sum;
  t[1] = middle + turned;
  t[2] = middle - turned;
}

void pass_4(Complex* t) {
  const Complex a = t[0] + t[2], b = t[0] - t[2], c = t[1] + t[3], d = over_i(t[1] - t[3]);
  t[0] = a + c;
  t[1] = b + d;
  t[2] = a - c;
  t[3] = b - d;
}

void pass_5(Complex* t) {
  const double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;
  const double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
  const Complex a = t[1] + t[4], b = t[2] + t[3], c = t[1] - t[4], d = t[2] - t[3];
  const Complex e = t[0] + c1 * a + c2 * b, f = t[0] + c2 * a + c1 * b;
  const Complex g = over_i(s1 * c + s2 * d), h = over_i(s2 * c - s1 * d);
  t[0] = t[0] + a + b;
  t[1] = e + g;
  t[2] = f + h;
  t[3] = f - h;
  t[4] = e - g;
}

void pass_any(std::size_t p, std::size_t n, std::size_t before, std::size_t after, const Complex* from, Complex* to,
              const Complex* roots) {
  Complex t[most_factor];
  const std::size_t step = n / p;
  for (std::size_t k = 0; k < before; ++k)
    for (std::size_t i = 0; i < after; ++i) {
      const Complex* in = from + i + after * p * k;
      for (std::size_t j = 0; j < p; ++j) t[j] = in[after * j];
      for (std::size_t q = 0; q < p; ++q) {
        Complex sum = t[0];
        for (std::size_t j = 1; j < p; ++j) sum = sum + t[j] * roots[step * (j * q % p)];
        to[i + after * (k + before * q)] = sum * roots[q * before * i];
      }
    }
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
  std::vector<Complex> scratch(inner_->scratch_size());
  inner_->run(chirp_transform_.data(), scratch.data());
}

void FourierPlan::run(Complex* data, Complex* scratch) const {
  if (n_ <= 1) return;
  if (inner_ == nullptr) run_passes(data, scratch);
  else run_convolution(data, scratch);
}

void FourierPlan::run_passes(Complex* data, Complex* scratch) const {
  Complex *from = data, *to = scratch;
  std::size_t before = 1;
  for (std::size_t p : factors_) {
    const std::size_t after = n_ / (before * p);
    switch (p) {
      case 2: pass_of<2>(before, after, from, to, roots_.data(), pass_2); break;
      case 3: pass_of<3>(before, after, from, to, roots_.data(), pass_3); break;
      case 4: pass_of<4>(before, after, from, to, roots_.data(), pass_4); break;
      case 5: pass_of<5>(before, after, from, to, roots_.data(), pass_5); break;
      default: pass_any(p, n_, before, after, from, to, roots_.data());
    }
    std::swap(from, to);
    before *= p;
  }
  if (from != data) std::copy_n(from, n_, data);
}

void FourierPlan::run_convolution(Complex* data, Complex* scratch) const {
  const std::size_t length = inner_->length();
  Complex *wide = scratch, *rest = scratch + length;
  for (std::size_t k = 0; k < n_; ++k) wide[k] = data[k] * chirp_[k];
  std::fill(wide + n_, wide + length, Complex{});
  inner_->run(wide, rest);
  // Back by a forward transform of conjugates.
  for (std::size_t k = 0; k < length; ++k) {
    const Complex product = wide[k] * chirp_transform_[k];
    wide[k] = {product.re, -product.im};
  }
  inner_->run(wide, rest);
  const double scale = 1.0 / static_cast<double>(length);
  for (std::size_t k = 0; k < n_; ++k) data[k] = Complex{scale * wide[k].re, -scale * wide[k].im} * chirp_[k];
}

}  // namespace atl::array
