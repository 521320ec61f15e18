// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a job meet, in the segment of each node's leader: for the barrier of set-up and what PEs exchange
// then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "atoll/base/units.hpp"
#include "atoll/runtime/counter.hpp"

namespace atl::runtime {

inline constexpr std::size_t meeting_rounds = 32;  ///< log2 of the nodes, at most

// | offset | bytes | field   | valid when                                                                         |
// |--------|-------|---------|------------------------------------------------------------------------------------|
// |   0    |  256  | arrived | always: by round, the barriers that the node 2^round before this one has entered   |
// |  256   |       | values  | by PE, between the two barriers of an exchange; none in a job of one node          |
//
// Survives a PE's leaving and joining again: the numbers only grow.
struct MeetingArea {
  std::atomic<std::uint64_t> arrived[meeting_rounds];
};
static_assert(sizeof(MeetingArea) == 256);

inline constexpr std::size_t meeting_offset = round_up(sizeof(TriggerArea), std::size_t{4096});
constexpr std::size_t meeting_bytes(std::uint32_t npes, std::uint32_t nodes) {
  return nodes == 1 ? 0 : sizeof(MeetingArea) + npes * sizeof(std::uint64_t);
}

}  // namespace atl::runtime
