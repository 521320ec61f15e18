// SPDX-License-Identifier: Apache-2.0
// Reaction to failed ranks and revoked communicators: pending operations that can no longer complete end with an error.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

/// Notifies all members, and ends the pending operations of this rank.
void revoke(Comm& comm);
/// Declares that the program handles failed ranks: the job continues after a failure, and its exit status is that of
/// the remaining ranks.
void answer_deaths_here();

}  // namespace atl::mpi
