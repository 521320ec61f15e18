/* SPDX-License-Identifier: Apache-2.0
 * Ranks die, and others are started in their place. */
#include "check.h"

#include <mpi-ext.h>
#include <signal.h>
#include <unistd.h>

enum { rounds = 3 };

/* Old and new ones, together: as many as there were, the new ones last. */
static MPI_Comm join(MPI_Comm across, int new_ones) {
  MPI_Comm all;
  CHECK(MPI_Intercomm_merge(across, new_ones, &all) == MPI_SUCCESS);
  MPI_Comm_free(&across);
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  return all;
}

static MPI_Comm replace_dead(MPI_Comm broken, const char* self) {
  MPI_Comm left, across;
  int before, now;
  MPIX_Comm_revoke(broken);
  CHECK(MPIX_Comm_shrink(broken, &left) == MPI_SUCCESS);
  MPI_Comm_size(broken, &before);
  MPI_Comm_size(left, &now);
  CHECK(now == before - 1);
  MPI_Comm_free(&broken);
  CHECK(MPI_Comm_spawn(self, MPI_ARGV_NULL, before - now, MPI_INFO_NULL, 0, left, &across, MPI_ERRCODES_IGNORE) ==
        MPI_SUCCESS);
  MPI_Comm_free(&left);
  return join(across, 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm comm, parent;
  int round = 0, mine, members;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  else comm = join(parent, 1);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_size(comm, &members);
  for (;;) {
    /* The new ones hear where the others are. */
    int furthest, sum = 0, one = 1;
    CHECK(MPI_Allreduce(&round, &furthest, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS);
    round = furthest;
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == members);
    MPI_Comm_rank(comm, &mine);
    if (round == rounds || members < 3) break; /* of two, none of the first would be left */
    if (mine == round % members) kill(getpid(), SIGKILL);
    while (MPI_Barrier(comm) == MPI_SUCCESS) {}
    comm = replace_dead(comm, argv[0]);
    ++round;
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
