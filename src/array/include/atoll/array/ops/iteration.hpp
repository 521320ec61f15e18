// SPDX-License-Identifier: Apache-2.0
// How this PE's part of an array-wide iteration maps to local memory: the domain and its leaves.
#pragma once

#include <vector>

#include "atoll/array/kernel/plan.hpp"
#include "atoll/array/ops/elementwise.hpp"
#include "atoll/array/ops/move.hpp"

namespace atl::array {

/// Opens the leaves of a program over `shape`. Collective when a leaf must be brought here from other PEs.
class Iteration {
 public:
  /// `merged`: one axis where all leaves are dense, as elementwise programs want it. `apart`: always those of `shape`.
  enum class Axes : std::uint8_t { merged, apart };
  Iteration(Engine& engine, const Program& program, const std::vector<LeafSource>& sources, const Shape& shape,
            Axes axes = Axes::merged);

  const Domain& domain() const { return domain_; }
  const Distribution& distribution() const { return distribution_; }
  const std::vector<Leaf>& leaves() const { return leaves_; }

 private:
  Leaf open(Engine& engine, const LeafSource& source, const Shape& shape);

  Distribution distribution_;
  Domain domain_;
  std::vector<Leaf> leaves_;
  std::vector<Buffer<std::byte>> buffers_;
};

/// Elements that no PE border splits: the granule of reduction trees over this shape.
inline std::uint64_t granule_of(const Distribution& distribution, const Shape& shape) {
  const std::int64_t elements = distribution.unit_rows() * shape.row_size();
  return static_cast<std::uint64_t>(elements > 0 ? elements : 1);
}

/// Throws, on all PEs alike, what element values brought about.
void check_outcome(Engine& engine, const Program& program, const Outcome& outcome);

}  // namespace atl::array
