// SPDX-License-Identifier: Apache-2.0
// Bodies: put, get and the accumulate family.
#pragma once

#include <functional>

#include "mpi.h"

namespace atl::mpi {

void win_put(const void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count,
             MPI_Datatype target_type, MPI_Win win);
void win_get(void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Count target_count,
             MPI_Datatype target_type, MPI_Win win);
void win_accumulate(const void* origin, MPI_Count count, MPI_Datatype type, int rank, MPI_Aint disp,
                    MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
void win_get_accumulate(const void* origin, MPI_Count count, MPI_Datatype type, void* result, MPI_Count result_count,
                        MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win win);
void win_fetch_and_op(const void* origin, void* result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op,
                      MPI_Win win);
void win_compare_and_swap(const void* origin, const void* compare, void* result, MPI_Datatype type, int rank,
                          MPI_Aint disp, MPI_Win win);

/// Runs one of these as its R form (MPI_Rput, …). The request is complete when the target has answered, most often at
/// once. It reports failures of this operation only.
void complete_request(MPI_Win win, MPI_Request* request, const std::function<void()>& operation);
/// By reference, so that the function object allocates nothing.
template <class Operation>
void win_request(MPI_Win win, MPI_Request* request, const Operation& operation) {
  complete_request(win, request, std::cref(operation));
}

}  // namespace atl::mpi
