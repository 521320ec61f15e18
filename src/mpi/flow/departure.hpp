// SPDX-License-Identifier: Apache-2.0
// A member that leaves a collective call with an error notifies the others, so that no member waits for it there.
#pragma once

#include <cstdint>

namespace atl::mpi {

/// This rank leaves the operation with these match bits; see fault/departure.hpp for the consequences.
void depart(std::uint64_t bits);
/// Sets the function that notifies the other members. Call it before the first depart().
void tell_departures_by(void (*tell)(std::uint64_t bits));

}  // namespace atl::mpi
