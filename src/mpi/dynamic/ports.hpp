// SPDX-License-Identifier: Apache-2.0
// Connecting groups of processes of one job: by ports, published names, or a socket.
#pragma once

#include "comm/comm.hpp"

namespace atl::mpi {

void open_port(char* port);
void close_port(const char* port);
void comm_accept(const char* port, int root, MPI_Comm comm, MPI_Comm* made);
void comm_connect(const char* port, int root, MPI_Comm comm, MPI_Comm* made);
void comm_join(int descriptor, MPI_Comm* made);
void publish_name(const char* service, const char* port);
void unpublish_name(const char* service, const char* port);
void lookup_name(const char* service, char* port);

}  // namespace atl::mpi
