// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a job meet, in the segment of each node's leader: for the barrier of set-up and what PEs exchange
// then.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/base/units.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/counter.hpp"

namespace atl::runtime {

/// The nodes that PEs of this process's cohort are on, from 0 in the order of their lowest PEs, which are their
/// leaders.
struct CohortNodes {
  CohortNodes(const fabric::Job& job, PeId self);
  std::uint32_t count() const { return static_cast<std::uint32_t>(leaders.size()); }
  PeId leader() const { return leaders[own]; }

  std::vector<PeId> leaders;
  std::vector<std::uint32_t> of_rank;  ///< the node of each PE
  std::uint32_t own = 0;
  std::uint32_t local = 0;  ///< PEs on it
};

inline constexpr std::size_t meeting_rounds = 32;  ///< log2 of the nodes, at most

// | offset | bytes | field   | valid when                                                                         |
// |--------|-------|---------|------------------------------------------------------------------------------------|
// |   0    |  256  | arrived | always: by round, the barriers that the node 2^round before this one has entered   |
// |  256   |       | values  | by rank in the cohort, between the two barriers of an exchange; none in a job of one
// node          |
//
// Survives a PE's leaving and joining again: the numbers only grow.
struct MeetingArea {
  std::atomic<std::uint64_t> arrived[meeting_rounds];
};
static_assert(sizeof(MeetingArea) == 256);

inline constexpr std::size_t meeting_offset = round_up(sizeof(TriggerArea), std::size_t{4096});
/// The same in all cohorts of a job: what follows has one place in all segments.
inline std::size_t meeting_bytes(const fabric::Job& job) {
  const std::uint32_t most = std::max(job.npes(), job.guest_areas());
  return job.nodes() == 1 ? 0 : sizeof(MeetingArea) + most * sizeof(std::uint64_t);
}

}  // namespace atl::runtime
