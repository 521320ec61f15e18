// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/network.hpp"

namespace atl::sim {

Network::Network(const Machine& machine, std::uint32_t nodes, std::uint64_t seed)
    : machine_(machine), topology_(machine, nodes), interfaces_(nodes), random_(random_bits(seed, 0x726F757465)) {
  if (machine.contention != 0) load_.resize(topology_.links());
}

// The links of the whole way are taken when the message leaves. Each is taken for as long as the message needs it, from
// when it has done what was given to it before: not from when the message will be there, so that a link is not kept
// idle for a message that waits elsewhere. (When it was, an alltoall of 64 KiB on a torus of 512 nodes took 4.3 times
// what its bisection allows. It takes 1.3 times that.)
Time Network::send_by_links(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time start) {
  const std::uint64_t random = machine_.routing == Routing::adaptive ? random_() : 0;
  topology_.route(from, to, load_, random, route_);
  const Time crossing = time_for(bytes, machine_.link_fs_per_byte);
  Time head = start + machine_.router_ps;
  for (std::uint32_t link : route_) {
    const Time free = std::max(load_[link], start);
    head = std::max(head, free);
    load_[link] = free + crossing;
    head += machine_.router_ps;
  }
  const Time slowest = std::max(route_.size() == 0 ? 0 : crossing, time_for(bytes, machine_.injection_fs_per_byte));
  return head + machine_.latency_ps + slowest;
}

}  // namespace atl::sim
