// SPDX-License-Identifier: Apache-2.0
// Which rank aggregates what in a collective access: the same on all members.
#pragma once

#include <span>
#include <vector>

#include "atoll/coll/placement.hpp"
#include "io/hints.hpp"
#include "io/view.hpp"

namespace atl::mpi::io {

/// What a rank wants, in bytes of the file from lowest to highest, and of its stream.
struct Wish {
  Count low = 0, high = 0, at = 0, bytes = 0;
  Count long_runs = 0;   ///< 1: see has_long_runs()
  Count no_streams = 0;  ///< 1: does not know the streams of the others yet
};

/// Whether ranks reach into one another's stretches of the file, so that two phases pay: all but those that have long
/// runs there.
bool is_interleaved(std::span<const Wish> wishes);

/// Whether so many bytes of the stream come in runs that a call each moves as fast as one for all.
bool has_long_runs(const Stream& stream, Count at, Count bytes, Count block);

/// The members that aggregate, in ascending order: some of each node.
std::vector<int> choose_aggregators(const coll::Placement& placement, int wanted);

/// A stretch of the file per aggregator, and windows in it, one per round.
struct Plan {
  Count low = 0, high = 0;
  Count domain = 0;  ///< bytes per aggregator
  Count window = 0;  ///< bytes per round
  std::size_t aggregators = 0;
  Count rounds = 0;
  struct Window {
    Count begin, end;
  };
  /// Empty when there is nothing left of the aggregator's domain.
  Window window_of(std::size_t aggregator, Count round) const;
  Window domain_of(std::size_t aggregator) const;
};
Plan make_plan(std::span<const Wish> wishes, std::size_t aggregators, Count buffer, Count alignment);

/// Whether no two of these streams have a byte of the file in common. False when that is not easy to say.
bool are_disjoint(std::span<const Stream> streams);

/// Bytes of a stream, from..to, that lie in a window: of what the rank wants.
struct Range {
  Count from = 0, to = 0;
  Count bytes() const { return to - from; }
};
Range range_in(const Stream& stream, const Wish& wish, const Plan::Window& window);

/// The merged runs of all ranges, ascending; at most `most` of them.
std::vector<Run> merged_runs(std::span<const Stream> streams, std::span<const Range> ranges, std::size_t most);

}  // namespace atl::mpi::io
