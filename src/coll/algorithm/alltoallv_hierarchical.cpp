// SPDX-License-Identifier: Apache-2.0
// Two-level alltoallv for short blocks: members exchange directly inside a node, and send blocks for other nodes to
// their leader. Leaders exchange one message with each other node, and send each member its blocks: (nodes - 1)·α
// between nodes for each leader instead of (members of other nodes)·α for each member, for three more copies. Leaders
// know the sizes from an earlier round (sizes_to_leader: the bytes that each member sends and receives); without that
// round members send directly.
#include "hierarchy.hpp"

namespace atl::coll::detail {
namespace {

class Writer {
 public:
  Writer(ScheduleBuilder& steps, const Arguments& arguments)
      : steps_(steps),
        arguments_(arguments),
        hierarchy_(steps),
        placement_(hierarchy_.placement()),
        n_(static_cast<std::size_t>(steps.size())) {}

  void write() {
    exchange_inside();
    if (placement_.nodes() == 1) return;
    if (hierarchy_.leads()) lead();
    else follow();
  }

 private:
  std::uint64_t gives(int member) const { return arguments_.in_blocks[static_cast<std::size_t>(member)].bytes; }
  std::uint64_t takes(int member) const { return arguments_.out_blocks[static_cast<std::size_t>(member)].bytes; }
  // Bytes that a member of this node, named by its index in the node, sends to `member`.
  std::uint64_t gives(std::size_t here, int member) const {
    return arguments_.sizes[here * 2 * n_ + static_cast<std::size_t>(member)];
  }
  std::uint64_t takes(std::size_t here, int member) const {
    return arguments_.sizes[(here * 2 + 1) * n_ + static_cast<std::size_t>(member)];
  }
  Ref source(int member) const { return address_of(arguments_.in_blocks[static_cast<std::size_t>(member)].data); }
  Ref target(int member) const { return address_of(arguments_.out_blocks[static_cast<std::size_t>(member)].data); }

  /// Calls visit(member) for the members of other nodes, ordered by distance of the node, then by rank.
  template <class Visit>
  void for_far_members(Visit&& visit) const {
    for (int distance = 1; distance < placement_.nodes(); ++distance)
      for (int member : placement_.members((hierarchy_.node() + distance) % placement_.nodes())) visit(member);
  }
  template <class Size>
  std::uint64_t far_bytes(Size&& size) const {
    std::uint64_t all = 0;
    for_far_members([&](int member) { all += size(member); });
    return all;
  }
  void exchange_inside() {
    for (int member : hierarchy_.members())
      if (member != steps_.rank()) steps_.send(member, source(member), gives(member));
    steps_.copy(target(steps_.rank()), source(steps_.rank()), gives(steps_.rank()));
    for (int member : hierarchy_.members())
      if (member != steps_.rank()) steps_.recv(member, target(member), takes(member));
    steps_.join();
  }
  void pack(Ref to) {
    for_far_members([&](int member) {
      steps_.copy(to, source(member), gives(member));
      to = to + gives(member);
    });
  }
  void unpack(Ref from) {
    for_far_members([&](int member) {
      steps_.copy(target(member), from, takes(member));
      from = from + takes(member);
    });
  }

  void follow() {
    const std::uint64_t out = far_bytes([&](int member) { return gives(member); });
    const std::uint64_t in = far_bytes([&](int member) { return takes(member); });
    Ref space = steps_.scratch(out + in);
    pack(space);
    steps_.send(hierarchy_.leader(), space, out);
    steps_.join();
    steps_.recv(hierarchy_.leader(), space + out, in);
    steps_.join();
    unpack(space + out);
  }

  void lead() {
    const std::vector<int>& members = hierarchy_.members();
    std::vector<Ref> given, taken;  // of each member here, in the order of for_far_members()
    for (std::size_t here = 0; here < members.size(); ++here) {
      const std::uint64_t bytes = far_bytes([&](int member) { return gives(here, member); });
      given.push_back(steps_.scratch(bytes));
      taken.push_back(steps_.scratch(far_bytes([&](int member) { return takes(here, member); })));
      if (members[here] == steps_.rank()) pack(given.back());
      else steps_.recv(members[here], given.back(), bytes);
    }
    steps_.join();
    exchange_across(given, taken);
    for (std::size_t here = 0; here < members.size(); ++here) {
      if (members[here] == steps_.rank()) unpack(taken[here]);
      else steps_.send(members[here], taken[here], far_bytes([&](int member) { return takes(here, member); }));
    }
    steps_.join();
  }

  // A message between two nodes has the blocks of each member of one node for each member of the other.
  void exchange_across(std::vector<Ref> given, std::vector<Ref> taken) {
    struct Message {
      int node;
      Ref at;
      std::uint64_t bytes;
    };
    std::vector<Message> arriving;
    for (int distance = 1; distance < placement_.nodes(); ++distance) {
      const int node = (hierarchy_.node() + distance) % placement_.nodes();
      std::uint64_t out = 0, in = 0;
      for (std::size_t here = 0; here < given.size(); ++here)
        for (int member : placement_.members(node)) out += gives(here, member), in += takes(here, member);
      Ref leaving = steps_.scratch(out), to = leaving;
      for (std::size_t here = 0; here < given.size(); ++here)
        for (int member : placement_.members(node)) {
          const std::uint64_t bytes = gives(here, member);
          steps_.copy(to, given[here], bytes);
          to = to + bytes, given[here] = given[here] + bytes;
        }
      arriving.push_back({node, steps_.scratch(in), in});
      steps_.send(hierarchy_.leader_of(node), leaving, out);
    }
    for (const Message& message : arriving) steps_.recv(hierarchy_.leader_of(message.node), message.at, message.bytes);
    steps_.join();
    for (const Message& message : arriving) {
      Ref from = message.at;
      std::vector<Ref> to = taken;
      // The sender's members are the outer loop: the sender packed its blocks in this order.
      for (int member : placement_.members(message.node))
        for (std::size_t here = 0; here < taken.size(); ++here) {
          const std::uint64_t bytes = takes(here, member);
          steps_.copy(to[here], from, bytes);
          from = from + bytes, to[here] = to[here] + bytes;
        }
      taken = to;
    }
  }

  ScheduleBuilder& steps_;
  const Arguments& arguments_;
  Hierarchy hierarchy_;
  const Placement& placement_;
  std::size_t n_;
};

}  // namespace

void alltoallv_hierarchical(ScheduleBuilder& steps, const Arguments& arguments) {
  if (!arguments.sized) return alltoallv_flat(steps, arguments);
  Writer(steps, arguments).write();
}

}  // namespace atl::coll::detail
