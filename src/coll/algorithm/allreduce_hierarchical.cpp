// SPDX-License-Identifier: Apache-2.0
// Allreduce of two levels, evaluated in the one tree over the ranks whatever the nodes: each node reduces the subtrees
// whose ranks are all its own, leaders exchange those and evaluate what is above them, then every node hears the
// result. With consecutive ranks a node has at most 2·log2 n subtrees, most often one.
#include "hierarchy.hpp"

namespace atl::coll::detail {
namespace {

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
  int common_node(const Placement& placement) const {
    for (int rank = first_ + 1; rank < end_; ++rank)
      if (placement.node_of(rank) != placement.node_of(first_)) return -1;
    return placement.node_of(first_);
  }

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

/// The largest subtrees that lie on one node each, in order: calls visit(subtree, node).
template <class Visit>
void for_node_subtrees(const Subtree& subtree, const Placement& placement, Visit& visit) {
  if (const int node = subtree.common_node(placement); node >= 0) return visit(subtree, node);
  for_node_subtrees(subtree.left(), placement, visit);
  for_node_subtrees(subtree.right(), placement, visit);
}

class Writer {
 public:
  Writer(ScheduleBuilder& steps, std::uint64_t bytes) : steps_(steps), hierarchy_(steps), bytes_(bytes) {}

  void write() {
    const Placement& placement = hierarchy_.placement();
    const Subtree whole = Subtree::whole(steps_.size());
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(placement.nodes()), 0);
    auto count = [&](const Subtree&, int node) { sizes[static_cast<std::size_t>(node)] += bytes_; };
    for_node_subtrees(whole, placement, count);
    const Circle circle(sizes, hierarchy_.node());
    if (hierarchy_.leads()) parts_ = steps_.scratch(circle.bytes());
    Ref own_part = parts_;
    auto reduce_own = [&](const Subtree& subtree, int node) {
      if (node != hierarchy_.node()) return;
      reduce_to_first(subtree);
      hand_to_leader(subtree.first(), own_part);
      own_part = own_part + bytes_;
    };
    for_node_subtrees(whole, placement, reduce_own);

    if (hierarchy_.leads()) {
      ScheduleBuilder across = hierarchy_.across();
      allgather_circle(across, circle, parts_);
      for (int node = 0; node < placement.nodes(); ++node) next_part_.push_back(parts_ + circle.offset_of(node));
      steps_.copy(out_at(0), evaluate(whole), bytes_);
    }
    ScheduleBuilder inside = hierarchy_.inside();
    Arguments result;
    result.bytes = bytes_;
    result.root = hierarchy_.leader_inside();
    Selection::write_level(Kind::broadcast, inside, result);
  }

 private:
  // This member's steps in bringing the value of the subtree to its first rank.
  void reduce_to_first(const Subtree& subtree) {
    const int rank = steps_.rank();
    if (subtree.is_one_rank() || rank < subtree.first() || rank >= subtree.end()) return;
    const Subtree right = subtree.right();
    reduce_to_first(rank < right.first() ? subtree.left() : right);
    if (rank == subtree.first()) {
      if (own_.space == Space::input) folded_ = steps_.scratch(bytes_);
      steps_.recv_fold(right.first(), folded_, own_, bytes_, Side::right);
      own_ = folded_;
    } else if (rank == right.first()) {
      steps_.send(subtree.first(), own_, bytes_);
    }
    steps_.join();
  }
  void hand_to_leader(int holder, Ref part) {
    if (hierarchy_.leads() && holder == steps_.rank()) steps_.copy(part, own_, bytes_);
    else if (hierarchy_.leads()) steps_.recv(holder, part, bytes_);
    else if (holder == steps_.rank()) steps_.send(hierarchy_.leader(), own_, bytes_);
    steps_.join();
  }
  // Leaders: where the subtree's value lies once these steps are done. Parts are used in the order they were made in.
  Ref evaluate(const Subtree& subtree) {
    if (const int node = subtree.common_node(hierarchy_.placement()); node >= 0) {
      Ref& next = next_part_[static_cast<std::size_t>(node)];
      const Ref part = next;
      next = next + bytes_;
      return part;
    }
    const Ref left = evaluate(subtree.left()), right = evaluate(subtree.right());
    steps_.reduce(left, left, right, bytes_);
    return left;
  }

  ScheduleBuilder& steps_;
  Hierarchy hierarchy_;
  std::uint64_t bytes_;
  Ref own_ = in_at(0);
  Ref folded_;
  Ref parts_;
  std::vector<Ref> next_part_;
};

}  // namespace

void allreduce_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Writer(steps, arguments.bytes).write();
}

}  // namespace atl::coll::detail
