// SPDX-License-Identifier: Apache-2.0
// Computes arrival times of messages: interfaces and links carry one message after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "atoll/base/random.hpp"
#include "atoll/sim/machine.hpp"
#include "atoll/sim/topology.hpp"

namespace atl::sim {

constexpr Time time_for(std::uint64_t bytes, std::uint64_t fs_per_byte) { return bytes * fs_per_byte / 1000; }

/// Calls of one interface come in the order of their times.
class Network {
 public:
  Network(const Machine& machine, std::uint32_t nodes, std::uint64_t seed);

  /// A message that the interface may send at `ready`; returns when its last byte is at the interface of `to`.
  Time send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time ready) {
    const Time start = std::max(ready, interfaces_[from].out);
    const Time injection = time_for(bytes, machine_.injection_fs_per_byte);
    interfaces_[from].out = start + std::max(machine_.interface_gap_ps, injection);
    if (machine_.contention != 0) return send_by_links(from, to, bytes, start);
    return start + injection + machine_.latency_ps + topology_.routers(from, to) * machine_.router_ps;
  }
  /// Receives a message that arrived at `arrival`; returns the time at which that is done.
  Time receive(std::uint32_t node, std::uint64_t bytes, Time arrival) {
    Interface& interface = interfaces_[node];
    const Time injection = time_for(bytes, machine_.injection_fs_per_byte);
    const Time taken = std::max(arrival, interface.in + std::max(machine_.interface_gap_ps, injection));
    interface.in = taken;
    return taken;
  }
  const Topology& topology() const { return topology_; }
  std::uint64_t bytes() const { return load_.size() * sizeof(Time) + interfaces_.size() * sizeof(Interface); }

 private:
  struct Interface {
    Time out = 0;  // when it may send the next
    Time in = 0;   // when it took the last
  };
  Time send_by_links(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time start);

  const Machine& machine_;
  Topology topology_;
  std::vector<Interface> interfaces_;
  Load load_;
  SequentialRandom random_;
  Route route_;
};

}  // namespace atl::sim
