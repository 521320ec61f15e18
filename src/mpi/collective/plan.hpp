// SPDX-License-Identifier: Apache-2.0
// Collective calls that have been checked and are ready to go: once, or again and again.
#pragma once

#include <functional>

#include "collective/pieces.hpp"
#include "request/background.hpp"

namespace atl::mpi {

/// Makes the flow of one run. Holds all that it needs but the programs' buffers.
struct Plan {
  std::function<Flow()> make;
  Course course;

  template <class Make>
    requires std::is_invocable_r_v<Flow, Make>
  Plan(Make make, Course course = {}) : make(std::move(make)), course(course) {}
  Flow operator()() const { return make(); }
};

inline void run_plan(const Plan& plan) { run(plan()); }
inline void start_plan(const Plan& plan, MPI_Request* request) { start(plan(), request, plan.course); }
inline void prepare_plan(Plan plan, MPI_Request* request) { prepare(std::move(plan.make), request, plan.course); }

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
/// Failure when a list is a null pointer.
inline void check_lists(const Same&) {}
void check_lists(const Varied& varied);
void check_lists(const Mixed& mixed);
/// Piece number `index`.
Piece piece_of(const void* buffer, const Same& same, int index);
Piece piece_of(const void* buffer, const Varied& varied, int index);
Piece piece_of(const void* buffer, const Mixed& mixed, int index);

/// Whether a plan is run once, at once, or by persistent requests, which members may start in any order.
enum class Use { once, again };

// Through coll where it can (see Comm::has_coll), else over point to point.
Plan plan_barrier(Use use, MPI_Comm comm);
Plan plan_broadcast(Use use, void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm);

template <class In>
Plan plan_gather(Use use, const void* out, Same send, void* in, In receive, int root, MPI_Comm comm);
template <class Out>
Plan plan_scatter(Use use, const void* out, Out send, void* in, Same receive, int root, MPI_Comm comm);
template <class In>
Plan plan_allgather(Use use, const void* out, Same send, void* in, In receive, MPI_Comm comm);
template <class Both>
Plan plan_alltoall(Use use, const void* out, Both send, void* in, Both receive, MPI_Comm comm);

Plan plan_reduce(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm);
Plan plan_allreduce(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_scan(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_exscan(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
Plan plan_reduce_scatter(Use use, const void* out, void* in, const MPI_Count* counts, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm);
Plan plan_reduce_scatter_block(Use use, const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm);

/// Failure when it is no rank that a collective may have as root.
void check_root(const Comm& comm, int root);

}  // namespace atl::mpi
