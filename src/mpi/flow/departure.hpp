// SPDX-License-Identifier: Apache-2.0
// A member that leaves a collective call with an error notifies the others, so that no member waits for it there.
#pragma once

#include <cstdint>

namespace atl::mpi {

/// This rank leaves what the messages with these bits belong to. What that means: see fault/.
void depart(std::uint64_t bits);
/// Sets the function that notifies the others. Before the first call.
void tell_departures_by(void (*tell)(std::uint64_t bits));

}  // namespace atl::mpi
