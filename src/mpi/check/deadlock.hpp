// SPDX-License-Identifier: Apache-2.0
// Finds ranks that wait for one another for ever. Each that has waited for a second tells rank 0, again every second,
// for whom it waits; rank 0 looks for ranks none of whom can go on before another of them has.
#pragma once

#include <string>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::mpi::check {

/// What a rank waits for: it goes on only when of each clause one process has done something.
struct Need {
  std::vector<std::vector<PeId>> clauses;
  std::string text;
};

constexpr double look_again_seconds = 1;

/// Tells rank 0. `wait` is another number for each wait.
void tell_waiting(std::uint64_t wait, const Need& need);
/// It is over; nothing, when it had not been told of.
void tell_going_on() noexcept;

}  // namespace atl::mpi::check
