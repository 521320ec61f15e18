// SPDX-License-Identifier: Apache-2.0
// How long launchers and agents wait before they kill, on one host and on several.
#pragma once

#include <algorithm>
#include <cstdint>

namespace atl::runtime {

// When the launcher itself is told to end, PEs have this long to react to the signal.
inline constexpr std::int64_t signal_grace_ns = 5'000'000'000;
// When a PE ends the whole job, the PEs that are notified of it may still write what they have buffered.
inline constexpr std::int64_t exit_grace_ns = 1'000'000'000;
// Hosts have so long to report, also when ATOLL_PEER_TIMEOUT (0: none) says to wait longer.
inline double start_limit_seconds(double peer_timeout_seconds) {
  constexpr double longest = 300;
  return peer_timeout_seconds == 0 ? longest : std::min(peer_timeout_seconds, longest);
}
// The commands that ran the agents end by themselves; what does not is killed by the guard.
inline constexpr std::int64_t command_grace_ns = 2'000'000'000;
// Deadlines are looked at this often.
inline constexpr int tick_ms = 100;

}  // namespace atl::runtime
