// SPDX-License-Identifier: Apache-2.0
// Statuses of Fortran that are ignored, for programs of C that compare with them and know no Fortran.
#include "mpi.h"

namespace {

MPI_Status ignored, ignored_list;

}  // namespace

extern "C" {
// libatoll_mpifort has the same names, as it runs on other libraries, too. Which of them a program finds depends on the
// order in which it was linked; so that library stores its places into those that are found.
#define ATOLL_EXPORTED [[gnu::visibility("default")]]
ATOLL_EXPORTED MPI_Fint* MPI_F_STATUS_IGNORE = reinterpret_cast<MPI_Fint*>(&ignored);
ATOLL_EXPORTED MPI_Fint* MPI_F_STATUSES_IGNORE = reinterpret_cast<MPI_Fint*>(&ignored_list);
ATOLL_EXPORTED MPI_F08_status* MPI_F08_STATUS_IGNORE = &ignored;
ATOLL_EXPORTED MPI_F08_status* MPI_F08_STATUSES_IGNORE = &ignored_list;
#undef ATOLL_EXPORTED
}
