// SPDX-License-Identifier: Apache-2.0
// What happens when a rank has died or a communicator is revoked: pending operations that cannot end any more end with
// an error.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

/// Tells all members, and ends what is pending here.
void revoke(Comm& comm);
/// The program deals with deaths: the job goes on, and its exit status is that of the ranks that are left.
void answer_deaths_here();

}  // namespace atl::mpi
