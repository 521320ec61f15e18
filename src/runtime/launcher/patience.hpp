// SPDX-License-Identifier: Apache-2.0
// How long launchers and agents wait before they kill, on one host and on several.
#pragma once

#include <cstdint>

namespace atl::runtime {

// When the launcher itself is told to end, PEs have this long to react to the signal.
inline constexpr std::int64_t signal_grace_ns = 5'000'000'000;
// When a PE ends the whole job, those that hear of it may still write what they have buffered.
inline constexpr std::int64_t exit_grace_ns = 1'000'000'000;
// Deadlines are looked at this often.
inline constexpr int tick_ms = 100;

}  // namespace atl::runtime
