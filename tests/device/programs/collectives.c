/* SPDX-License-Identifier: Apache-2.0
 * Collectives with buffers on devices: blocking, non-blocking and persistent, between both kinds of communicators. */
#include "device.h"

enum { COUNT = 3000 };
static int *out, *in;

static void fill(int* device, int count, int first) {
  int* made = ints_on_device(count, first);
  CUDA(cuMemcpy((CUdeviceptr)device, (CUdeviceptr)made, count * sizeof(int)));
  free_device(made);
}

static void moving(void) {
  fill(out, COUNT, me == 0 ? 7 : 0);
  MPI_Bcast(out, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(holds_ints(out, COUNT, 7, 1));
  fill(out, COUNT, me * COUNT);
  MPI_Gather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  if (me == ranks - 1) CHECK(holds_ints(in, (size_t)ranks * COUNT, 0, 1));
  MPI_Allgather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, MPI_COMM_WORLD);
  CHECK(holds_ints(in, (size_t)ranks * COUNT, 0, 1));
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, COUNT, MPI_INT, MPI_COMM_WORLD);
  CHECK(holds_ints(in, (size_t)ranks * COUNT, 0, 1));
  MPI_Scatter(in, COUNT, MPI_INT, out, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(holds_ints(out, COUNT, me * COUNT, 1));
  fill(in, ranks * 10, me * ranks * 10);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 10, MPI_INT, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; ++rank) CHECK(holds_ints(in + rank * 10, 10, rank * ranks * 10 + me * 10, 1));
  /* of other lengths, and not next to one another */
  int counts[ranks], places[ranks];
  for (int rank = 0; rank < ranks; ++rank) counts[rank] = rank + 1, places[rank] = rank * (ranks + 3);
  fill(out, me + 1, 100 * me);
  MPI_Allgatherv(out, me + 1, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; ++rank) CHECK(holds_ints(in + places[rank], rank + 1, 100 * rank, 1));
  MPI_Datatype every_third;
  MPI_Type_vector(COUNT / 3, 1, 3, MPI_INT, &every_third);
  MPI_Type_commit(&every_third);
  fill(out, COUNT, me == 0 ? 0 : -5);
  MPI_Bcast(out, 1, every_third, 0, MPI_COMM_WORLD);
  int first;
  from_device(&first, out + 3, sizeof(first));
  CHECK(first == 3);
  from_device(&first, out + 4, sizeof(first));
  CHECK(first == (me == 0 ? 4 : -1));
  MPI_Type_free(&every_third);
}

static void reducing(void) {
  const int sum = ranks * (ranks - 1) / 2;
  fill(out, COUNT, me);
  MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(holds_ints(in, COUNT, sum, ranks));
  int* host = malloc(COUNT * sizeof(int));
  MPI_Allreduce(out, host, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(host[5] == ranks - 1 + 5);
  free(host);
  MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(holds_ints(out, 1, sum, 0));
  fill(out, COUNT, me);
  MPI_Reduce(out, in, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) CHECK(holds_ints(in, COUNT, sum, ranks));
  MPI_Scan(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(holds_ints(in, COUNT, me * (me + 1) / 2, me + 1));
  MPI_Exscan(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me > 0) CHECK(holds_ints(in, COUNT, me * (me - 1) / 2, me));
  fill(out, ranks * 4, me);
  MPI_Reduce_scatter_block(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(holds_ints(in, 4, sum + me * 4 * ranks, ranks));
  fill(in, COUNT, 1);
  fill(out, COUNT, 2);
  MPI_Reduce_local(in, out, COUNT, MPI_INT, MPI_SUM);
  CHECK(holds_ints(out, COUNT, 3, 2));
}

static void without_waiting(void) {
  MPI_Request requests[2];
  const int sum = ranks * (ranks - 1) / 2;
  int *again = on_device(COUNT * sizeof(int)), *result = on_device(COUNT * sizeof(int));
  fill(out, COUNT, me);
  fill(again, COUNT, me == 0 ? 9 : 0);
  MPI_Iallreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(again, COUNT, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(holds_ints(in, COUNT, sum, ranks) && holds_ints(again, COUNT, 9, 1));
  MPI_Allreduce_init(out, result, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  for (int round = 0; round < 2; ++round) {
    fill(out, COUNT, me + round);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(holds_ints(result, COUNT, sum + round * ranks, ranks));
  }
  MPI_Request_free(&requests[0]);
  MPI_Comm ring;
  const int dims[1] = {ranks}, periods[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  fill(out, 10, me);
  MPI_Neighbor_allgather(out, 10, MPI_INT, in, 10, MPI_INT, ring);
  CHECK(holds_ints(in, 10, (me + ranks - 1) % ranks, 1) && holds_ints(in + 10, 10, (me + 1) % ranks, 1));
  MPI_Comm_free(&ring);
  free_device(result);
  free_device(again);
}

static void add(void* left, void* right, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)right)[i] += ((int*)left)[i];
}

/* Through messages: operations of the program, and the two sides of an inter-communicator. */
static void by_messages(void) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  fill(out, 100, me);
  MPI_Request request;
  MPI_Iallreduce(out, in, 100, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(holds_ints(in, 100, ranks * (ranks - 1) / 2, ranks));
  MPI_Op_free(&op);
  if (ranks < 2) return;
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 3, &both);
  fill(out, 50, me);
  MPI_Allreduce(out, in, 50, MPI_INT, MPI_MIN, both);
  CHECK(holds_ints(in, 50, 1 - me % 2, 1));
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  begin_device();
  out = on_device((size_t)ranks * COUNT * sizeof(int));
  in = on_device((size_t)ranks * COUNT * sizeof(int));
  moving();
  reducing();
  without_waiting();
  by_messages();
  free_device(in);
  free_device(out);
  MPI_Finalize();
  return 0;
}
