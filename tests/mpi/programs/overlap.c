/* SPDX-License-Identifier: Apache-2.0
 * What goes on while the program computes, with a core for it: nothing here is waited for by a call. */
#include "check.h"

#include <time.h>

enum { count = 1 << 18 };
static int out[count], in[count];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Looks at memory alone, for at most 20 s: without a call of MPI, which ThreadSanitizer rightly says is no way to know.
 */
__attribute__((no_sanitize("thread"))) static int comes(const volatile int* word, int value) {
  double until = now() + 20;
  while (*word != value)
    if (now() > until) return 0;
  return 1;
}

static void fill(int value) {
  for (int i = 0; i < count; ++i) out[i] = value, in[i] = -1;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Request request;
  /* A reduction, of which each rank sees the end. The last word is not the last to come, so that the rest is checked
   * after. */
  for (int round = 0; round < 3; ++round) {
    fill(me + round);
    MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    int sum = ranks * (ranks - 1) / 2 + ranks * round;
    CHECK(comes(in + count - 1, sum) && comes(in, sum));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) CHECK(in[i] == sum);
  }
  /* A long message out of and into private memory. */
  if (ranks > 1) {
    fill(me);
    MPI_Request both[2];
    MPI_Irecv(in, count, MPI_INT, (me + 1) % ranks, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, count, MPI_INT, (me + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &both[1]);
    CHECK(comes(in + count - 1, (me + 1) % ranks));
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  /* Persistent ones, which ranks start in whatever order they like; more than coll has communicators for. */
  enum { many = 70 };
  static int ones[many], sums[many];
  MPI_Request all[many];
  for (int i = 0; i < many; ++i)
    MPI_Allreduce_init(ones + i, sums + i, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, all + i);
  for (int round = 1; round < 4; ++round) {
    for (int i = 0; i < many; ++i) ones[i] = i * round;
    for (int i = 0; i < many; ++i) MPI_Start(all + (i * 3 + me * 11) % many);
    MPI_Waitall(many, all, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; ++i) CHECK(sums[i] == i * round * ranks);
  }
  for (int i = 0; i < many; ++i) MPI_Request_free(all + i);
  MPI_Barrier(MPI_COMM_WORLD);
  /* What is started and not waited for before the communicator goes. */
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  fill(1);
  MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, copy, &request);
  MPI_Comm_free(&copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in[0] == ranks && in[count - 1] == ranks);
  MPI_Finalize();
  return 0;
}
