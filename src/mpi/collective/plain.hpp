// SPDX-License-Identifier: Apache-2.0
// Reductions of packed elements over point-to-point messages, as flows: for inter-communicators, for operations that
// coll does not have, and for user-defined operations.
#pragma once

#include <memory>
#include <vector>

#include "collective/pieces.hpp"
#include "op/operation.hpp"

namespace atl::mpi {

/// Partial results of a reduction.
struct Elements {
  std::shared_ptr<Reducer> reducer;
  std::vector<std::byte> data;
  std::size_t count = 0;

  std::size_t bytes() const { return data.size(); }
  /// data = data ∘ right, or left ∘ data.
  void fold_right(const std::byte* right) { reducer->reduction()(data.data(), data.data(), right, count); }
  void fold_left(const std::byte* left) { reducer->reduction()(data.data(), left, data.data(), count); }
};

/// Combines the members' elements in rank order on `root`. The data of all others is undefined afterwards.
Flow reduce_elements(Circle circle, Elements& elements, int root);
Flow allreduce_elements(Circle circle, Elements& elements);
/// Inclusive: ranks 0 to this one. Exclusive: ranks below this one; rank 0's data is unchanged.
enum class Scan { inclusive, exclusive };
Flow scan_elements(Circle circle, Elements& elements, Scan scan);
/// Members 0 of both groups exchange their elements, then broadcast the other group's as `theirs`.
Flow swap_elements(Circle local, PeId remote_leader, std::uint64_t bits, Elements& elements,
                   std::vector<std::byte>& theirs);

}  // namespace atl::mpi
