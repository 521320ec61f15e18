// SPDX-License-Identifier: Apache-2.0
// Neighbourhood collectives.
#pragma once

#include "collective/plan.hpp"
#include "topology/topology.hpp"

namespace atl::mpi {

template <class In>
Plan plan_neighbour_allgather(const void* out, Same send, void* in, In receive, MPI_Comm comm);
template <class Both>
Plan plan_neighbour_alltoall(const void* out, Both send, void* in, Both receive, MPI_Comm comm);

}  // namespace atl::mpi
