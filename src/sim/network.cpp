// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/network.hpp"

namespace atl::sim {

Network::Network(const Machine& machine, std::uint32_t nodes, std::uint64_t seed)
    : machine_(machine), topology_(machine, nodes), interfaces_(nodes), random_(random_bits(seed, 0x726F757465)) {
  if (machine.contention != 0) load_.resize(topology_.links());
}

// The links of the whole way are taken when the message leaves: what leaves later waits behind it, also at a link that it
// reaches sooner.
Time Network::send_by_links(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time start) {
  const std::uint64_t random = machine_.routing == Routing::adaptive ? random_() : 0;
  topology_.route(from, to, load_, random, route_);
  const Time crossing = time_for(bytes, machine_.link_fs_per_byte);
  Time head = start + machine_.router_ps;
  for (std::uint32_t link : route_) {
    head = std::max(head, load_[link]);
    load_[link] = head + crossing;
    head += machine_.router_ps;
  }
  const Time slowest = std::max(route_.size() == 0 ? 0 : crossing, time_for(bytes, machine_.injection_fs_per_byte));
  return head + machine_.latency_ps + slowest;
}

}  // namespace atl::sim
