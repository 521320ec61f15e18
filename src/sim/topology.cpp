// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/topology.hpp"

#include <algorithm>

#include "atoll/base/random.hpp"

namespace atl::sim {

Topology::Topology(const Machine& machine, std::uint32_t nodes) : machine_(machine), nodes_(nodes) {
  switch (machine.topology) {
    case TopologyKind::crossbar: break;
    case TopologyKind::torus:
      size_[0] = machine.torus_x, size_[1] = machine.torus_y, size_[2] = machine.torus_z;
      links_ = std::uint64_t{nodes} * 6;
      break;
    case TopologyKind::fat_tree: {
      // Groups of level i have arity^(i+1) nodes; the last has all, and no links up.
      std::uint64_t over = 1;
      for (std::uint64_t below = machine.arity;; below *= machine.arity) {
        over *= machine.oversubscription;
        below_.push_back(below);
        lanes_.push_back(std::max<std::uint64_t>(1, below / over));
        up_.push_back(links_);
        if (below >= nodes) break;
        links_ += (nodes + below - 1) / below * lanes_.back() * 2;
      }
      break;
    }
    case TopologyKind::dragonfly: {
      const std::uint64_t in_group = machine.nodes_per_router * machine.routers_per_group;
      groups_ = (nodes + in_group - 1) / in_group;
      links_ = groups_ * machine.routers_per_group * (machine.routers_per_group + machine.global_links);
      break;
    }
  }
}

std::uint32_t Topology::routers(std::uint32_t from, std::uint32_t to) const {
  switch (machine_.topology) {
    case TopologyKind::crossbar: return 1;
    case TopologyKind::torus: {
      std::uint32_t hops = 1;  // the source's own
      std::uint64_t a = from, b = to;
      for (std::uint64_t size : size_) {
        const std::uint64_t x = a % size, y = b % size, distance = x > y ? x - y : y - x;
        hops += static_cast<std::uint32_t>(std::min(distance, size - distance));
        a /= size, b /= size;
      }
      return hops;
    }
    case TopologyKind::fat_tree: return 2 * fat_tree_level(from, to) + 1;
    case TopologyKind::dragonfly: return dragonfly_routers(from, to);
  }
  return 1;
}

void Topology::route(std::uint32_t from, std::uint32_t to, const Load& load, std::uint64_t random, Route& route) const {
  route.clear();
  const bool adaptive = machine_.routing == Routing::adaptive && !load.empty();
  switch (machine_.topology) {
    case TopologyKind::crossbar: return;
    case TopologyKind::torus: {
      static constexpr unsigned orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
      if (!adaptive) return torus_route(from, to, orders[0], route);
      // The order of dimensions whose links are free soonest.
      Time best = ~Time{0};
      Route other;
      for (const auto& order : orders) {
        other.clear();
        torus_route(from, to, order, other);
        Time latest = 0;
        for (std::uint32_t link : other) latest = std::max(latest, load[link]);
        if (latest < best) best = latest, route = other;
      }
      return;
    }
    case TopologyKind::fat_tree: return fat_tree_route(from, to, load, route);
    case TopologyKind::dragonfly: {
      dragonfly_route(from, to, -1, route);
      if (!adaptive || groups_ < 3) return;
      const auto third = static_cast<std::int64_t>(to_bounded(random, groups_));
      Route other;
      dragonfly_route(from, to, third, other);
      auto latest = [&](const Route& way) {
        Time time = 0;
        for (std::uint32_t link : way) time = std::max(time, load[link]);
        return time;
      };
      // Twice the way: worth it when the short one's links are busy for longer than what the longer one takes more.
      const Time more = (other.size() > route.size() ? other.size() - route.size() : 0) * machine_.router_ps;
      if (latest(other) + more < latest(route)) route = other;
      return;
    }
  }
}

void Topology::torus_route(std::uint32_t from, std::uint32_t to, const unsigned (&order)[3], Route& route) const {
  std::uint64_t at[3], end[3];
  std::uint64_t a = from, b = to;
  for (int i = 0; i < 3; ++i) at[i] = a % size_[i], end[i] = b % size_[i], a /= size_[i], b /= size_[i];
  for (unsigned axis : order) {
    const std::uint64_t size = size_[axis];
    const std::uint64_t up = (end[axis] + size - at[axis]) % size;
    const bool rising = up <= size - up;
    while (at[axis] != end[axis]) {
      route.add(torus_link(at[0] + size_[0] * (at[1] + size_[1] * at[2]), 2 * axis + (rising ? 0 : 1)));
      at[axis] = rising ? (at[axis] + 1) % size : (at[axis] + size - 1) % size;
    }
  }
}

// The lowest level whose group has both.
std::uint32_t Topology::fat_tree_level(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t level = 0;
  while (from / below_[level] != to / below_[level]) ++level;
  return level;
}

void Topology::fat_tree_route(std::uint32_t from, std::uint32_t to, const Load& load, Route& route) const {
  const std::uint32_t top = fat_tree_level(from, to);
  const bool adaptive = machine_.routing == Routing::adaptive && !load.empty();
  std::uint64_t downs[64];
  for (std::uint32_t level = 0; level < top; ++level) {
    const std::uint64_t lanes = lanes_[level];
    const std::uint64_t up = up_[level] + from / below_[level] * lanes * 2,
                        down = up_[level] + to / below_[level] * lanes * 2 + lanes;
    // By destination (d-mod-k), so that what goes to one node shares links with nothing else that goes elsewhere; or
    // the lane that is free soonest.
    std::uint64_t lane = to % lanes;
    if (adaptive)
      for (std::uint64_t other = 0; other < lanes; ++other)
        if (std::max(load[up + other], load[down + other]) < std::max(load[up + lane], load[down + lane])) lane = other;
    route.add(up + lane);
    downs[level] = down + lane;
  }
  for (std::uint32_t level = top; level-- > 0;) route.add(downs[level]);
}

// Which router of a group has the link to another, and which of its links. Where there are more links than groups they
// are the first.
std::uint64_t Topology::gateway(std::uint64_t group, std::uint64_t to_group, std::uint64_t& global) const {
  const std::uint64_t link = (to_group + groups_ - group) % groups_ - 1;
  global = link % machine_.global_links;
  return link / machine_.global_links;
}

void Topology::dragonfly_local(std::uint64_t from, std::uint64_t to, Route& route) const {
  const std::uint64_t a = machine_.routers_per_group;
  if (from != to) route.add(from * (a + machine_.global_links) + to % a);
}

void Topology::dragonfly_to_group(std::uint64_t router, std::uint64_t group, Route& route, std::uint64_t& at) const {
  const std::uint64_t a = machine_.routers_per_group, own = router / a;
  at = router;
  if (own == group) return;
  std::uint64_t global, back;
  const std::uint64_t leave = own * a + gateway(own, group, global);
  dragonfly_local(router, leave, route);
  route.add(leave * (a + machine_.global_links) + a + global);
  at = group * a + gateway(group, own, back);
}

void Topology::dragonfly_route(std::uint32_t from, std::uint32_t to, std::int64_t by, Route& route) const {
  const std::uint64_t a = machine_.routers_per_group;
  const std::uint64_t first = from / machine_.nodes_per_router, last = to / machine_.nodes_per_router;
  std::uint64_t at = first;
  if (by >= 0) dragonfly_to_group(at, static_cast<std::uint64_t>(by), route, at);
  dragonfly_to_group(at, last / a, route, at);
  dragonfly_local(at, last, route);
}

std::uint32_t Topology::dragonfly_routers(std::uint32_t from, std::uint32_t to) const {
  const std::uint64_t a = machine_.routers_per_group;
  const std::uint64_t first = from / machine_.nodes_per_router, last = to / machine_.nodes_per_router;
  if (first == last) return 1;
  if (first / a == last / a) return 2;
  std::uint64_t unused;
  const std::uint64_t leave = first / a * a + gateway(first / a, last / a, unused);
  const std::uint64_t enter = last / a * a + gateway(last / a, first / a, unused);
  return 2 + (leave != first ? 1 : 0) + (enter != last ? 1 : 0);
}

std::uint64_t Topology::bisection_links() const {
  switch (machine_.topology) {
    case TopologyKind::crossbar: return nodes_;
    case TopologyKind::torus: {
      // Across the longest axis, which is cut twice where it is a ring of more than two.
      const std::uint64_t longest = *std::max_element(size_, size_ + 3);
      return nodes_ / longest * (longest > 2 ? 2 : 1) * (longest > 1 ? 2 : 0);
    }
    case TopologyKind::fat_tree: {
      if (below_.size() < 2) return nodes_;
      const std::size_t level = below_.size() - 2;
      return (nodes_ + below_[level] - 1) / below_[level] * lanes_[level];
    }
    case TopologyKind::dragonfly: {
      const std::uint64_t half = groups_ / 2;
      return groups_ < 2 ? nodes_ : half * (groups_ - half) * 2;
    }
  }
  return 0;
}

}  // namespace atl::sim
