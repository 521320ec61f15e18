// SPDX-License-Identifier: Apache-2.0
// Deadlock detection. A rank that has waited for a second reports to rank 0 every second for which PEs it waits; rank 0
// searches for sets of ranks that wait for one another.
#pragma once

#include <string>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::mpi::check {

/// The condition of a wait: the rank continues only when at least one PE of each clause has acted.
struct Need {
  std::vector<std::vector<PeId>> clauses;
  std::string text;
};

constexpr double look_again_seconds = 1;

/// Reports a wait to rank 0. `wait` is a unique number for each wait.
void tell_waiting(std::uint64_t wait, const Need& need);
/// Reports the end of the wait. Does nothing when the wait had not been reported.
void tell_going_on() noexcept;

}  // namespace atl::mpi::check
