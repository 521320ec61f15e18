// SPDX-License-Identifier: Apache-2.0
// Two-level gatherv and scatterv: a node's blocks travel between its members and its leader, and between leaders and
// the root as one message. The root's node has nodes - 1 messages instead of one for each member of another node, for
// one more copy. Leaders know the sizes from an earlier round (sizes_to_leader); without that round members exchange
// directly with the root.
#include "hierarchy.hpp"

namespace atl::coll::detail {
namespace {

std::uint64_t sum(std::span<const std::uint64_t> sizes) {
  std::uint64_t all = 0;
  for (std::uint64_t size : sizes) all += size;
  return all;
}

// Calls visit(node, bytes of its members together) for the other nodes, nearest first.
template <class Size, class Visit>
void for_other_nodes(const Hierarchy& hierarchy, Size&& size, Visit&& visit) {
  const Placement& placement = hierarchy.placement();
  for (int i = 1; i < placement.nodes(); ++i) {
    const int node = (hierarchy.node() + i) % placement.nodes();
    std::uint64_t bytes = 0;
    for (int member : placement.members(node)) bytes += size(member);
    visit(node, bytes);
  }
}

}  // namespace

void sizes_to_leader(ScheduleBuilder& steps, int root, std::uint64_t bytes) {
  Hierarchy hierarchy(steps, root);
  if (hierarchy.leads()) {
    Ref to = out_at(0);
    for (int member : hierarchy.members()) {
      if (member == steps.rank()) steps.copy(to, in_at(0), bytes);
      else steps.recv(member, to, bytes);
      to = to + bytes;
    }
  } else {
    steps.send(hierarchy.leader(), in_at(0), bytes);
  }
  steps.join();
}

void gatherv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  if (!arguments.sized) return gatherv_flat(steps, arguments);
  Hierarchy hierarchy(steps, arguments.root);
  const Ref own = address_of(arguments.in);
  if (!hierarchy.leads()) {
    steps.send(hierarchy.leader(), own, arguments.bytes);
    return steps.join();
  }
  const std::vector<int>& members = hierarchy.members();
  if (steps.rank() != arguments.root) {
    const std::uint64_t together = sum(arguments.sizes.first(members.size()));
    Ref all = steps.scratch(together), to = all;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] == steps.rank()) steps.copy(to, own, arguments.bytes);
      else steps.recv(members[i], to, arguments.sizes[i]);
      to = to + arguments.sizes[i];
    }
    steps.join();
    steps.send(arguments.root, all, together);
    return steps.join();
  }
  auto block = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  auto size = [&](int member) { return block(member).bytes; };
  for (int member : members) {
    if (member == steps.rank()) steps.copy(address_of(block(member).data), own, arguments.bytes);
    else steps.recv(member, address_of(block(member).data), size(member));
  }
  std::vector<std::pair<int, Ref>> arriving;
  for_other_nodes(hierarchy, size, [&](int node, std::uint64_t bytes) {
    arriving.emplace_back(node, steps.scratch(bytes));
    steps.recv(hierarchy.leader_of(node), arriving.back().second, bytes);
  });
  steps.join();
  for (auto [node, from] : arriving)
    for (int member : hierarchy.placement().members(node)) {
      steps.copy(address_of(block(member).data), from, size(member));
      from = from + size(member);
    }
}

void scatterv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  if (!arguments.sized) return scatterv_flat(steps, arguments);
  Hierarchy hierarchy(steps, arguments.root);
  const Ref own = address_of(arguments.out);
  if (!hierarchy.leads()) {
    steps.recv(hierarchy.leader(), own, arguments.bytes);
    return steps.join();
  }
  const std::vector<int>& members = hierarchy.members();
  if (steps.rank() != arguments.root) {
    const std::uint64_t together = sum(arguments.sizes.first(members.size()));
    Ref from = steps.scratch(together);
    steps.recv(arguments.root, from, together);
    steps.join();
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] == steps.rank()) steps.copy(own, from, arguments.bytes);
      else steps.send(members[i], from, arguments.sizes[i]);
      from = from + arguments.sizes[i];
    }
    return steps.join();
  }
  auto block = [&](int member) -> const ConstBlock& { return arguments.in_blocks[static_cast<std::size_t>(member)]; };
  auto size = [&](int member) { return block(member).bytes; };
  for_other_nodes(hierarchy, size, [&](int node, std::uint64_t bytes) {
    Ref all = steps.scratch(bytes), to = all;
    for (int member : hierarchy.placement().members(node)) {
      steps.copy(to, address_of(block(member).data), size(member));
      to = to + size(member);
    }
    steps.send(hierarchy.leader_of(node), all, bytes);
  });
  for (int member : members) {
    if (member == steps.rank()) steps.copy(own, address_of(block(member).data), arguments.bytes);
    else steps.send(member, address_of(block(member).data), size(member));
  }
  steps.join();
}

}  // namespace atl::coll::detail
