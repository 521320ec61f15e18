/* SPDX-License-Identifier: Apache-2.0
 * Accesses to a window are local calls, with and without a request: the last rank starts far more of them than the
 * network holds, while rank 0 is stopped. They complete when it continues. */
#include <signal.h>
#include <stddef.h>

#include "flags.h"

enum { MANY = 10000, GETS = 1000, SOME = 600, LONG = 8192, PIECE = 1 << 20 };

static int sends, last; /* whether this is the last rank; that rank */
static int cases;
static long pid_there;
static MPI_Win win;
static MPI_Aint base; /* displacement of rank 0's area */
static struct area {
  long words[MANY], sums[MANY];
  int pairs[2 * MANY];
  char blocks[SOME][LONG];
  char piece[PIECE];
}* mine;
static long sources[MANY];
static int values[2 * MANY];
static char (*texts)[LONG];
static char* piece;
static MPI_Request requests[MANY];
static MPI_Datatype every_second;

#define AT(member) (base + (MPI_Aint)offsetof(struct area, member))

static char state_of(long process) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  FILE* file = fopen(path, "r");
  CHECK(file != NULL && fgets(text, sizeof text, file) != NULL);
  fclose(file);
  return strrchr(text, ')')[2];
}
static void stop_it(void) {
  CHECK(kill((pid_t)pid_there, SIGSTOP) == 0);
  while (state_of(pid_there) != 'T') usleep(100);
}
static void continue_it(void) { CHECK(kill((pid_t)pid_there, SIGCONT) == 0); }

static void nothing(void) {}
static void (*rank_0_does)(void) = nothing; /* after the flag */

/* `start` begins accesses while rank 0 is stopped, `end` completes them, `check` looks at the data on both sides. Rank
 * 0 makes no call of MPI until the accesses have begun. */
