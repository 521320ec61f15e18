// SPDX-License-Identifier: Apache-2.0
// Members that have left collective calls with an error: a member that waits for one there leaves, too, and at once,
// where otherwise it could not know whether that one is late or will never come.
#pragma once

#include "atoll/base/ids.hpp"
#include "comm/comm.hpp"

namespace atl::mpi {

/// Whether that PE has said that it leaves the call which messages with these bits belong to, or an earlier one.
bool has_departed(PeId pe, std::uint64_t bits);
/// Whether any has.
bool any_departed();

}  // namespace atl::mpi
