// SPDX-License-Identifier: Apache-2.0
// Two-level alltoall for short blocks: members exchange directly inside a node, and send blocks for other nodes to
// their leader. Leaders exchange by Bruck's algorithm, with all blocks between two nodes as one block, and send each
// member its blocks.
#include <algorithm>

#include "hierarchy.hpp"

namespace atl::coll::detail {
namespace {

class Writer {
 public:
  Writer(ScheduleBuilder& steps, std::uint64_t bytes)
      : steps_(steps), hierarchy_(steps), placement_(hierarchy_.placement()), bytes_(bytes) {}

  void write() {
    exchange_inside();
    if (placement_.nodes() == 1) return;
    const std::uint64_t inside = members_of(hierarchy_.node());
    const std::uint64_t far_bytes = (static_cast<std::uint64_t>(steps_.size()) - inside) * bytes_;
    if (!hierarchy_.leads()) {
      Ref far = steps_.scratch(far_bytes);
      for_far_members([&](int member, std::uint64_t at) { steps_.copy(far + at, in_at(offset(member)), bytes_); });
      steps_.send(hierarchy_.leader(), far, far_bytes);
      steps_.join();
      steps_.recv(hierarchy_.leader(), far, far_bytes);
      steps_.join();
      for_far_members([&](int member, std::uint64_t at) { steps_.copy(out_at(offset(member)), far + at, bytes_); });
      return;
    }
    // The blocks of each member of this node for other nodes, ordered by distance of the node, then by rank.
    Ref collected = steps_.scratch(far_bytes * inside);
    Ref own = collected + far_bytes * static_cast<std::uint64_t>(hierarchy_.leader_inside());
    for_far_members([&](int member, std::uint64_t at) { steps_.copy(own + at, in_at(offset(member)), bytes_); });
    for_other_members(
        [&](int member, std::uint64_t index) { steps_.recv(member, collected + far_bytes * index, far_bytes); });
    steps_.join();
    exchange_across(collected, far_bytes);
    for_other_members(
        [&](int member, std::uint64_t index) { steps_.send(member, collected + far_bytes * index, far_bytes); });
    for_far_members([&](int member, std::uint64_t at) { steps_.copy(out_at(offset(member)), own + at, bytes_); });
    steps_.join();
  }

 private:
  std::uint64_t offset(int member) const { return bytes_ * static_cast<std::uint64_t>(member); }
  std::uint64_t members_of(int node) const { return placement_.members(node).size(); }
  int node_at(int distance) const { return (hierarchy_.node() + distance + placement_.nodes()) % placement_.nodes(); }

  void exchange_inside() {
    const int rank = steps_.rank();
    for_other_members([&](int member, std::uint64_t) { steps_.send(member, in_at(offset(member)), bytes_); });
    steps_.copy(out_at(offset(rank)), in_at(offset(rank)), bytes_);
    for_other_members([&](int member, std::uint64_t) { steps_.recv(member, out_at(offset(member)), bytes_); });
    steps_.join();
  }
  /// Calls visit(member, index in the node) for the others of this node.
  template <class Visit>
  void for_other_members(Visit&& visit) {
    const auto& members = hierarchy_.members();
    for (std::size_t index = 0; index < members.size(); ++index)
      if (members[index] != steps_.rank()) visit(members[index], index);
  }
  /// Calls visit(member, offset among the far blocks of one member) for the members of other nodes.
  template <class Visit>
  void for_far_members(Visit&& visit) {
    std::uint64_t at = 0;
    for (int distance = 1; distance < placement_.nodes(); ++distance)
      for (int member : placement_.members(node_at(distance))) {
        visit(member, at);
        at += bytes_;
      }
  }

  /// Replaces the blocks in `collected` from members of this node by the blocks from other nodes for them.
  void exchange_across(Ref collected, std::uint64_t far_bytes) {
    const int nodes = placement_.nodes();
    std::uint64_t most = 0;
    for (int node = 0; node < nodes; ++node) most = std::max(most, members_of(node));
    const std::uint64_t slot = most * most * bytes_, all = slot * static_cast<std::uint64_t>(nodes);
    Ref work = steps_.scratch(all), outgoing = steps_.scratch(all), incoming = steps_.scratch(all);
    auto at = [&](int distance) { return work + slot * static_cast<std::uint64_t>(distance); };
    const std::uint64_t inside = members_of(hierarchy_.node());
    // Block i has the data for the node i ahead: from each member here to each member there. At the end it has the data
    // from the node i behind.
    auto move_blocks = [&](bool pack) {
      std::uint64_t column = 0;
      for (int distance = 1; distance < nodes; ++distance) {
        const std::uint64_t there = members_of(node_at(distance));
        const int block = pack ? distance : nodes - distance;
        for (std::uint64_t here = 0; here < inside; ++here)
          for (std::uint64_t other = 0; other < there; ++other) {
            const Ref member = collected + far_bytes * here + (column + other) * bytes_;
            if (pack) steps_.copy(at(block) + (here * there + other) * bytes_, member, bytes_);
            else steps_.copy(member, at(block) + (other * inside + here) * bytes_, bytes_);
          }
        column += there;
      }
    };
    move_blocks(true);
    ScheduleBuilder across = hierarchy_.across();
    for (int distance = 1; distance < nodes; distance *= 2) {
      // Block i of a node has travelled i % distance nodes so far.
      auto length = [&](int node, int i) {
        const int from = (node - i % distance + nodes) % nodes;
        return members_of(from) * members_of((from + i) % nodes) * bytes_;
      };
      const int next = node_at(distance), before = node_at(-distance);
      std::uint64_t packed = 0;
      for (int i = distance; i < nodes; ++i)
        if ((i & distance) != 0) {
          steps_.copy(outgoing + packed, at(i), length(hierarchy_.node(), i));
          packed += length(hierarchy_.node(), i);
        }
      std::uint64_t arriving = 0;
      for (int i = distance; i < nodes; ++i)
        if ((i & distance) != 0) arriving += length(before, i);
      across.send(next, outgoing, packed);
      across.recv(before, incoming, arriving);
      across.join();
      packed = 0;
      for (int i = distance; i < nodes; ++i)
        if ((i & distance) != 0) {
          steps_.copy(at(i), incoming + packed, length(before, i));
          packed += length(before, i);
        }
    }
    move_blocks(false);
  }

  ScheduleBuilder& steps_;
  Hierarchy hierarchy_;
  const Placement& placement_;
  std::uint64_t bytes_;
};

}  // namespace

void alltoall_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  Writer(steps, arguments.bytes).write();
}

}  // namespace atl::coll::detail
