/* SPDX-License-Identifier: Apache-2.0
 * Messages until the driver fails: the test says in which of its calls, and what the error is to say. */
#include "device.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  begin_device();
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  int *out = ints_on_device(10, me), *in = ints_on_device(10, 0);
  for (int i = 0; i < 10; ++i) {
    MPI_Request request;
    MPI_Irecv(in, 10, MPI_INT, from, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, 10, MPI_INT, to, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(!"the driver has failed");
  return 0;
}
