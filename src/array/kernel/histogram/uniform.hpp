// SPDX-License-Identifier: Apache-2.0
// Bins of one width. Private to the histogram kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/array/dtype.hpp"

namespace atl::array {

struct UniformBins {
  UniformBins(DType type, double low_edge, double high_edge, std::size_t bins);

  /// NumPy's bin number, decided by the edges; `count` when outside or NaN.
  std::uint32_t locate(double x) const;

  double low, high;
  std::size_t count;
  double scale;   ///< bins per unit
  double lower;   ///< the low edge, or less: between it and as much below any edge no value lies
  double margin;  ///< nearer than this to an edge (in bins), the product alone does not decide
  bool one_off;   ///< the product is wrong by one bin at most, so that a look at two edges mends it
  std::vector<double> edges;  ///< the last is infinity
};

}  // namespace atl::array
