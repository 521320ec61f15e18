// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one length, any, of many lines at once.
#pragma once

#include <cstddef>
#include <memory>

#include "atoll/array/dtype.hpp"

namespace atl::array {

class FourierPlan;

enum class Turn { forward, backward };  ///< exp(-2 pi i jk / n), or its conjugate

/// Real and imaginary parts, which lie apart. As a source `im` may be null: zeros.
template <class Pointer>
struct Parts {
  Pointer re = nullptr, im = nullptr;
};

/// Transforms of lines of n complex numbers, times a factor. Elements are float32 or float64; it computes in float64.
/// Several lines go side by side in the lanes of vectors, each by the same operations: a line's result does not depend
/// on its neighbours nor on the processor. O(n log n): passes for the factors of n up to 61, else Bluestein's
/// convolution. Thread-safe: callers bring scratch memory, `scratch_size` doubles for each thread.
class Fourier {
 public:
  Fourier(std::size_t n, DType type, Turn turn, double factor);
  ~Fourier();
  Fourier(Fourier&&) noexcept;

  std::size_t length() const;
  std::size_t scratch_size() const;

  /// Lines one after the other. In place where both are the same.
  void rows(Parts<const void*> from, Parts<void*> to, std::size_t rows, double* scratch) const;
  /// Lines side by side: `columns` neighbours, of which the k-th numbers lie at the k-th address; an address may be
  /// any.
  void columns(Parts<const void* const*> from, Parts<void* const*> to, std::size_t columns, double* scratch) const;
  /// Lines along the middle axis of arrays of `outer` by n by `inner` elements: those at [begin, end) of the last axis.
  void box(Parts<const void*> from, Parts<void*> to, std::size_t outer, std::size_t inner, std::size_t begin,
           std::size_t end, double* scratch) const;

 private:
  std::unique_ptr<FourierPlan> plan_;
  DType type_;
  Turn turn_;
  double factor_;
};

}  // namespace atl::array
