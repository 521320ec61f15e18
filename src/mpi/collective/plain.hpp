// SPDX-License-Identifier: Apache-2.0
// Collectives over point to point, as flows: for inter-communicators, for what coll has not, and for non-blocking and
// persistent calls. Data has been packed.
#pragma once

#include <memory>
#include <vector>

#include "collective/pieces.hpp"
#include "op/operation.hpp"

namespace atl::mpi {

/// Elements on their way through a reduction.
struct Elements {
  std::shared_ptr<Reducer> reducer;
  std::vector<std::byte> data;
  std::size_t count = 0;

  std::size_t bytes() const { return data.size(); }
  /// data = data ∘ right, or left ∘ data.
  void fold_right(const std::byte* right) { reducer->reduction()(data.data(), data.data(), right, count); }
  void fold_left(const std::byte* left) { reducer->reduction()(data.data(), left, data.data(), count); }
};

/// The members' elements, combined in the order of ranks, on `root`. Others' data is undefined then.
Flow reduce_elements(Circle circle, Elements& elements, int root);
Flow allreduce_elements(Circle circle, Elements& elements);
/// Inclusive: data of ranks 0 to this one. Else of those below; rank 0's data stays.
enum class Scan { inclusive, exclusive };
Flow scan_elements(Circle circle, Elements& elements, Scan scan);
/// Between the members 0 of two groups, then to all.
Flow swap_elements(Circle local, PeId remote_leader, std::uint64_t bits, Elements& elements,
                   std::vector<std::byte>& theirs);

}  // namespace atl::mpi
