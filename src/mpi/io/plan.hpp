// SPDX-License-Identifier: Apache-2.0
// Assignment of file domains to aggregators in a collective access, computed alike on all members.
#pragma once

#include <span>
#include <vector>

#include "atoll/coll/placement.hpp"
#include "io/hints.hpp"
#include "io/view.hpp"

namespace atl::mpi::io {

/// The access of one rank: its span in bytes of the file, and its bytes of the stream.
struct Wish {
  Count low = 0, high = 0, at = 0, bytes = 0;
  Count long_runs = 0;   ///< 1: see has_long_runs()
  Count no_streams = 0;  ///< 1: the rank does not have the streams of the others yet
};

/// Whether the spans of ranks interleave so that two-phase I/O pays; ranks with long runs do not count.
bool is_interleaved(std::span<const Wish> wishes);

/// Whether these bytes of the stream consist of runs long enough that one call per run is as fast as one call for all.
bool has_long_runs(const Stream& stream, Count at, Count bytes, Count block);

/// The aggregators in ascending order: some members of each node.
std::vector<int> choose_aggregators(const coll::Placement& placement, int wanted);

/// One file domain per aggregator, divided into windows, one per round.
struct Plan {
  Count low = 0, high = 0;
  Count domain = 0;  ///< bytes per aggregator
  Count window = 0;  ///< bytes per round
  std::size_t aggregators = 0;
  Count rounds = 0;
  struct Window {
    Count begin, end;
  };
  /// Empty when the aggregator's domain is exhausted.
  Window window_of(std::size_t aggregator, Count round) const;
  Window domain_of(std::size_t aggregator) const;
};
Plan make_plan(std::span<const Wish> wishes, std::size_t aggregators, Count buffer, Count alignment);

/// Whether no two of these streams share a byte of the file. May return false when the check would be expensive.
bool are_disjoint(std::span<const Stream> streams);

/// The bytes of a rank's access, counted in its stream, that lie in a window.
struct Range {
  Count from = 0, to = 0;
  Count bytes() const { return to - from; }
};
Range range_in(const Stream& stream, const Wish& wish, const Plan::Window& window);

/// The merged runs of all ranges, ascending; at most `most` of them.
std::vector<Run> merged_runs(std::span<const Stream> streams, std::span<const Range> ranges, std::size_t most);

}  // namespace atl::mpi::io
