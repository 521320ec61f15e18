/* SPDX-License-Identifier: Apache-2.0
 * Ranks meet until a rank dies: `outlives KIND`, says "ready" when all have met once.
 *   recovers   the other ranks shrink, agree, and say "N left"
 *   ends       the default error handler
 *   aborts     rank 1 calls MPI_Abort with code 42, while the others wait for it
 *   waits      rank 0 receives from the last rank, which sends nothing */
#include "check.h"

#include <mpi-ext.h>
#include <unistd.h>

static void recover(void) {
  MPI_Comm left;
  MPI_Group dead;
  int one = 1, sum = 0, members, count, agreed = 1 << me;
  MPIX_Comm_revoke(MPI_COMM_WORLD);
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &left) == MPI_SUCCESS);
  MPI_Comm_size(left, &members);
  /* PEs of a host that has died may be told one after another. */
  while (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, left) != MPI_SUCCESS) {
    MPI_Comm smaller;
    MPIX_Comm_revoke(left);
    CHECK(MPIX_Comm_shrink(left, &smaller) == MPI_SUCCESS);
    MPI_Comm_free(&left);
    left = smaller;
    MPI_Comm_size(left, &members);
  }
  CHECK(sum == members);
  CHECK(MPI_Comm_failure_ack(MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Comm_failure_get_acked(MPI_COMM_WORLD, &dead) == MPI_SUCCESS);
  MPI_Group_size(dead, &count);
  CHECK(count == ranks - members);
  MPI_Group_free(&dead);
  CHECK(MPI_Comm_get_failed(MPI_COMM_WORLD, &dead) == MPI_SUCCESS);
  MPI_Group_size(dead, &count);
  CHECK(count == ranks - members);
  MPI_Group_free(&dead);
  CHECK(MPI_Comm_agree(left, &agreed) == MPI_SUCCESS);
  CHECK(agreed == (members == 1 ? 1 << me : 0));
  printf("%d left\n", members);
  MPI_Comm_free(&left);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const char* kind = argc > 1 ? argv[1] : "none";
  int value = 0;
  if (strcmp(kind, "recovers") == 0) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(kind, "none") == 0) return MPI_Finalize();
  puts("ready");
  fflush(stdout);
  if (strcmp(kind, "aborts") == 0 && me == 1) {
    usleep(200000);
    MPI_Abort(MPI_COMM_WORLD, 42);
  }
  if (strcmp(kind, "waits") == 0) {
    if (me == 0) MPI_Recv(&value, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (me == ranks - 1) usleep(10000);
  }
  do usleep(1000);
  while (strcmp(kind, "aborts") != 0 && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  if (strcmp(kind, "aborts") == 0) MPI_Barrier(MPI_COMM_WORLD);
  recover();
  MPI_Finalize();
  return 0;
}
