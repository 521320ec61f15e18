// SPDX-License-Identifier: Apache-2.0
// The network between the nodes: the route of a message.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/sim/machine.hpp"
#include "atoll/sim/time.hpp"

namespace atl::sim {

/// Links by number, in the order in which they are passed.
class Route {
 public:
  static constexpr std::uint32_t most_links = 512;
  void clear() { count_ = 0; }
  void add(std::uint64_t link) {
    if (count_ < most_links) links_[count_++] = static_cast<std::uint32_t>(link);
  }
  const std::uint32_t* begin() const { return links_; }
  const std::uint32_t* end() const { return links_ + count_; }
  std::uint32_t size() const { return count_; }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t links_[most_links];
};

/// The time at which each link is free, by which adaptive routes are chosen; empty if links are not shared.
using Load = std::vector<Time>;

class Topology {
 public:
  Topology(const Machine& machine, std::uint32_t nodes);

  /// Routers on the shortest way.
  std::uint32_t routers(std::uint32_t from, std::uint32_t to) const;
  /// Links between routers; those of the interfaces are not among them. Adaptive: the less loaded of the choices, one
  /// of which may be longer (dragonfly: by a third group, drawn by `random`, Valiant 1982; UGAL, Singh 2005).
  void route(std::uint32_t from, std::uint32_t to, const Load& load, std::uint64_t random, Route& route) const;
  std::uint64_t links() const { return links_; }
  /// Links, of either direction, between two even halves of the machine: for the bisection bound.
  std::uint64_t bisection_links() const;

 private:
  std::uint64_t torus_link(std::uint64_t node, unsigned direction) const { return node * 6 + direction; }
  void torus_route(std::uint32_t from, std::uint32_t to, const unsigned (&order)[3], Route& route) const;
  std::uint32_t fat_tree_level(std::uint32_t from, std::uint32_t to) const;
  void fat_tree_route(std::uint32_t from, std::uint32_t to, const Load& load, Route& route) const;
  std::uint32_t dragonfly_routers(std::uint32_t from, std::uint32_t to) const;
  void dragonfly_to_group(std::uint64_t router, std::uint64_t group, Route& route, std::uint64_t& at) const;
  void dragonfly_local(std::uint64_t from, std::uint64_t to, Route& route) const;
  void dragonfly_route(std::uint32_t from, std::uint32_t to, std::int64_t by, Route& route) const;
  std::uint64_t gateway(std::uint64_t group, std::uint64_t to_group, std::uint64_t& global) const;

  const Machine& machine_;
  std::uint32_t nodes_;
  std::uint64_t links_ = 0;
  std::uint64_t size_[3] = {1, 1, 1};  // torus
  std::vector<std::uint64_t> below_, lanes_,
      up_;  // fat tree, by level: nodes below a group, its links up, the first link
  std::uint64_t groups_ = 1;  // dragonfly
};

}  // namespace atl::sim
