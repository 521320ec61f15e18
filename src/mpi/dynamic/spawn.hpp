// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_spawn: starts processes that have their own MPI_COMM_WORLD and an inter-communicator with their parents.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

void comm_spawn(const char* command, char** arguments, int count, MPI_Info info, int root, MPI_Comm comm,
                MPI_Comm* made, int* codes);
void comm_spawn_multiple(int programs, char** commands, char*** arguments, const int* counts, const MPI_Info* infos,
                         int root, MPI_Comm comm, MPI_Comm* made, int* codes);
}  // namespace atl::mpi
