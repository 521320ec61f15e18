/* SPDX-License-Identifier: Apache-2.0
 * Unexpected messages go to memory, up to a limit: `flood` sends more than any ring holds to a rank that waits in a
 * collective. `flood limit` sends more than ATOLL_MPI_UNEXPECTED_LIMIT allows: the sender waits, and says so. `flood
 * buffered` has many buffered sends pending, which must not take time of the square of their number. */
#include <sched.h>
#include <unistd.h>

#include "check.h"

static char* text;
static MPI_Comm others;

/* Rank 1 sends to rank 0, which waits in `wait`, as does rank 1 behind its sends. */
static void flood(int count, int bytes, void (*wait)(void)) {
  if (me == 1) {
    for (int i = 0; i < count; ++i) {
      memcpy(text, &i, sizeof(i));
      MPI_Send(text, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
  }
  wait();
  for (int i = 0; i < count && me == 0; ++i) {
    int got = -1;
    MPI_Recv(text, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(&got, text, sizeof(got));
    CHECK(got == i);
  }
}

static MPI_Win win;
static void nothing(void) {}
static void barrier(void) { MPI_Barrier(others); }
static void fence(void) { MPI_Win_fence(0, win); }
static void reduction(void) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, others);
  CHECK(sum == ranks);
}

/* Rank 0 takes messages from the ring until its share of memory is full, and then stays away for a while. */
static void limit(int share) {
  if (me == 0) {
    unsigned long long waiting = 0;
    int index, count;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS);
    while (waiting < (unsigned long long)share) {
      MPI_T_pvar_read(session, handle, &waiting);
      sched_yield();
    }
    CHECK(waiting == (unsigned long long)share);
    sleep(1);
    MPI_T_pvar_session_free(&session);
  }
  flood(2 * share, 4, nothing);
}

static void buffered(int count) {
  const int room = count * (64 + MPI_BSEND_OVERHEAD);
  void* memory = malloc(room);
  MPI_Buffer_attach(memory, room);
  if (me == 1) {
    for (int i = 0; i < count; ++i) MPI_Bsend(&i, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count && me == 0; ++i) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == i);
  }
  MPI_Buffer_detach(&memory, &(int){0});
  free(memory);
}

int main(int argc, char** argv) {
  int provided;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  begin(&argc, &argv);
  text = calloc(1, 65536);
  const char* what = argc > 1 ? argv[1] : "";
  if (ranks > 1) {
    MPI_Comm_dup(MPI_COMM_WORLD, &others);
    if (strcmp(what, "limit") == 0) {
      limit(atoi(argv[2]));
    } else if (strcmp(what, "buffered") == 0) {
      buffered(100000);
    } else {
      MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      flood(60000, 4, barrier);
      flood(60000, 4, fence);
      flood(4000, 8192, barrier);
      flood(4000, 8192, reduction);
      MPI_Win_free(&win);
    }
    MPI_Comm_free(&others);
  }
  free(text);
  MPI_Finalize();
  MPI_T_finalize();
  return 0;
}
