// SPDX-License-Identifier: Apache-2.0
// How a length is transformed: passes for its factors, or a convolution of a greater length that has small ones.
// Private to the Fourier kernels.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/fourier.hpp"

namespace atl::array {

struct Complex {
  double re = 0, im = 0;
};

// Greater prime factors cost more by their own pass, p^2 operations, than by a convolution.
inline constexpr std::size_t most_factor = 61;

/// What forward transforms of one length need to know.
class FourierPlan {
 public:
  explicit FourierPlan(std::size_t n);

  std::size_t length() const { return n_; }
  const std::vector<std::size_t>& factors() const { return factors_; }
  /// exp(-2 pi i k / n)
  const Complex* roots() const { return roots_.data(); }

  // -- Bluestein's convolution: exp(-pi i k^2 / n), and the transform of its conjugates by another plan --
  const FourierPlan* inner() const { return inner_.get(); }
  const Complex* chirp() const { return chirp_.data(); }
  const Complex* chirp_transform() const { return chirp_transform_.data(); }

  /// Complex numbers of memory for one line: its own and those on the way.
  std::size_t scratch_numbers() const { return inner_ == nullptr ? 2 * n_ : n_ + 2 * inner_->length(); }

 private:
  std::size_t n_;
  std::vector<std::size_t> factors_;
  std::vector<Complex> roots_;
  std::unique_ptr<FourierPlan> inner_;
  std::vector<Complex> chirp_, chirp_transform_;
};

// -- lanes.cpp --

/// The most doubles side by side.
std::size_t fourier_lanes();
void transform_rows(const FourierPlan& plan, DType type, double factor, Parts<const void*> from, Parts<void*> to,
                    std::size_t rows, double* scratch);
void transform_columns(const FourierPlan& plan, DType type, double factor, Parts<const void* const*> from,
                       Parts<void* const*> to, std::size_t columns, double* scratch);

}  // namespace atl::array
