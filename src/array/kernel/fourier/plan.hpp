// SPDX-License-Identifier: Apache-2.0
// How a length is transformed: passes for its factors, or a convolution of a greater length that has small ones.
// Private to the Fourier kernels.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace atl::array {

/// A complex number whose product is the plain one (std::complex would look for NaNs).
struct Complex {
  double re = 0, im = 0;
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Complex operator*(double s, Complex a) { return {s * a.re, s * a.im}; }
};

/// Forward transforms of one length. Thread-safe: the caller brings the scratch memory.
class FourierPlan {
 public:
  explicit FourierPlan(std::size_t n);

  std::size_t length() const { return n_; }
  /// Complex numbers that `run` needs beside its data.
  std::size_t scratch_size() const { return inner_ == nullptr ? n_ : inner_->length() + inner_->scratch_size(); }
  /// Transforms `data` in place.
  void run(Complex* data, Complex* scratch) const;

 private:
  void run_passes(Complex* data, Complex* scratch) const;
  void run_convolution(Complex* data, Complex* scratch) const;

  std::size_t n_;
  std::vector<std::size_t> factors_;
  std::vector<Complex> roots_;  // exp(-2 pi i k / n)
  // Bluestein: exp(-pi i k^2 / n), and the transform of its conjugates.
  std::unique_ptr<FourierPlan> inner_;
  std::vector<Complex> chirp_, chirp_transform_;
};

}  // namespace atl::array
