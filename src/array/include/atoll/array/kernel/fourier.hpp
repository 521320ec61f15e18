// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of rows, of any length.
#pragma once

#include <cstddef>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::array {

enum class Turn { forward, backward };  ///< exp(-2 pi i jk / n), or its conjugate

/// Transforms each of `rows` rows of `n` complex numbers, not scaled. Parts lie apart, float32 or float64 (`type`); it computes in
/// float64. `from_im` null: real numbers. O(n log n): passes for the factors of n up to 61, else Bluestein's convolution.
void fourier_rows(const Work& work, DType type, Turn turn, const void* from_re, const void* from_im, void* to_re, void* to_im,
                  std::size_t rows, std::size_t n);

}  // namespace atl::array