static void run(void (*start)(void), void (*end)(void), void (*check)(void)) {
  for (int i = 0; i < MANY; ++i) mine->words[i] = me == 0 ? -1 - i : 0, mine->sums[i] = 1;
  memset(mine->pairs, 0, sizeof mine->pairs);
  memset(mine->blocks, 0, sizeof mine->blocks);
  memset(mine->piece, 0, PIECE);
  MPI_Barrier(MPI_COMM_WORLD);
  ++cases;
  if (sends) {
    MPI_Win_lock_all(0, win);
    stop_it();
    start();
    continue_it();
    set_flag(cases);
    end();
    MPI_Win_unlock_all(win);
  } else if (me == 0) {
    while (!flag(cases)) usleep(100);
    rank_0_does();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  check();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wait_for_many(void) { MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE); }
static void wait_for_gets(void) { MPI_Waitall(GETS, requests, MPI_STATUSES_IGNORE); }
static void wait_for_some(void) { MPI_Waitall(SOME, requests, MPI_STATUSES_IGNORE); }
static void flush(void) { MPI_Win_flush(0, win); }

static void rputs(void) {
  for (int i = 0; i < MANY; ++i)
    MPI_Rput(sources + i, 1, MPI_LONG, 0, AT(words) + i * (MPI_Aint)sizeof(long), 1, MPI_LONG, win, requests + i);
}
static void puts_without_request(void) {
  for (int i = 0; i < MANY; ++i)
    MPI_Put(sources + i, 1, MPI_LONG, 0, AT(words) + i * (MPI_Aint)sizeof(long), 1, MPI_LONG, win);
}
static void check_words(void) {
  for (int i = 0; i < MANY && me == 0; ++i) CHECK(mine->words[i] == i + 1);
}
static void puts_mixed(void) {
  for (int i = 0; i < MANY; ++i) {
    const MPI_Aint at = AT(words) + i * (MPI_Aint)sizeof(long);
    requests[i] = MPI_REQUEST_NULL;
    if (i % 2 != 0) MPI_Put(sources + i, 1, MPI_LONG, 0, at, 1, MPI_LONG, win);
    else MPI_Rput(sources + i, 1, MPI_LONG, 0, at, 1, MPI_LONG, win, requests + i);
  }
}
static void flush_and_wait(void) {
  flush();
  for (int i = 0; i < MANY; ++i) {
    int done = 0;
    MPI_Test(requests + i, &done, MPI_STATUS_IGNORE);
    CHECK(done);
  }
}
static void packed_puts(void) {
  static int spread[MANY][4];
  for (int i = 0; i < MANY; ++i) {
    const MPI_Aint at = AT(pairs) + 2 * i * (MPI_Aint)sizeof(int);
    requests[i] = MPI_REQUEST_NULL;
    spread[i][0] = 2 * i, spread[i][2] = 2 * i + 1;
    if (i % 2 != 0) MPI_Put(spread[i], 1, every_second, 0, at, 2, MPI_INT, win);
    else MPI_Rput(spread[i], 1, every_second, 0, at, 2, MPI_INT, win, requests + i);
  }
}
static void check_pairs(void) {
  for (int i = 0; i < 2 * MANY && me == 0; ++i) CHECK(mine->pairs[i] == i);
}
static void scattered_puts(void) {
  for (int i = 0; i < GETS; ++i)
    MPI_Rput(values + 2 * i, 2, MPI_INT, 0, AT(pairs) + 4 * i * (MPI_Aint)sizeof(int), 1, every_second, win,
             requests + i);
}
static void check_scattered(void) {
  for (int i = 0; i < GETS && me == 0; ++i) CHECK(mine->pairs[4 * i] == 2 * i && mine->pairs[4 * i + 2] == 2 * i + 1);
}
static void long_puts(void) {
  for (int i = 0; i < SOME; ++i)
    MPI_Rput(texts[i], LONG, MPI_CHAR, 0, AT(blocks) + i * (MPI_Aint)LONG, LONG, MPI_CHAR, win, requests + i);
  MPI_Put(piece, PIECE, MPI_CHAR, 0, AT(piece), PIECE, MPI_CHAR, win);
}
static void check_blocks(void) {
  for (int i = 0; i < SOME && me == 0; ++i) CHECK(memcmp(mine->blocks[i], texts[i], LONG) == 0);
  CHECK(me != 0 || memcmp(mine->piece, piece, PIECE) == 0);
}

static long fetched[MANY];
static int fetched_pairs[4 * GETS];
static void rgets(void) {
  memset(fetched, 0, sizeof fetched);
  for (int i = 0; i < GETS; ++i)
    MPI_Rget(fetched + i, 1, MPI_LONG, 0, AT(words) + i * (MPI_Aint)sizeof(long), 1, MPI_LONG, win, requests + i);
}
static void gets_without_request(void) {
  memset(fetched, 0, sizeof fetched);
  for (int i = 0; i < GETS; ++i)
    MPI_Get(fetched + i, 1, MPI_LONG, 0, AT(words) + i * (MPI_Aint)sizeof(long), 1, MPI_LONG, win);
}
/* Complete before the epoch ends. */
static void check_fetched(void) {
  for (int i = 0; i < GETS; ++i) CHECK(fetched[i] == -1 - i);
}
static void wait_and_check_gets(void) {
  wait_for_gets();
  check_fetched();
}
static void flush_and_check_gets(void) {
  flush();
  check_fetched();
}
static void unpacked_gets(void) {
  memset(fetched_pairs, 0, sizeof fetched_pairs);
  for (int i = 0; i < GETS; ++i) {
    const MPI_Aint at = AT(words) + i * (MPI_Aint)sizeof(long);
    requests[i] = MPI_REQUEST_NULL;
    if (i % 2 != 0) MPI_Get(fetched_pairs + 4 * i, 1, every_second, 0, at, 2, MPI_INT, win);
    else MPI_Rget(fetched_pairs + 4 * i, 1, every_second, 0, at, 2, MPI_INT, win, requests + i);
  }
}
static void check_unpacked(void) {
  flush();
  for (int i = 0; i < GETS; ++i) {
    long word;
    memcpy(&word, (int[]){fetched_pairs[4 * i], fetched_pairs[4 * i + 2]}, sizeof word);
    CHECK(word == -1 - i && fetched_pairs[4 * i + 1] == 0);
  }
  wait_for_gets();
}

static void raccumulates(void) {
  for (int i = 0; i < MANY; ++i)
    MPI_Raccumulate(sources + i, 1, MPI_LONG, 0, AT(sums) + i * (MPI_Aint)sizeof(long), 1, MPI_LONG, MPI_SUM, win,
                    requests + i);
}
static void check_sums(void) {
  for (int i = 0; i < MANY && me == 0; ++i) CHECK(mine->sums[i] == i + 2);
}
static void rget_accumulates(void) {
  memset(fetched, 0, sizeof fetched);
  for (int i = 0; i < MANY; ++i)
    MPI_Rget_accumulate(sources + i, 1, MPI_LONG, fetched + i, 1, MPI_LONG, 0, AT(sums) + i * (MPI_Aint)sizeof(long), 1,
                        MPI_LONG, MPI_SUM, win, requests + i);
}
static void wait_and_check_old(void) {
  wait_for_many();
  for (int i = 0; i < MANY; ++i) CHECK(fetched[i] == 1);
}
static void accumulates_of_all_kinds(void) {
  memset(fetched, 0, sizeof fetched);
  for (int i = 0; i < MANY; ++i) {
    const MPI_Aint at = AT(sums) + i * (MPI_Aint)sizeof(long);
    static const long one = 1;
    if (i % 3 == 0) MPI_Accumulate(sources + i, 1, MPI_LONG, 0, at, 1, MPI_LONG, MPI_SUM, win);
    else if (i % 3 == 1) MPI_Fetch_and_op(sources + i, fetched + i, MPI_LONG, 0, at, MPI_SUM, win);
    else MPI_Compare_and_swap(sources + i, &one, fetched + i, MPI_LONG, 0, at, win);
  }
}
static void check_all_kinds(void) {
  for (int i = 0; i < MANY; ++i) {
    if (me == 0) CHECK(mine->sums[i] == i + (i % 3 == 2 ? 1 : 2));
    if (sends && i % 3 != 0) CHECK(fetched[i] == 1);
  }
}
static void long_accumulates(void) {
  for (int i = 0; i < SOME; ++i)
    MPI_Raccumulate(texts[i], LONG, MPI_CHAR, 0, AT(blocks) + i * (MPI_Aint)LONG, LONG, MPI_CHAR, MPI_REPLACE, win,
                    requests + i);
  MPI_Accumulate(piece, PIECE, MPI_CHAR, 0, AT(piece), PIECE, MPI_CHAR, MPI_REPLACE, win);
}

/* Messages, too. */
static void isends(void) {
  for (int i = 0; i < MANY; ++i) MPI_Isend(sources + i, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, requests + i);
}
static void receive_words(void) {
  for (int i = 0; i < MANY; ++i) MPI_Recv(mine->words + i, 1, MPI_LONG, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void long_isends(void) {
  for (int i = 0; i < SOME; ++i) MPI_Isend(texts[i], LONG, MPI_CHAR, 0, 2, MPI_COMM_WORLD, requests + i);
  MPI_Isend(piece, PIECE, MPI_CHAR, 0, 2, MPI_COMM_WORLD, requests + SOME);
}
static void wait_for_long_isends(void) { MPI_Waitall(SOME + 1, requests, MPI_STATUSES_IGNORE); }
static void receive_blocks(void) {
  for (int i = 0; i < SOME; ++i) MPI_Recv(mine->blocks[i], LONG, MPI_CHAR, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(mine->piece, PIECE, MPI_CHAR, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static MPI_Request ready[SOME];
static void partitions(void) {
  for (int i = 0; i < SOME; ++i)
    MPI_Psend_init(sources + i, 1, 1, MPI_LONG, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, ready + i);
  MPI_Startall(SOME, ready);
  for (int i = 0; i < SOME; ++i) MPI_Pready(0, ready[i]);
}
static void end_partitions(void) {
  MPI_Waitall(SOME, ready, MPI_STATUSES_IGNORE);
  for (int i = 0; i < SOME; ++i) MPI_Request_free(ready + i);
}
static void receive_partitions(void) {
  for (int i = 0; i < SOME; ++i)
    MPI_Precv_init(mine->words + i, 1, 1, MPI_LONG, last, 3, MPI_COMM_WORLD, MPI_INFO_NULL, ready + i);
  MPI_Startall(SOME, ready);
  end_partitions();
}
static void check_partitions(void) {
  for (int i = 0; i < SOME && me == 0; ++i) CHECK(mine->words[i] == i + 1);
}
/* Of the two ranks alone: others would have to take part while rank 0 is stopped. */
static MPI_Comm pair;
static long reduced[SOME];
static void collectives(void) {
  for (int i = 0; i < SOME; ++i) MPI_Iallreduce(sources + i, reduced + i, 1, MPI_LONG, MPI_SUM, pair, requests + i);
}
static void join_collectives(void) {
  collectives();
  wait_for_some();
}
static void check_reduced(void) {
  for (int i = 0; i < SOME && (me == 0 || sends); ++i) CHECK(reduced[i] == 2 * (i + 1));
}

static void access_window(void) {
  run(rputs, wait_for_many, check_words);
  run(rputs, flush_and_wait, check_words);
  run(puts_without_request, nothing, check_words);
  run(puts_mixed, flush_and_wait, check_words);
  run(packed_puts, wait_for_many, check_pairs);
  run(scattered_puts, wait_for_gets, check_scattered);
  run(long_puts, wait_for_some, check_blocks);
  run(rgets, wait_and_check_gets, nothing);
  run(gets_without_request, flush_and_check_gets, nothing);
  run(unpacked_gets, check_unpacked, nothing);
  run(raccumulates, wait_for_many, check_sums);
  run(rget_accumulates, wait_and_check_old, check_sums);
  run(accumulates_of_all_kinds, flush, check_all_kinds);
  run(long_accumulates, wait_for_some, check_blocks);
}

/* A wait for a rank that stays stopped ends with an error. */
static void stay_stopped(const char* access) {
  if (!sends) return;
  MPI_Win_lock_all(0, win);
  stop_it();
  if (strcmp(access, "put") == 0) puts_without_request(), flush();
  else if (strcmp(access, "get") == 0) gets_without_request(), flush();
  else rgets(), wait_for_gets();
  CHECK(0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  share_flags();
  last = ranks - 1;
  sends = me == last && ranks > 1;
  long pid = getpid();
  MPI_Bcast(&pid, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  pid_there = pid;
  texts = malloc(sizeof(*texts) * SOME);
  piece = malloc(PIECE);
  for (int i = 0; i < MANY; ++i) sources[i] = i + 1;
  for (int i = 0; i < 2 * MANY; ++i) values[i] = i;
  for (int i = 0; i < SOME; ++i)
    for (int k = 0; k < LONG; ++k) texts[i][k] = (char)(i * 7 + k % 251);
  for (int i = 0; i < PIECE; ++i) piece[i] = (char)(i % 253);
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Win_allocate(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  if (ranks > 1) {
    access_window();
    MPI_Win allocated = win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, mine, sizeof *mine);
    MPI_Get_address(mine, &base);
    MPI_Bcast(&base, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    access_window();
    if (argc > 2) stay_stopped(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    win = allocated, base = 0;
    rank_0_does = receive_words;
    run(isends, wait_for_many, check_words);
    rank_0_does = receive_blocks;
    run(long_isends, wait_for_long_isends, check_blocks);
    rank_0_does = receive_partitions;
    run(partitions, end_partitions, check_partitions);
    MPI_Comm_split(MPI_COMM_WORLD, me == 0 || sends, 0, &pair);
    rank_0_does = join_collectives;
    run(collectives, wait_for_some, check_reduced);
    MPI_Comm_free(&pair);
    if (argc > 1) stay_stopped(argv[1]);
  }
  MPI_Win_free(&win);
  MPI_Type_free(&every_second);
  free(texts), free(piece);
  MPI_Finalize();
  return 0;
}
