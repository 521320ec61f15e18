/* SPDX-License-Identifier: Apache-2.0
 * Windows on device memory, and accesses from and to device memory. */
#include "device.h"

enum { COUNT = 5000 };

static void accesses(MPI_Win window, int is_device, int* memory) {
  const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  int *out = ints_on_device(COUNT, 1000 * me), *in = ints_on_device(COUNT, 0);
  MPI_Win_fence(0, window);
  MPI_Put(out, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (is_device) CHECK(holds_ints(memory, COUNT, 1000 * before, 1));
  else CHECK(memory[0] == 1000 * before && memory[COUNT - 1] == 1000 * before + COUNT - 1);
  MPI_Win_fence(0, window);
  MPI_Get(in, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(holds_ints(in, COUNT, 1000 * me, 1));
  /* every second element, into the host's memory */
  static int host[COUNT];
  MPI_Datatype every_second;
  MPI_Type_vector(COUNT / 2, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Win_fence(0, window);
  MPI_Get(host, COUNT / 2, MPI_INT, next, 0, 1, every_second, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  for (int i = 0; i < COUNT / 2; ++i) CHECK(host[i] == 1000 * me + 2 * i);
  MPI_Type_free(&every_second);
  /* sums of all ranks at rank 0 */
  int zero = 0, got;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, window);
  MPI_Put(&zero, 1, MPI_INT, me, 0, 1, MPI_INT, window);
  MPI_Win_unlock(me, window);
  MPI_Barrier(MPI_COMM_WORLD);
  int* ones = ints_on_device(1, 1);
  for (int i = 0; i < 10; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(ones, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Fetch_and_op(ones, in, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_unlock(0, window);
  CHECK(got == 20 * ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  /* one rank alone finds what it compares with */
  int* compare = ints_on_device(1, 20 * ranks);
  int* mine = ints_on_device(1, -1 - me);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Compare_and_swap(mine, compare, in, MPI_INT, 0, 0, window);
  MPI_Win_unlock(0, window);
  from_device(&got, in, sizeof(got));
  int swapped = got == 20 * ranks, all;
  MPI_Allreduce(&swapped, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all == 1);
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  MPI_Rget(in, 1, MPI_INT, next, 1, 1, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(holds_ints(in, 1, 1000 * me + 1, 0));
  MPI_Win_unlock(next, window);
  free_device(mine);
  free_device(compare);
  free_device(ones);
  free_device(in);
  free_device(out);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  begin_device();
  MPI_Win window;
  int* memory = on_device(COUNT * sizeof(int));
  MPI_Win_create(memory, COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  accesses(window, 1, memory);
  MPI_Win_free(&window);
  static int host[COUNT];
  MPI_Win_create(host, sizeof(host), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  accesses(window, 0, host);
  MPI_Win_free(&window);
  int* allocated;
  MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &window);
  accesses(window, 0, allocated);
  MPI_Win_free(&window);
  /* device memory attached to a dynamic window */
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, memory, COUNT * sizeof(int));
  MPI_Aint at[ranks];
  MPI_Get_address(memory, &at[me]);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_AINT, at, 1, MPI_AINT, MPI_COMM_WORLD);
  int* out = ints_on_device(COUNT, me);
  for (int step = 0; step < 2; ++step) { /* at oneself, too */
    const int target = (me + step) % ranks;
    MPI_Win_fence(0, window);
    MPI_Put(out, COUNT, MPI_INT, target, at[target], COUNT, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(holds_ints(memory, COUNT, (me + ranks - step) % ranks, 1));
  }
  free_device(out);
  MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
  free_device(memory);
  MPI_Finalize();
  return 0;
}
