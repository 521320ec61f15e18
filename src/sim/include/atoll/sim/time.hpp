// SPDX-License-Identifier: Apache-2.0
// Simulated time: whole picoseconds, so that sums do not depend on their order. 2^64 of them are 213 days.
#pragma once

#include <cstdint>

namespace atl::sim {

using Time = std::uint64_t;

inline constexpr Time picoseconds_per_second = 1'000'000'000'000;
inline constexpr double seconds_of(Time time) { return static_cast<double>(time) * 1e-12; }

}  // namespace atl::sim
