// SPDX-License-Identifier: Apache-2.0
// Two-level allgather: a node's blocks go to its leader, leaders run Bruck's allgather, and each leader broadcasts all
// blocks inside its node. A node receives each block of other nodes once.
#include "hierarchy.hpp"

namespace atl::coll::detail {
namespace {

template <class At, class Length>
void gather_by_nodes(ScheduleBuilder& steps, Ref own, At&& at, Length&& length) {
  Hierarchy hierarchy(steps);
  const Placement& placement = hierarchy.placement();
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(placement.nodes()), 0);
  for (int member = 0; member < placement.size(); ++member)
    sizes[static_cast<std::size_t>(placement.node_of(member))] += length(member);
  const Circle circle(sizes, hierarchy.node());
  Ref work = steps.scratch(circle.bytes());

  if (hierarchy.leads()) {
    std::uint64_t offset = 0;
    for (int member : hierarchy.members()) {
      if (member == steps.rank()) steps.copy(work + offset, own, length(member));
      else steps.recv(member, work + offset, length(member));
      offset += length(member);
    }
    steps.join();
    ScheduleBuilder across = hierarchy.across();
    allgather_circle(across, circle, work);
  } else {
    steps.send(hierarchy.leader(), own, length(steps.rank()));
    steps.join();
  }
  ScheduleBuilder inside = hierarchy.inside(work, work);
  Arguments whole;
  whole.bytes = circle.bytes();
  whole.root = hierarchy.leader_inside();
  Selection::write_level(Kind::broadcast, inside, whole);

  for (int node = 0; node < placement.nodes(); ++node) {
    std::uint64_t offset = circle.offset_of(node);
    for (int member : placement.members(node)) {
      steps.copy(at(member), work + offset, length(member));
      offset += length(member);
    }
  }
}

}  // namespace

void allgather_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  gather_by_nodes(
      steps, in_at(0), [&](int member) { return out_at(bytes * static_cast<std::uint64_t>(member)); },
      [&](int) { return bytes; });
}

void allgatherv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  auto block = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  gather_by_nodes(
      steps, address_of(arguments.in), [&](int member) { return address_of(block(member).data); },
      [&](int member) { return block(member).bytes; });
}

}  // namespace atl::coll::detail
