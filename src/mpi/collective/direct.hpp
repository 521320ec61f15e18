// SPDX-License-Identifier: Apache-2.0
// Blocking collectives of an intra-communicator through coll; what coll does not have runs as a plan.
#pragma once

#include "collective/plan.hpp"

namespace atl::mpi {

void barrier(MPI_Comm comm);
void broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm);
template <class In>
void gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm comm);
template <class Out>
void scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm comm);
template <class In>
void allgather(const void* out, Same send, void* in, In receive, MPI_Comm comm);
template <class Both>
void alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm comm);

void reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
void allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void scan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void exscan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void reduce_scatter(const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
void reduce_scatter_block(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

}  // namespace atl::mpi
