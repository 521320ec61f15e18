// SPDX-License-Identifier: Apache-2.0
// Bins of one width. Private to the histogram kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::array {

struct UniformBins {
  UniformBins(double low_edge, double high_edge, std::size_t bins, bool single_precision);

  /// NumPy's bin number, decided by the edges; `count` when outside or NaN.
  std::uint32_t locate(double x) const;

  double low, high;
  std::size_t count;
  double scale;   ///< bins per unit
  double margin;  ///< nearer than this to an edge (in bins), the product alone does not decide
  std::vector<double> edges;
};

}  // namespace atl::array
