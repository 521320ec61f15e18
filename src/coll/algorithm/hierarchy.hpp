// SPDX-License-Identifier: Apache-2.0
// Two levels: the members of a node, which share memory, and one leader per node, which communicate across nodes. Each
// level runs an algorithm of one level, so that between nodes there are as many messages as if each node had one
// member.
#pragma once

#include <vector>

#include "../selection.hpp"

namespace atl::coll::detail {

/// The two groups of a member. A node's leader is its lowest member, or the root.
class Hierarchy {
 public:
  explicit Hierarchy(ScheduleBuilder& steps, int root = -1);

  const Placement& placement() const { return placement_; }
  int node() const { return node_; }
  bool leads() const { return steps_.rank() == leader(); }
  int leader() const { return leader_of(node_); }
  int leader_of(int node) const { return leaders_[static_cast<std::size_t>(node)]; }
  /// Members of this node, by rank.
  const std::vector<int>& members() const { return placement_.members(node_); }
  int leader_inside() const { return placement_.index_in_node(leader()); }

  /// Among the members of this node, numbered by rank.
  ScheduleBuilder inside(Ref input = in_at(0), Ref output = out_at(0)) const {
    return ScheduleBuilder(steps_, members(), placement_.index_in_node(steps_.rank()), input, output);
  }
  /// Among the leaders, numbered by node.
  ScheduleBuilder across(Ref input = in_at(0), Ref output = out_at(0)) const {
    return ScheduleBuilder(steps_, leaders_, node_, input, output);
  }

 private:
  ScheduleBuilder& steps_;
  const Placement& placement_;
  int node_;
  std::vector<int> leaders_;
};

/// Where the blocks of members rank, rank + 1, … (round the circle) lie one after another.
class Circle {
 public:
  /// `sizes[m]`: bytes of member m's block.
  Circle(const std::vector<std::uint64_t>& sizes, int rank);
  /// Of nodes, from this one on: a block is what its members have together, `bytes` each.
  static Circle of_nodes(const Hierarchy& hierarchy, std::uint64_t bytes);
  /// Of the block `distance` members on; of the end for as many as there are.
  std::uint64_t offset(int distance) const { return offsets_[static_cast<std::size_t>(distance)]; }
  std::uint64_t bytes() const { return offsets_.back(); }
  std::uint64_t offset_of(int member) const {
    const int n = static_cast<int>(offsets_.size()) - 1;
    return offset((member - rank_ + n) % n);
  }

 private:
  std::vector<std::uint64_t> offsets_;
  int rank_;
};

/// Bruck's allgather of blocks of any size, in place: `blocks` begins with this member's own and receives the others'.
void allgather_circle(ScheduleBuilder& steps, const Circle& circle, Ref blocks);
/// Gathers them on `root`, up a binomial tree; others get those of the members below them.
void gather_circle(ScheduleBuilder& steps, const Circle& circle, Ref blocks, int root);
/// The other way: the root has all blocks, others get their own and those of the members below them.
void scatter_circle(ScheduleBuilder& steps, const Circle& circle, Ref blocks, int root);

}  // namespace atl::coll::detail
