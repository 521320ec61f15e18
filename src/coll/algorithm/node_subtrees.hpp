// SPDX-License-Identifier: Apache-2.0
// Reductions of two levels, evaluated in the one tree over the ranks whatever the nodes: each node reduces the largest
// subtrees whose ranks are all its own; leaders exchange those and evaluate what is above them. With consecutive ranks
// a node has at most 2·log2 n subtrees, most often one.
#pragma once

#include <vector>

#include "hierarchy.hpp"

namespace atl::coll::detail {

/// A node of the reduction tree, by the leaves below it; a leaf may stand for a pair of ranks.
class Subtree {
 public:
  static Subtree whole(int size) {
    const ReductionTree tree(0, size);
    return Subtree(tree, 0, tree.leaves());
  }
  int first() const { return first_; }
  int end() const { return end_; }
  bool is_one_rank() const { return end_ - first_ == 1; }
  Subtree left() const { return count_ > 1 ? Subtree(tree_, leaf_, count_ / 2) : Subtree(tree_, first_); }
  Subtree right() const {
    return count_ > 1 ? Subtree(tree_, leaf_ + count_ / 2, count_ / 2) : Subtree(tree_, first_ + 1);
  }
  /// The node of all its ranks, or -1.
  int common_node(const Placement& placement) const;

 private:
  Subtree(const ReductionTree& tree, int leaf, int count)
      : tree_(tree), leaf_(leaf), count_(count), first_(tree.rank_of(leaf)), end_(tree.rank_of(leaf + count)) {}
  Subtree(const ReductionTree& tree, int rank) : tree_(tree), leaf_(0), count_(1), first_(rank), end_(rank + 1) {}

  ReductionTree tree_;
  int leaf_;
  int count_;
  int first_;
  int end_;
};

/// The values of the nodes' subtrees, of `bytes` each, as a member's steps make them.
class NodeSubtrees {
 public:
  NodeSubtrees(ScheduleBuilder& steps, const Hierarchy& hierarchy, std::uint64_t bytes);
  /// Every member: brings this node's values to the leader, the first of parts().
  void reduce_inside();
  /// Leaders: where the values of this node and of those round the circle lie.
  const Circle& circle() const { return circle_; }
  Ref parts() const { return parts_; }
  /// For leaders that have all parts: combines them. Returns where the result lies.
  Ref evaluate();

 private:
  void reduce_to_first(const Subtree& subtree);
  void hand_to_leader(int holder, Ref part);
  Ref evaluate(const Subtree& subtree);

  ScheduleBuilder& steps_;
  const Hierarchy& hierarchy_;
  std::uint64_t bytes_;
  Subtree whole_;
  Circle circle_;
  Ref own_ = in_at(0);
  Ref folded_;
  Ref parts_;
  std::vector<Ref> next_part_;
};

}  // namespace atl::coll::detail
