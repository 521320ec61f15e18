/* SPDX-License-Identifier: Apache-2.0
 * What handles and statuses of Fortran are in C. Returns the number of the check that failed, or 0. */
#include <mpi.h>

MPI_Fint seen_in_c_(const MPI_Fint* comm, const MPI_Fint* type, const MPI_Fint* status, const MPI_Fint* ignored,
                    MPI_Fint* raised) {
  MPI_Comm seen = MPI_Comm_f2c(*comm);
  MPI_Status here, there;
  int same = MPI_UNEQUAL;
  if (MPI_Comm_compare(seen, MPI_COMM_WORLD, &same) != MPI_SUCCESS || same != MPI_CONGRUENT) return 1;
  if (MPI_Comm_c2f(seen) != *comm) return 2;
  if (MPI_Type_f2c(*type) != MPI_INTEGER || MPI_Type_c2f(MPI_INTEGER) != *type) return 3;
  if (MPI_Status_f2c(status, &here) != MPI_SUCCESS || here.MPI_SOURCE != status[MPI_F_SOURCE]) return 4;
  if (MPI_Status_c2f08(&here, &there) != MPI_SUCCESS || there.MPI_TAG != status[MPI_F_TAG]) return 5;
  there.MPI_TAG += 1;
  if (MPI_Status_f082f(&there, raised) != MPI_SUCCESS || raised[MPI_F_TAG] != status[MPI_F_TAG] + 1) return 6;
  if (ignored != MPI_F_STATUS_IGNORE || ignored != (MPI_Fint*)MPI_F08_STATUS_IGNORE) return 7;
  return 0;
}
