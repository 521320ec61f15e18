// SPDX-License-Identifier: Apache-2.0
// Plans of collectives over point-to-point messages: for inter-communicators, for operations that coll does not have,
// and for user-defined operations, whose functions only the program's own threads may call.
#pragma once

#include "collective/plan.hpp"

namespace atl::mpi::by_messages {

Plan barrier(MPI_Comm comm);
Plan broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm);

template <class In>
Plan gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm comm);
template <class Out>
Plan scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm comm);
template <class In>
Plan allgather(const void* out, Same send, void* in, In receive, MPI_Comm comm);
template <class Both>
Plan alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm comm);

Plan reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
Plan allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan scan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan exscan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan reduce_scatter(const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan reduce_scatter_block(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

}  // namespace atl::mpi::by_messages
