// SPDX-License-Identifier: Apache-2.0
// Fortran's MPI_STATUS_IGNORE constants, for C programs that compare with them without a Fortran library.
#include "mpi.h"

namespace {

MPI_Status ignored, ignored_list;

}  // namespace

extern "C" {
// libatoll_mpifort defines the same names, because it also runs on other MPI libraries. The link order determines which
// definition a program finds, so libatoll_mpifort stores its addresses into those.
#define ATOLL_EXPORTED [[gnu::visibility("default")]]
ATOLL_EXPORTED MPI_Fint* MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(&ignored);
ATOLL_EXPORTED MPI_Fint* MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(&ignored_list);
ATOLL_EXPORTED MPI_F08_status* MPI_F08_STATUS_IGNORE = &ignored;
ATOLL_EXPORTED MPI_F08_status* MPI_F08_STATUSES_IGNORE = &ignored_list;
#undef ATOLL_EXPORTED
}
