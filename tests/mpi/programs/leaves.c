/* SPDX-License-Identifier: Apache-2.0
 * Programs that never finalize: when all end, one after the other, the job has ended well. */
#include <unistd.h>

#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int sum;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == ranks * (ranks - 1) / 2);
  usleep(50000u * (unsigned)me);
  return 0;
}
