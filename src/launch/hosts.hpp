// SPDX-License-Identifier: Apache-2.0
// Which hosts a job runs on, and which PEs on which host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/launch/launcher.hpp"

namespace atl::runtime {

struct HostEntry {
  std::string name;                    ///< as the user calls it; may be user@host
  std::optional<std::uint32_t> slots;  ///< PEs that it should take; none: not said
};

/// "a:2,b:2,c", "[::1]:2", "user@a:4". Throws ValueError.
std::vector<HostEntry> parse_hosts(std::string_view text);
/// Lines of "host slots=2", "host:2" or "host"; # begins a comment. Throws ValueError, naming the line.
std::vector<HostEntry> parse_hostfile(std::string_view text, const std::string& name);
/// Reads the file. Throws ValueError.
std::vector<HostEntry> read_hostfile(const std::string& path);

/// Spreads PEs over hosts in blocks, in the order of the list; a host named twice counts once, with both its slots.
/// `npes` 0: all slots, where a host without a number has one. Otherwise, when no host has a number, they share evenly;
/// when some have, a host without has one. `per_host` 0: as the slots say; else every host takes that many. Hosts that
/// are left with nothing come last. Throws ValueError when the PEs do not fit.
std::vector<HostShare> spread(const std::vector<HostEntry>& hosts, std::uint32_t npes, std::uint32_t per_host);

/// A PE for each NUMA domain or socket (`kind`) of every host: host i has parts[i] of them. Fills the hosts in order
/// with `npes` PEs; 0: with as many as there are parts. Hosts that are left with nothing stay, without PEs. Throws
/// ValueError when there are fewer parts than PEs.
void number_by_parts(std::vector<HostShare>& hosts, const std::vector<std::uint32_t>& parts, Binding kind,
                     std::uint32_t npes);

}  // namespace atl::runtime
