// SPDX-License-Identifier: Apache-2.0
// What the launcher tells the agent of a host to start.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/launch/program.hpp"

namespace atl::runtime {

// Body of FrameKind::order, in this order (numbers of 4 bytes, texts and lists as frame.hpp says):
// first_pe, pes, npes, threads, binding, peer_timeout_ms, host, directory, environment, idle_hosts, programs (their
// number; each: pes, directory, command, environment)
struct Order {
  std::uint32_t first_pe = 0;         ///< of this host
  std::uint32_t pes = 1;              ///< on this host, one after the other; 0: processes are spawned here later
  std::uint32_t npes = 1;             ///< in the job
  std::uint32_t threads = 0;          ///< per PE; 0: an even share of the host's cores
  std::uint32_t binding = 0;          ///< Binding
  std::uint32_t peer_timeout_ms = 0;  ///< the launcher's host is given up after this; 0: never
  std::string host = {};              ///< as the user calls it
  std::string directory = {};
  std::vector<std::string> environment = {};  ///< NAME=VALUE
  std::vector<std::string> idle_hosts = {};   ///< on which the job begins with no PE
  std::vector<Program> programs = {};         ///< of the whole job
};

std::string pack(const Order& order);
/// Throws SetupError for anything else.
Order unpack_order(std::string_view body);

}  // namespace atl::runtime
