// SPDX-License-Identifier: Apache-2.0
// Members that have left collective calls with an error. A member that waits for one of them leaves at once, too;
// otherwise it could not distinguish a late member from one that will never call.
#pragma once

#include "atoll/base/ids.hpp"
#include "comm/comm.hpp"

namespace atl::mpi {

/// Whether this PE has announced that it left the call with these match bits, or an earlier one on its communicator.
bool has_departed(PeId pe, std::uint64_t bits);
/// Whether any PE has announced a departure.
bool any_departed();

}  // namespace atl::mpi
