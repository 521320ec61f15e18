// SPDX-License-Identifier: Apache-2.0
// Allgather of two levels without leaders: each member sends its block to one member of every other node, its column, who shares
// it with the others there. A node hears each block of the others once, all its members listen, and blocks go straight to
// their places. For long blocks.
#include <vector>

#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

class Columns {
 public:
  Columns(const Placement& placement, int rank)
      : placement_(placement), rank_(rank), node_(placement.node_of(rank)), place_(placement.index_in_node(rank)) {}

  /// Of this node, but this one, from the next on.
  std::vector<int> others() const {
    const auto& here = placement_.members(node_);
    std::vector<int> found;
    for (std::size_t i = 1; i < here.size(); ++i) found.push_back(here[(static_cast<std::size_t>(place_) + i) % here.size()]);
    return found;
  }
  /// The node that many before this one (after it, if negative), round the circle.
  int node_before(int distance) const { return (node_ - distance + placement_.nodes()) % placement_.nodes(); }
  /// Who of another node hears this member's block.
  int listener(int node) const {
    const auto& there = placement_.members(node);
    return there[static_cast<std::size_t>(place_) % there.size()];
  }
  /// Most blocks of that node that one member of this one hears.
  std::size_t rounds(int node) const {
    std::size_t here = placement_.members(node_).size();
    return (placement_.members(node).size() + here - 1) / here;
  }
  /// Whose block `member` of this node hears of that node in that round; -1: nobody's.
  int heard(int member, int node, std::size_t round) const {
    const auto& there = placement_.members(node);
    std::size_t i = round * placement_.members(node_).size() + static_cast<std::size_t>(placement_.index_in_node(member));
    return i < there.size() ? there[i] : -1;
  }
  int nodes() const { return placement_.nodes(); }
  int rank() const { return rank_; }

 private:
  const Placement& placement_;
  int rank_, node_, place_;
};

template <class At, class Length>
void gather_by_columns(ScheduleBuilder& steps, Ref own, At&& at, Length&& length) {
  const Columns columns(steps.placement(), steps.rank());
  const std::vector<int> others = columns.others();
  const int rank = columns.rank();
  for (int i = 1; i < columns.nodes(); ++i) steps.send(columns.listener(columns.node_before(-i)), own, length(rank));
  for (int other : others) steps.send(other, own, length(rank));
  steps.copy(at(rank), own, length(rank));
  for (int other : others) steps.recv(other, at(other), length(other));
  for (int i = 1; i < columns.nodes(); ++i) {
    int node = columns.node_before(i);
    for (std::size_t round = 0; round < columns.rounds(node); ++round)
      if (int heard = columns.heard(rank, node, round); heard >= 0) steps.recv(heard, at(heard), length(heard));
  }
  steps.join();
  for (int i = 1; i < columns.nodes(); ++i) {
    int node = columns.node_before(i);
    for (std::size_t round = 0; round < columns.rounds(node); ++round) {
      int mine = columns.heard(rank, node, round);
      for (int other : others)
        if (mine >= 0) steps.send(other, at(mine), length(mine));
      for (int other : others)
        if (int heard = columns.heard(other, node, round); heard >= 0) steps.recv(other, at(heard), length(heard));
      steps.join();
    }
  }
}

}  // namespace

void allgather_columns(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  gather_by_columns(steps, in_at(0), [&](int member) { return out_at(bytes * static_cast<std::uint64_t>(member)); },
                    [&](int) { return bytes; });
}

void allgatherv_columns(ScheduleBuilder& steps, const Arguments& arguments) {
  auto block = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  gather_by_columns(steps, address_of(arguments.in), [&](int member) { return address_of(block(member).data); },
                    [&](int member) { return block(member).bytes; });
}

}  // namespace atl::coll::detail
