// SPDX-License-Identifier: Apache-2.0
// Measures one algorithm of one collective, for tables of the fastest algorithms (ATOLL_COLL_TABLE).
#pragma once

#include "atoll/coll/collectives.hpp"
#include "atoll/coll/plan.hpp"

namespace atl::coll {

/// Seconds of one call, of its slowest member: the shortest of some batches of a few milliseconds. Data lie in the
/// heap; bytes as Communicator counts them, root 0. Collective; the same `what` everywhere. Afterwards the communicator
/// chooses that collective's algorithms by itself. Throws ValueError for names that are not known, MemoryError.
double time_collective(Communicator& all, const PlanOptions& what);

}  // namespace atl::coll
