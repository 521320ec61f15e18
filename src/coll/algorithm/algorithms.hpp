// SPDX-License-Identifier: Apache-2.0
// Every algorithm: a function that writes the steps of one member. One file each, beside this one.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "../schedule.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::coll::detail {

struct Arguments {
  bool in_place = false;   ///< `in` is `out`
  bool symmetric = false;  ///< Destination::symmetric
  std::uint64_t bytes = 0;          ///< of the whole vector (broadcast, reductions), or per member's block
  std::uint64_t element_bytes = 1;  ///< reductions
  int root = 0;
  // Forms with lists of blocks; empty otherwise. `in` and `out` are then used where there is one block only.
  std::span<const ConstBlock> in_blocks;
  std::span<const Block> out_blocks;
  const void* in = nullptr;
  void* out = nullptr;
  /// Leaders, when `sized`: of each member of the node, as sizes_to_leader() brought them.
  std::span<const std::uint64_t> sizes;
  bool sized = false;  ///< all leaders know sizes
};

using Algorithm = void (*)(ScheduleBuilder&, const Arguments&);

void barrier_dissemination(ScheduleBuilder& steps, const Arguments& arguments);
void barrier_central(ScheduleBuilder& steps, const Arguments& arguments);
template <int radix>  // 2, 4, 8, 16, as of the other trees
void barrier_tree(ScheduleBuilder& steps, const Arguments& arguments);
void broadcast_binomial(ScheduleBuilder& steps, const Arguments& arguments);
/// Without the last join: more may be sent beside it.
void broadcast_binomial_open(ScheduleBuilder& steps, const Arguments& arguments);
void broadcast_flat(ScheduleBuilder& steps, const Arguments& arguments);
template <int radix>
void broadcast_knomial(ScheduleBuilder& steps, const Arguments& arguments);
void broadcast_binomial_near(ScheduleBuilder& steps, const Arguments& arguments);
void broadcast_pipelined(ScheduleBuilder& steps, const Arguments& arguments);
void broadcast_scatter_allgather(ScheduleBuilder& steps, const Arguments& arguments);
void reduce_binomial(ScheduleBuilder& steps, const Arguments& arguments);
void reduce_halving(ScheduleBuilder& steps, const Arguments& arguments);
void allreduce_recursive_doubling(ScheduleBuilder& steps, const Arguments& arguments);
void allreduce_halving_doubling(ScheduleBuilder& steps, const Arguments& arguments);
void allreduce_central(ScheduleBuilder& steps, const Arguments& arguments);
void allreduce_flat(ScheduleBuilder& steps, const Arguments& arguments);
void allreduce_ring(ScheduleBuilder& steps, const Arguments& arguments);
template <int radix>
void allreduce_tree(ScheduleBuilder& steps, const Arguments& arguments);
void scan_recursive_doubling(ScheduleBuilder& steps, const Arguments& arguments);
void exscan_recursive_doubling(ScheduleBuilder& steps, const Arguments& arguments);
void gather_binomial(ScheduleBuilder& steps, const Arguments& arguments);
void gather_flat(ScheduleBuilder& steps, const Arguments& arguments);
void gatherv_flat(ScheduleBuilder& steps, const Arguments& arguments);
void scatter_binomial(ScheduleBuilder& steps, const Arguments& arguments);
void scatter_flat(ScheduleBuilder& steps, const Arguments& arguments);
void scatterv_flat(ScheduleBuilder& steps, const Arguments& arguments);
void allgather_flat(ScheduleBuilder& steps, const Arguments& arguments);
void allgather_bruck(ScheduleBuilder& steps, const Arguments& arguments);
void allgather_ring(ScheduleBuilder& steps, const Arguments& arguments);
void allgather_neighbour(ScheduleBuilder& steps, const Arguments& arguments);
void allgatherv_flat(ScheduleBuilder& steps, const Arguments& arguments);
void allgatherv_ring(ScheduleBuilder& steps, const Arguments& arguments);
void alltoall_flat(ScheduleBuilder& steps, const Arguments& arguments);
void alltoall_bruck(ScheduleBuilder& steps, const Arguments& arguments);
void alltoall_pairwise(ScheduleBuilder& steps, const Arguments& arguments);
template <int window>  // 2, 8, 32
void alltoall_window(ScheduleBuilder& steps, const Arguments& arguments);
template <int window>
void alltoallv_window(ScheduleBuilder& steps, const Arguments& arguments);
void alltoallv_flat(ScheduleBuilder& steps, const Arguments& arguments);
void alltoallv_pairwise(ScheduleBuilder& steps, const Arguments& arguments);
// Of two levels, see hierarchy.hpp.
void barrier_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void broadcast_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void reduce_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void allreduce_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void scatter_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void allgather_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void allgatherv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void allgather_columns(ScheduleBuilder& steps, const Arguments& arguments);
void allgatherv_columns(ScheduleBuilder& steps, const Arguments& arguments);
void alltoall_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void gatherv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void scatterv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
void alltoallv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments);
/// Before those three: `bytes` of each member's input to the output of its node's leader, by rank.
void sizes_to_leader(ScheduleBuilder& steps, int root, std::uint64_t bytes);

// What several of them share.

/// Bytes before part `index` of `parts` even parts of `bytes`, in whole units of `unit` bytes.
inline std::uint64_t part_begin(std::uint64_t bytes, std::uint64_t unit, std::uint64_t parts, std::uint64_t index) {
  return bytes / unit * index / parts * unit;
}

/// The one tree over the ranks in which every reduction is evaluated. With n = 2^k + extra members, the first
/// 2·extra form pairs (0,1), (2,3), …; over the pairs and the single members after them stands a complete binary
/// tree. All its nodes cover consecutive ranks, so operations need not commute.
class ReductionTree {
 public:
  ReductionTree(int rank, int size)
      : leaves_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))), extra_(size - leaves_), rank_(rank) {}

  int leaves() const { return leaves_; }  ///< a power of two
  bool paired() const { return rank_ < 2 * extra_; }
  /// The upper member of a pair hands its part to the lower and takes no part in the tree.
  bool hands_over() const { return paired() && rank_ % 2 == 1; }
  int leaf() const { return paired() ? rank_ / 2 : rank_ - extra_; }
  int rank_of(int leaf) const { return leaf < extra_ ? 2 * leaf : leaf + extra_; }

 private:
  int leaves_;
  int extra_;
  int rank_;
};

/// Evaluates it over the vectors of all members, which lie in a row, in place. Where the result is.
Ref evaluate_tree(ScheduleBuilder& steps, Ref all, std::uint64_t bytes);

/// First half of halving-doubling: every leaf ends with the reduction of one of `leaves` parts. Returns its index.
/// Input is read from `current` (changed to `into` once something was combined), results go to `into`.
struct HalvingResult {
  std::uint64_t first = 0;  ///< parts [first, last) are this leaf's
  std::uint64_t last = 0;
};
HalvingResult reduce_scatter_halving(ScheduleBuilder& steps, const Arguments& arguments, const ReductionTree& tree,
                                     Ref current, Ref into);

}  // namespace atl::coll::detail
