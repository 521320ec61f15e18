/* SPDX-License-Identifier: Apache-2.0
 * Calls that MPI calls local return, whatever the other rank does: rank 1 makes far more of them than rings and
 * networks hold, and then sets a flag. Rank 0 makes no MPI call before it has seen that flag. */
#include <sched.h>

#include "flags.h"

enum { MANY = 1500, SOME = 600, LONG = 8192 };

static int cases;

static void begin_case(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  ++cases;
}
static void say(void) { set_flag(cases); }
static void await(void) {
  while (!flag(cases)) sched_yield();
}

static int values[MANY];
static char (*texts)[LONG];
static MPI_Request requests[MANY];

static void receive_values(int count) {
  for (int i = 0; i < count; ++i) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, 1, cases, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == i);
  }
}
static void receive_texts(int count) {
  static char got[LONG];
  for (int i = 0; i < count; ++i) {
    MPI_Recv(got, LONG, MPI_CHAR, 1, cases, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(memcmp(got, texts[i], LONG) == 0);
  }
}

static void non_blocking(void) {
  for (int kind = 0; kind < 3; ++kind) {
    begin_case();
    if (me == 1) {
      for (int i = 0; i < MANY; ++i)
        (kind == 0   ? MPI_Isend
         : kind == 1 ? MPI_Issend
                     : MPI_Irsend)(values + i, 1, MPI_INT, 0, cases, MPI_COMM_WORLD, requests + i);
      say();
      MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    } else if (me == 0) {
      MPI_Request ready[MANY];
      int got[MANY];
      if (kind == 2) {
        for (int i = 0; i < MANY; ++i) MPI_Irecv(got + i, 1, MPI_INT, 1, cases, MPI_COMM_WORLD, ready + i);
      }
      await();
      if (kind == 2) {
        MPI_Waitall(MANY, ready, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; ++i) CHECK(got[i] == i);
      } else {
        receive_values(MANY);
      }
    }
  }
  begin_case();
  if (me == 1) {
    for (int i = 0; i < SOME; ++i) MPI_Isend(texts[i], LONG, MPI_CHAR, 0, cases, MPI_COMM_WORLD, requests + i);
    say();
    MPI_Waitall(SOME, requests, MPI_STATUSES_IGNORE);
  } else if (me == 0) {
    await();
    receive_texts(SOME);
  }
  /* Short and long ones stay in order. */
  begin_case();
  if (me == 1) {
    for (int i = 0; i < SOME; ++i)
      MPI_Isend(texts[i], i % 3 == 0 ? LONG : 8, MPI_CHAR, 0, cases, MPI_COMM_WORLD, requests + i);
    say();
    MPI_Waitall(SOME, requests, MPI_STATUSES_IGNORE);
  } else if (me == 0) {
    await();
    for (int i = 0; i < SOME; ++i) {
      static char got[LONG];
      MPI_Status status;
      int count;
      MPI_Recv(got, LONG, MPI_CHAR, 1, cases, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &count);
      CHECK(count == (i % 3 == 0 ? LONG : 8) && memcmp(got, texts[i], count) == 0);
    }
  }
}

static void buffered(void) {
  const int room = MANY * (int)(sizeof(int) + MPI_BSEND_OVERHEAD);
  void* memory = malloc(room);
  MPI_Buffer_attach(memory, room);
  begin_case();
  if (me == 1) {
    for (int i = 0; i < MANY; ++i) MPI_Bsend(values + i, 1, MPI_INT, 0, cases, MPI_COMM_WORLD);
    say();
  } else if (me == 0) {
    await();
    receive_values(MANY);
  }
  begin_case();
  if (me == 1) {
    MPI_Buffer_flush();
    for (int i = 0; i < MANY; ++i) MPI_Ibsend(values + i, 1, MPI_INT, 0, cases, MPI_COMM_WORLD, requests + i);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    say();
  } else if (me == 0) {
    await();
    receive_values(MANY);
  }
  MPI_Buffer_detach(&memory, &(int){0});
  free(memory);
}

static void persistent(void) {
  begin_case();
  if (me == 1) {
    for (int i = 0; i < MANY; ++i) MPI_Send_init(values + i, 1, MPI_INT, 0, cases, MPI_COMM_WORLD, requests + i);
    MPI_Startall(MANY, requests);
    say();
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; ++i) MPI_Request_free(requests + i);
  } else if (me == 0) {
    await();
    receive_values(MANY);
  }
}

static void partitioned(void) {
  int got[SOME];
  begin_case();
  if (me > 1) return;
  for (int i = 0; i < SOME; ++i) {
    if (me == 1) MPI_Psend_init(values + i, 1, 1, MPI_INT, 0, cases, MPI_COMM_WORLD, MPI_INFO_NULL, requests + i);
    else MPI_Precv_init(got + i, 1, 1, MPI_INT, 1, cases, MPI_COMM_WORLD, MPI_INFO_NULL, requests + i);
  }
  if (me == 1) {
    MPI_Startall(SOME, requests);
    for (int i = 0; i < SOME; ++i) MPI_Pready(0, requests[i]);
    say();
  } else {
    await();
    MPI_Startall(SOME, requests);
  }
  MPI_Waitall(SOME, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < SOME; ++i) {
    CHECK(me == 1 || got[i] == i);
    MPI_Request_free(requests + i);
  }
}

static void one_sided(void) {
  int* memory = malloc(MANY * sizeof(int));
  memset(memory, 0, MANY * sizeof(int));
  MPI_Win win;
  MPI_Win_create(memory, MANY * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  begin_case();
  if (me == 1) {
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < MANY; ++i) MPI_Rput(values + i, 1, MPI_INT, 0, i, 1, MPI_INT, win, requests + i);
    for (int i = 0; i < MANY; ++i) MPI_Accumulate(values + i, 1, MPI_INT, 0, i, 1, MPI_INT, MPI_SUM, win);
    say();
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
  } else if (me == 0) {
    await();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; me == 0 && i < MANY; ++i) CHECK(memory[i] == 2 * i);
  MPI_Win_free(&win);
  free(memory);
}

static void collective(void) {
  static int results[SOME];
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, me > 1, me, &pair);
  for (int kind = 0; kind < 4; ++kind) {
    begin_case();
    if (me == 0) await();
    for (int i = 0; i < SOME; ++i) {
      results[i] = me == 1 ? i : -1;
      if (kind == 0) MPI_Ibcast(results + i, 1, MPI_INT, me > 1 ? 0 : 1, pair, requests + i);
      else if (kind == 1) MPI_Iallreduce(values + i, results + i, 1, MPI_INT, MPI_SUM, pair, requests + i);
      else if (kind == 2) MPI_Ibarrier(pair, requests + i);
      else MPI_Iexscan(values + i, results + i, 1, MPI_INT, MPI_SUM, pair, requests + i);
    }
    if (me == 1) say();
    MPI_Waitall(SOME, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < SOME && me < 2; ++i) {
      if (kind == 0) CHECK(results[i] == i);
      else if (kind == 1) CHECK(results[i] == 2 * i);
    }
  }
  MPI_Comm_free(&pair);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (ranks > 1) {
    share_flags();
    texts = malloc(sizeof(*texts) * SOME);
    for (int i = 0; i < MANY; ++i) values[i] = i;
    for (int i = 0; i < SOME; ++i)
      for (int k = 0; k < LONG; ++k) texts[i][k] = (char)(i * 7 + k);
    non_blocking();
    buffered();
    persistent();
    partitioned();
    one_sided();
    collective();
    free(texts);
  }
  MPI_Finalize();
  return 0;
}
