// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/machine.hpp"

#include <algorithm>

#include "atoll/base/validate.hpp"

namespace atl::sim {
namespace {

struct Field {
  std::string_view name;
  std::uint64_t Machine::* member;
};

constexpr Field fields[] = {
    {"send_overhead_ps", &Machine::send_overhead_ps},
    {"recv_overhead_ps", &Machine::recv_overhead_ps},
    {"host_gap_ps", &Machine::host_gap_ps},
    {"miss_ps", &Machine::miss_ps},
    {"line_bytes", &Machine::line_bytes},
    {"cores", &Machine::cores},
    {"switch_ps", &Machine::switch_ps},
    {"match_ps", &Machine::match_ps},
    {"interface_match_ps", &Machine::interface_match_ps},
    {"list_entries", &Machine::list_entries},
    {"peer_ps", &Machine::peer_ps},
    {"copy_fs_per_byte", &Machine::copy_fs_per_byte},
    {"reduce_fs_per_byte", &Machine::reduce_fs_per_byte},
    {"interface_gap_ps", &Machine::interface_gap_ps},
    {"setup_ps", &Machine::setup_ps},
    {"trigger_ps", &Machine::trigger_ps},
    {"interface_reduce_fs_per_byte", &Machine::interface_reduce_fs_per_byte},
    {"latency_ps", &Machine::latency_ps},
    {"router_ps", &Machine::router_ps},
    {"link_fs_per_byte", &Machine::link_fs_per_byte},
    {"injection_fs_per_byte", &Machine::injection_fs_per_byte},
    {"contention", &Machine::contention},
    {"memory_overhead_ps", &Machine::memory_overhead_ps},
    {"memory_latency_ps", &Machine::memory_latency_ps},
    {"memory_fs_per_byte", &Machine::memory_fs_per_byte},
    {"eager_bytes", &Machine::eager_bytes},
    {"fetch_broadcasts", &Machine::fetch_broadcasts},
    {"arity", &Machine::arity},
    {"oversubscription", &Machine::oversubscription},
    {"torus_x", &Machine::torus_x},
    {"torus_y", &Machine::torus_y},
    {"torus_z", &Machine::torus_z},
    {"nodes_per_router", &Machine::nodes_per_router},
    {"routers_per_group", &Machine::routers_per_group},
    {"global_links", &Machine::global_links},
    {"noise_period_ps", &Machine::noise_period_ps},
    {"noise_duration_ps", &Machine::noise_duration_ps},
    {"noise_aligned", &Machine::noise_aligned},
    {"active_mw", &Machine::active_mw},
    {"waiting_mw", &Machine::waiting_mw},
    {"interface_mw", &Machine::interface_mw},
    {"message_pj", &Machine::message_pj},
};

template <class Enum>
Enum enumerator(std::string_view name, std::uint64_t value, std::uint64_t count) {
  ATOLL_VALIDATE(value < count, ValueError, "{}: {} is none of its {} kinds", name, value, count);
  return static_cast<Enum>(value);
}

}  // namespace

void Machine::set(std::string_view name, std::uint64_t value) {
  if (name == "topology") return void(topology = enumerator<TopologyKind>(name, value, 4));
  if (name == "routing") return void(routing = enumerator<Routing>(name, value, 2));
  if (name == "noise") return void(noise = enumerator<NoiseKind>(name, value, 4));
  if (name == "rendezvous") return void(rendezvous = enumerator<Rendezvous>(name, value, 2));
  const auto* field =
      std::find_if(std::begin(fields), std::end(fields), [&](const Field& one) { return one.name == name; });
  ATOLL_VALIDATE(field != std::end(fields), ValueError, "a machine has no '{}'", name);
  this->*field->member = value;
}

void Machine::validate(std::uint64_t nodes) const {
  ATOLL_VALIDATE(nodes >= 1 && nodes <= (std::uint64_t{1} << 24), ValueError, "{} nodes: 1 to {} are accepted", nodes,
                 1 << 24);
  ATOLL_VALIDATE(latency_ps > 0, ValueError, "a latency of 0: nothing can arrive before it was sent, give one above 0");
  ATOLL_VALIDATE(line_bytes > 0, ValueError, "a cache line of 0 bytes");
  switch (topology) {
    case TopologyKind::crossbar: break;
    case TopologyKind::fat_tree:
      ATOLL_VALIDATE(arity >= 2 && oversubscription >= 1 && oversubscription <= arity, ValueError,
                     "a fat tree of arity {} and oversubscription {}: at least 2, and 1 to the arity, are accepted",
                     arity, oversubscription);
      break;
    case TopologyKind::torus:
      ATOLL_VALIDATE(torus_x * torus_y * torus_z == nodes, ValueError, "a torus of {} x {} x {} has {} nodes, not {}",
                     torus_x, torus_y, torus_z, torus_x * torus_y * torus_z, nodes);
      break;
    case TopologyKind::dragonfly: {
      ATOLL_VALIDATE(nodes_per_router >= 1 && routers_per_group >= 1, ValueError,
                     "a dragonfly needs nodes for each router and routers in each group");
      const std::uint64_t groups =
          (nodes + nodes_per_router * routers_per_group - 1) / (nodes_per_router * routers_per_group);
      ATOLL_VALIDATE(groups <= routers_per_group * global_links + 1, ValueError,
                     "a dragonfly of {} nodes has {} groups of {} routers, whose {} global links each reach {} at most",
                     nodes, groups, routers_per_group, global_links, routers_per_group * global_links + 1);
      break;
    }
  }
  if (noise == NoiseKind::periodic || noise == NoiseKind::random)
    ATOLL_VALIDATE(noise_duration_ps > 0 && noise_duration_ps < noise_period_ps, ValueError,
                   "noise of {} ps every {} ps: it must take some of the time, and not all", noise_duration_ps,
                   noise_period_ps);
  if (noise == NoiseKind::trace) {
    ATOLL_VALIDATE(!noise_trace.empty(), ValueError, "noise by trace, without a trace");
    Time end = 0;
    for (auto [begin, duration] : noise_trace) {
      ATOLL_VALIDATE(begin >= end && duration > 0 && begin + duration <= noise_period_ps, ValueError,
                     "the interruption at {} ps of {} ps overlaps the one before, or is longer than the trace", begin,
                     duration);
      end = begin + duration;
    }
  }
}

}  // namespace atl::sim
