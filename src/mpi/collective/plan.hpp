// SPDX-License-Identifier: Apache-2.0
// Plans: collective calls with checked arguments, which can run once or repeatedly.
#pragma once

#include <functional>

#include "collective/pieces.hpp"
#include "request/background.hpp"

namespace atl::mpi {

/// Creates the flow of one run. Holds everything that it needs except the program's buffers.
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

/// Layout of a buffer: one count and type for all ranks, counts and displacements per rank, or also a type per rank.
struct Same {
  Count count;
  MPI_Datatype type;
};
struct Varied {
  const MPI_Count* counts;
  const MPI_Aint* displacements;
  MPI_Datatype type;
};
struct Mixed {  // displacements count bytes
  const MPI_Count* counts;
  const MPI_Aint* displacements;
  const MPI_Datatype* types;
};
/// Throw Failure when a list is a null pointer.
inline void check_lists(const Same&) {}
void check_lists(const Varied& varied);
void check_lists(const Mixed& mixed);
/// The piece of rank `index`.
Piece piece_of(const void* buffer, const Same& same, int index);
Piece piece_of(const void* buffer, const Varied& varied, int index);
Piece piece_of(const void* buffer, const Mixed& mixed, int index);

/// Whether a plan runs once and at once, or by persistent requests, which members may start in any order.
enum class Use { once, again };

// Plans run through coll where possible (see Comm::has_coll), else over point-to-point messages.
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

/// Throws Failure when `root` is no valid root for a collective on `comm`.
void check_root(const Comm& comm, int root);

}  // namespace atl::mpi
