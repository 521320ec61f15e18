// SPDX-License-Identifier: Apache-2.0
// ULFM, recovery from failed ranks: failed ranks, revoke, shrink, agree.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

void comm_revoke(MPI_Comm comm);
void comm_is_revoked(MPI_Comm comm, int* flag);
void comm_shrink(MPI_Comm comm, MPI_Comm* made);
void comm_shrink_start(MPI_Comm comm, MPI_Comm* made, MPI_Request* request);
void comm_agree(MPI_Comm comm, int* flag);
void comm_agree_start(MPI_Comm comm, int* flag, MPI_Request* request);
void comm_get_failed(MPI_Comm comm, MPI_Group* failed);
/// Acknowledges the first `count` of the failed ranks.
void comm_ack_failed(MPI_Comm comm, int count, int* acknowledged);
void comm_failure_ack(MPI_Comm comm);
void comm_failure_get_acked(MPI_Comm comm, MPI_Group* failed);

}  // namespace atl::mpi
