// SPDX-License-Identifier: Apache-2.0
#include "node_subtrees.hpp"

namespace atl::coll::detail {
namespace {

/// The largest subtrees that lie on one node each, in order: calls visit(subtree, node).
template <class Visit>
void for_node_subtrees(const Subtree& subtree, const Placement& placement, Visit&& visit) {
  if (const int node = subtree.common_node(placement); node >= 0) return visit(subtree, node);
  for_node_subtrees(subtree.left(), placement, visit);
  for_node_subtrees(subtree.right(), placement, visit);
}

Circle circle_of(const Hierarchy& hierarchy, const Subtree& whole, std::uint64_t bytes) {
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(hierarchy.placement().nodes()), 0);
  for_node_subtrees(whole, hierarchy.placement(),
                    [&](const Subtree&, int node) { sizes[static_cast<std::size_t>(node)] += bytes; });
  return Circle(sizes, hierarchy.node());
}

}  // namespace

int Subtree::common_node(const Placement& placement) const {
  for (int rank = first_ + 1; rank < end_; ++rank)
    if (placement.node_of(rank) != placement.node_of(first_)) return -1;
  return placement.node_of(first_);
}

NodeSubtrees::NodeSubtrees(ScheduleBuilder& steps, const Hierarchy& hierarchy, std::uint64_t bytes)
    : steps_(steps),
      hierarchy_(hierarchy),
      bytes_(bytes),
      whole_(Subtree::whole(steps.size())),
      circle_(circle_of(hierarchy, whole_, bytes)) {
  if (hierarchy.leads()) parts_ = steps.scratch(circle_.bytes());
}

void NodeSubtrees::reduce_inside() {
  Ref part = parts_;
  for_node_subtrees(whole_, hierarchy_.placement(), [&](const Subtree& subtree, int node) {
    if (node != hierarchy_.node()) return;
    reduce_to_first(subtree);
    hand_to_leader(subtree.first(), part);
    part = part + bytes_;
  });
}

/// This member's steps in bringing the value of the subtree to its first rank.
void NodeSubtrees::reduce_to_first(const Subtree& subtree) {
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

void NodeSubtrees::hand_to_leader(int holder, Ref part) {
  if (hierarchy_.leads() && holder == steps_.rank()) steps_.copy(part, own_, bytes_);
  else if (hierarchy_.leads()) steps_.recv(holder, part, bytes_);
  else if (holder == steps_.rank()) steps_.send(hierarchy_.leader(), own_, bytes_);
  steps_.join();
}

Ref NodeSubtrees::evaluate() {
  next_part_.clear();
  for (int node = 0; node < hierarchy_.placement().nodes(); ++node)
    next_part_.push_back(parts_ + circle_.offset_of(node));
  return evaluate(whole_);
}

/// The values of a node are used in the order in which they were computed.
Ref NodeSubtrees::evaluate(const Subtree& subtree) {
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

}  // namespace atl::coll::detail
