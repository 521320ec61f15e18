// SPDX-License-Identifier: Apache-2.0
// Two-level allgather without leaders: each member sends its block to one member of every other node, its column, which
// shares it with the members of its node. A node receives each block of other nodes once, all its members receive, and
// blocks go directly to their destinations. For long blocks.
#include <vector>

#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

class Columns {
 public:
  explicit Columns(const ScheduleBuilder& steps)
      : placement_(steps.placement()),
        node_(placement_.node_of(steps.rank())),
        place_(placement_.index_in_node(steps.rank())) {}

  /// The other members of this node, from the next one on.
  std::vector<int> others() const {
    const auto& here = placement_.members(node_);
    std::vector<int> found;
    for (std::size_t i = 1; i < here.size(); ++i)
      found.push_back(here[(static_cast<std::size_t>(place_) + i) % here.size()]);
    return found;
  }
  /// The member of each other node that receives this member's block, from the next node on.
  std::vector<int> listeners() const {
    std::vector<int> found;
    for (int i = 1; i < placement_.nodes(); ++i) {
      const auto& there = placement_.members((node_ + i) % placement_.nodes());
      found.push_back(there[static_cast<std::size_t>(place_) % there.size()]);
    }
    return found;
  }
  /// Calls turn(source_of) until all blocks of other nodes have been received. In each turn source_of(member) is the
  /// sender whose block that member of this node receives; -1: none.
  template <class Turn>
  void each_turn(Turn&& turn) const {
    const std::size_t here = placement_.members(node_).size();
    for (int i = 1; i < placement_.nodes(); ++i) {
      const auto& there = placement_.members((node_ - i + placement_.nodes()) % placement_.nodes());
      for (std::size_t first = 0; first < there.size(); first += here)
        turn([&](int member) {
          std::size_t at = first + static_cast<std::size_t>(placement_.index_in_node(member));
          return at < there.size() ? there[at] : -1;
        });
    }
  }

 private:
  const Placement& placement_;
  int node_, place_;
};

template <class At, class Length>
void gather_by_columns(ScheduleBuilder& steps, Ref own, At&& at, Length&& length) {
  const Columns columns(steps);
  const std::vector<int> others = columns.others();
  const int rank = steps.rank();
  for (int listener : columns.listeners()) steps.send(listener, own, length(rank));
  for (int other : others) steps.send(other, own, length(rank));
  steps.copy(at(rank), own, length(rank));
  for (int other : others) steps.recv(other, at(other), length(other));
  columns.each_turn([&](auto&& heard) {
    if (int from = heard(rank); from >= 0) steps.recv(from, at(from), length(from));
  });
  steps.join();
  columns.each_turn([&](auto&& heard) {
    int mine = heard(rank);
    for (int other : others)
      if (mine >= 0) steps.send(other, at(mine), length(mine));
    for (int other : others)
      if (int theirs = heard(other); theirs >= 0) steps.recv(other, at(theirs), length(theirs));
    steps.join();
  });
}

}  // namespace

void allgather_columns(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  gather_by_columns(
      steps, in_at(0), [&](int member) { return out_at(bytes * static_cast<std::uint64_t>(member)); },
      [&](int) { return bytes; });
}

void allgatherv_columns(ScheduleBuilder& steps, const Arguments& arguments) {
  auto block = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  gather_by_columns(
      steps, address_of(arguments.in), [&](int member) { return address_of(block(member).data); },
      [&](int member) { return block(member).bytes; });
}

}  // namespace atl::coll::detail
