// SPDX-License-Identifier: Apache-2.0
// Collective calls that have been checked and are ready to go: once, or again and again.
#pragma once

#include <functional>

#include "collective/pieces.hpp"
#include "request/background.hpp"

namespace atl::mpi {

/// Makes the flow of one run. Holds all that it needs but the programs' buffers.
using Plan = std::function<Flow()>;

inline void run_plan(const Plan& plan) { run(plan()); }
inline void start_plan(const Plan& plan, MPI_Request* request) { start(plan(), request); }
inline void prepare_plan(Plan plan, MPI_Request* request) { prepare(std::move(plan), request); }

Plan plan_barrier(MPI_Comm comm);
Plan plan_broadcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm);

/// A buffer with a count and a type for each rank, or the same for all.
struct Same {
  Count count;
  MPI_Datatype type;
};
struct Varied {
  const MPI_Count* counts;
  const MPI_Aint* displacements;
  MPI_Datatype type;
};
struct Mixed {  // displacements in bytes
  const MPI_Count* counts;
  const MPI_Aint* displacements;
  const MPI_Datatype* types;
};
/// Piece number `index`.
Piece piece_of(const void* buffer, const Same& same, int index);
Piece piece_of(const void* buffer, const Varied& varied, int index);
Piece piece_of(const void* buffer, const Mixed& mixed, int index);

template <class In>
Plan plan_gather(const void* out, Same send, void* in, In receive, int root, MPI_Comm comm);
template <class Out>
Plan plan_scatter(const void* out, Out send, void* in, Same receive, int root, MPI_Comm comm);
template <class In>
Plan plan_allgather(const void* out, Same send, void* in, In receive, MPI_Comm comm);
template <class Both>
Plan plan_alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm comm);

Plan plan_reduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
Plan plan_allreduce(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_scan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_exscan(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_reduce_scatter(const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_reduce_scatter_block(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/// Failure when it is no rank that a collective may have as root.
void check_root(const Comm& comm, int root);

}  // namespace atl::mpi
