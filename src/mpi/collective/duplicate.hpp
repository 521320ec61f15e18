// SPDX-License-Identifier: Apache-2.0
// Non-blocking duplication of communicators (MPI_Comm_idup).
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

/// Sets `*copy` when the request is complete.
void duplicate_start(MPI_Comm comm, MPI_Comm* copy, MPI_Request* request);
void duplicate_start(MPI_Comm comm, MPI_Info info, MPI_Comm* copy, MPI_Request* request);

}  // namespace atl::mpi
