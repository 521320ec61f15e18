// SPDX-License-Identifier: Apache-2.0
// A simulated machine: the costs of its hosts, interfaces, network and noise. Plain numbers, in picoseconds, bytes
// and femtoseconds per byte (25 GB/s are 40,000).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/sim/time.hpp"

namespace atl::sim {

enum class TopologyKind : std::uint8_t { crossbar, fat_tree, torus, dragonfly };
enum class Routing : std::uint8_t { minimal, adaptive };
enum class NoiseKind : std::uint8_t { none, periodic, random, trace };
/// The executor of a schedule's steps: the host's processor, a dedicated core, or the network interface, by
/// triggered operations.
enum class Executor : std::uint8_t { host, core, interface };
/// The rendezvous protocol of long messages: the receiver's interface reads the sender's memory, or the sender's
/// processor writes to the receiver.
enum class Rendezvous : std::uint8_t { get, put };

/// Parameters of LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995) and refinements of them.
struct Machine {
  // Host
  std::uint64_t send_overhead_ps = 0;  ///< of its processor, for each message
  std::uint64_t recv_overhead_ps = 0;
  std::uint64_t host_gap_ps = 0;  ///< between messages that it begins
  std::uint64_t miss_ps = 0;  ///< to see a cache line that the interface or another core has written
  std::uint64_t line_bytes = 64;
  std::uint64_t cores = 0;  ///< of a node, which its PEs share; 0: each has one
  std::uint64_t switch_ps = 0;  ///< from one PE to another on a core
  std::uint64_t match_ps = 0;  ///< for each entry of a list that it looks at
  std::uint64_t peer_ps = 0;  ///< for each peer of a sort's exchange
  std::uint64_t copy_fs_per_byte = 0;
  std::uint64_t reduce_fs_per_byte = 0;
  // Interface
  std::uint64_t interface_gap_ps = 0;  ///< between messages, in and out alike
  std::uint64_t setup_ps = 0;  ///< of the host, to hand a schedule over
  std::uint64_t interface_match_ps = 0;
  std::uint64_t trigger_ps = 0;  ///< from what triggers an operation to its beginning
  std::uint64_t interface_reduce_fs_per_byte = 0;
  // Network
  std::uint64_t latency_ps = 0;  ///< of an empty message from interface to interface, without routers
  std::uint64_t router_ps = 0;  ///< for each router
  std::uint64_t link_fs_per_byte = 0;
  std::uint64_t injection_fs_per_byte = 0;  ///< between interface and first router
  std::uint64_t contention = 0;  ///< 1: links carry one message after another
  // Inside a node
  std::uint64_t memory_overhead_ps = 0;  ///< of the sender and of the receiver
  std::uint64_t memory_latency_ps = 0;
  std::uint64_t memory_fs_per_byte = 0;
  // Protocol
  std::uint64_t eager_bytes = 8192;  ///< longest message that is sent unasked
  std::uint64_t list_entries = 0;  ///< that are looked at for each message
  std::uint64_t fetch_broadcasts =
      0;  ///< 1: interfaces announce short broadcasts, and each receiver's interface reads the data
  // Topology
  std::uint64_t arity = 0;  ///< fat tree: nodes (or groups) below each switch
  std::uint64_t oversubscription = 1;  ///< fat tree: so many times fewer links above each level than below
  std::uint64_t torus_x = 0, torus_y = 0, torus_z = 0;
  std::uint64_t nodes_per_router = 0;  ///< dragonfly
  std::uint64_t routers_per_group = 0;  ///< dragonfly
  std::uint64_t global_links = 0;  ///< dragonfly: of each router
  // Noise
  std::uint64_t noise_period_ps = 0;
  std::uint64_t noise_duration_ps = 0;
  std::uint64_t noise_aligned = 0;  ///< 1: at the same times on all hosts
  // Powers
  std::uint64_t active_mw = 0;  ///< a processor that works for communication
  std::uint64_t waiting_mw = 0;  ///< one that waits for it
  std::uint64_t interface_mw = 0;  ///< each
  std::uint64_t message_pj = 0;  ///< through an interface and the network

  TopologyKind topology = TopologyKind::crossbar;
  Routing routing = Routing::minimal;
  NoiseKind noise = NoiseKind::none;
  Rendezvous rendezvous = Rendezvous::get;
  /// Noise that was recorded: beginnings and lengths of interruptions, ascending, within noise_period_ps, which
  /// repeats.
  std::vector<std::pair<Time, Time>> noise_trace;

  /// By the name of the member, or "topology", "routing", "noise", "rendezvous" with the number of the enumerator.
  /// Throws ValueError when there is none.
  void set(std::string_view name, std::uint64_t value);
  /// Throws ValueError when the machine cannot be, or not with so many nodes.
  void validate(std::uint64_t nodes) const;
};

}  // namespace atl::sim
