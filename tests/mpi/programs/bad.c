/* SPDX-License-Identifier: Apache-2.0
 * What must end with one line that names rank, function and fault: bad NUMBER. */
#include "check.h"

int main(int argc, char** argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0, value = 0;
  if (which == 0) MPI_Comm_rank(MPI_COMM_WORLD, &value);
  begin(&argc, &argv);
  MPI_Comm freed, parent;
  switch (which) {
    case 1: MPI_Send(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD); break;
    case 2:
      MPI_Comm_dup(MPI_COMM_WORLD, &freed);
      MPI_Send(&value, 1, MPI_INT, 0, 0, (MPI_Comm)MPI_INT);
      break;
    case 3: MPI_Abort(MPI_COMM_WORLD, 42); break;
    case 4: /* a receive without a sender: the other rank is gone */
      if (me == 1) abort();
      MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case 5: /* a process that was started by the others leaves them */
      MPI_Comm_get_parent(&parent);
      if (parent != MPI_COMM_NULL) exit(6);
      MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent, MPI_ERRCODES_IGNORE);
      MPI_Barrier(parent);
      break;
  }
  MPI_Finalize();
  return 0;
}
