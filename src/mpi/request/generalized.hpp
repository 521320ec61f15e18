// SPDX-License-Identifier: Apache-2.0
// Generalized requests, and functions that set and read statuses.
#pragma once

#include "mpi.h"

namespace atl::mpi {

void grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                    MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request);
void grequest_complete(MPI_Request request);

void status_set_elements(MPI_Status* status, MPI_Datatype type, MPI_Count count);
void status_get_count(const MPI_Status* status, MPI_Datatype type, MPI_Count* count);
void status_get_elements(const MPI_Status* status, MPI_Datatype type, MPI_Count* count);
void status_set_cancelled(MPI_Status* status, int flag);
void status_test_cancelled(const MPI_Status* status, int* flag);

}  // namespace atl::mpi
