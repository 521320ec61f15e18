// SPDX-License-Identifier: Apache-2.0
// Starting processes, which have an MPI_COMM_WORLD of their own and an inter-communicator with the processes that
// started them.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

void comm_spawn(const char* command, char** arguments, int count, MPI_Info info, int root, MPI_Comm comm,
                MPI_Comm* made, int* codes);
void comm_spawn_multiple(int programs, char** commands, char*** arguments, const int* counts, const MPI_Info* infos,
                         int root, MPI_Comm comm, MPI_Comm* made, int* codes);
}  // namespace atl::mpi
