// SPDX-License-Identifier: Apache-2.0
// Partitioned communication: messages whose partitions become ready one by one.
#pragma once

#include "message/message.hpp"

namespace atl::mpi {

void partitioned_send_init(const void* buffer, int partitions, Count count, MPI_Datatype type, int to, int tag,
                           MPI_Comm comm, MPI_Request* request);
void partitioned_receive_init(void* buffer, int partitions, Count count, MPI_Datatype type, int from, int tag,
                              MPI_Comm comm, MPI_Request* request);
void partition_ready(int first, int last, MPI_Request request);
void partitions_ready(int count, const int* partitions, MPI_Request request);
void partition_arrived(MPI_Request request, int partition, int* flag);

}  // namespace atl::mpi
