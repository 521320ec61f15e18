// SPDX-License-Identifier: Apache-2.0
// mpi: what programs of MPI wait for: messages (latency, rate, bandwidth), collectives by bytes per rank (alltoall: per
// pair), windows, non-blocking collectives while the program computes, and datatypes that lie apart, beside loops
// written by hand.
// `*_added`: what an operation adds to a computation of 1.2 times its own time, without a call in between; `--asleep
// 1`: to a sleep, which leaves the core to others, with core 0 for progress; `*_blocking`: the same waited for at once.
// `--allocated 1`: buffers are memory of MPI_Alloc_mem.
#include "../shmem/bench.h"

#include <sys/prctl.h>

enum { MOST = 1 << 20, WINDOW = 64, TAG = 5 };

static char *in, *out;
static size_t size;
static int me, peer, pes;
static MPI_Request requests[WINDOW];

// ---- messages between ranks 0 and 1

static void ping_pong(uint64_t count) {
  for (uint64_t i = 0; i < count && me < 2; ++i) {
    if (me == 0) MPI_Send(out, (int)size, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    MPI_Recv(in, (int)size, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1) MPI_Send(out, (int)size, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
  }
}

// Windows of messages, each answered by an empty one.
static void stream(uint64_t count) {
  for (uint64_t i = 0; i < count && me < 2; ++i) {
    for (int k = 0; k < WINDOW; ++k) {
      char* at = (me == 0 ? out : in) + (size < 4096 ? (size_t)k * size : 0);
      if (me == 0) MPI_Isend(at, (int)size, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &requests[k]);
      else MPI_Irecv(at, (int)size, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (me == 0) MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
  }
}

static void fill(char* block, size_t bytes, uint64_t seed) {
  for (size_t i = 0; i < bytes; ++i) block[i] = (char)bench_mix(seed + i / 8);
}

// The hash of what rank 0 has for rank 1, which rank 1 has to have got.
static uint64_t moved(BenchBody body, size_t bytes) {
  fill(out, bytes, 3 + (uint64_t)me);
  memset(in, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  body(1);
  if (me == 1) {
    uint64_t hash = bench_hash(in, bytes);
    fill(out, bytes, 3);
    bench_check(hash == bench_hash(out, bytes), "a message");
  }
  fill(out, bytes, 3);
  return bench_hash(out, bytes);
}

static void messages(size_t most) {
  const size_t sizes[] = {0, 8, 64, 256, 1024, 4096, 8192, 16384, 65536, 262144, MOST};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; ++i) {
    size = sizes[i];
    uint64_t hash = moved(ping_pong, size);
    bench_point((BenchPoint){
        .name = "latency", .size = size, .seconds = bench_measure(ping_pong, BENCH_EVERYBODY) / 2, .checksum = hash});
  }
  const size_t streams[] = {8, 1024, 65536, MOST};
  for (unsigned i = 0; i < sizeof streams / sizeof *streams && streams[i] <= most; ++i) {
    size = streams[i];
    uint64_t hash = moved(stream, size < 4096 ? size * WINDOW : size);
    bench_point((BenchPoint){.name = "stream",
                             .size = size,
                             .seconds = bench_measure(stream, BENCH_EVERYBODY) / WINDOW,
                             .work = size == 8 ? 1 : (double)size,
                             .unit = size == 8 ? "op" : "B",
                             .checksum = hash});
  }
}

// ---- collectives

static void barrier(uint64_t count) {
  while (count-- != 0) MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(uint64_t count) {
  while (count-- != 0) MPI_Bcast(me == 0 ? out : in, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void allreduce(uint64_t count) {
  while (count-- != 0) MPI_Allreduce(out, in, (int)(size / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void allgather(uint64_t count) {
  while (count-- != 0) MPI_Allgather(out, (int)size, MPI_BYTE, in, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(uint64_t count) {
  while (count-- != 0) MPI_Alltoall(out, (int)size, MPI_BYTE, in, (int)size, MPI_BYTE, MPI_COMM_WORLD);
}
static void iallreduce(uint64_t count) {
  while (count-- != 0) {
    MPI_Iallreduce(out, in, (int)(size / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
  }
}
static void ialltoall(uint64_t count) {
  while (count-- != 0) {
    MPI_Ialltoall(out, (int)size, MPI_BYTE, in, (int)size, MPI_BYTE, MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
  }
}

// Element i of what rank `from` has for `to`: small whole numbers, whose sums are exact.
static double element(int from, int to, size_t i) { return (double)(from * 64 + to + (int)(i % 1000)); }

typedef double (*Wanted)(int block, size_t i);
static double of_root(int block, size_t i) { return (void)block, element(0, 0, i); }
static double of_block(int block, size_t i) { return element(block, 0, i); }
static double for_me(int block, size_t i) { return element(block, me, i); }
static double of_all(int block, size_t i) {
  double sum = 0;
  for (int rank = 0; rank < pes; ++rank) sum += element(rank, 0, i);
  return (void)block, sum;
}

static uint64_t checked(const char* name, BenchBody body, Wanted wanted, int blocks) {
  size_t count = size / 8;
  double *from = (double*)out, *to = (double*)in;
  for (int block = 0; block < pes; ++block)
    for (size_t i = 0; i < count; ++i) from[(size_t)block * count + i] = element(me, block, i);
  memset(in, 0, size * (size_t)blocks);
  body(1);
  int skipped = body == bcast && me == 0, right = 1;
  for (int block = 0; block < blocks && !skipped; ++block)
    for (size_t i = 0; i < count; ++i) right &= to[(size_t)block * count + i] == wanted(block, i);
  bench_check(right, name);
  return comm_total(skipped ? 0 : bench_hash(in, size * (size_t)blocks));
}

static void collective(const char* name, BenchBody body, Wanted wanted, int blocks) {
  uint64_t hash = checked(name, body, wanted, blocks);
  bench_point(
      (BenchPoint){.name = name, .size = size, .seconds = bench_measure(body, BENCH_EVERYBODY), .checksum = hash});
}

static void collectives(size_t most) {
  bench_point((BenchPoint){.name = "barrier", .seconds = bench_measure(barrier, BENCH_EVERYBODY)});
  for (size = 8; size <= most; size = size == 8 ? 64 : size * 8) {
    collective("bcast", bcast, of_root, 1);
    collective("allreduce", allreduce, of_all, 1);
    collective("allgather", allgather, of_block, pes);
    collective("alltoall", alltoall, for_me, pes);
    if (size < most && size * 8 > most) size = most / 8;  // the largest, too
  }
}

// ---- while the program computes

static uint64_t asleep;

static void sleep_for(double seconds) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += (long)(seconds * 1e9);
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static volatile double sink;
static void compute(double seconds) {
  if (asleep) return sleep_for(seconds);
  double value = 1, end = bench_now() + seconds;
  do {
    for (int i = 0; i < 200; ++i) value = value * 1.0000001 + 1e-9;
  } while (bench_now() < end);
  sink = value;
}

static double computing;  // seconds
static void iallreduce_hidden(uint64_t count) {
  while (count-- != 0) {
    MPI_Iallreduce(out, in, (int)(size / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, requests);
    compute(computing);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
  }
}
static void ialltoall_hidden(uint64_t count) {
  while (count-- != 0) {
    MPI_Ialltoall(out, (int)size, MPI_BYTE, in, (int)size, MPI_BYTE, MPI_COMM_WORLD, requests);
    compute(computing);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
  }
}

static void compute_alone(uint64_t count) {
  while (count-- != 0) compute(computing);
}

static void overlapped(const char* name, const char* added, const char* blocking, BenchBody pure, BenchBody hidden,
                       BenchBody waited_for, Wanted wanted, int blocks) {
  uint64_t hash = checked(name, pure, wanted, blocks);
  double seconds = bench_measure(pure, BENCH_EVERYBODY);
  bench_point((BenchPoint){.name = name, .size = size, .seconds = seconds, .checksum = hash});
  bench_point((BenchPoint){
      .name = blocking, .size = size, .seconds = bench_measure(waited_for, BENCH_EVERYBODY), .checksum = hash});
  computing = 1.2 * seconds;
  double alone = bench_measure(compute_alone, BENCH_EVERYBODY), left = bench_measure(hidden, BENCH_EVERYBODY) - alone;
  bench_point((BenchPoint){.name = added, .size = size, .seconds = left > 1e-9 ? left : 1e-9});
}

// ---- windows: rank 0 to rank 1

static MPI_Win window;
static uint64_t value, before;

static void put_flush(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    value = i;
    MPI_Put(&value, 1, MPI_UINT64_T, 1, 0, 1, MPI_UINT64_T, window);
    MPI_Win_flush(1, window);
  }
}
static void fetch_flush(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    value = 1;
    MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, 1, 0, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
}

// Rank 1 makes no call meanwhile.
static double while_it_computes(BenchBody body) {
  double seconds[BENCH_MOST_REPEATS];
  for (unsigned i = 0; i < bench_repeats; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = bench_now();
    if (me == 0) {
      uint64_t done = 0;
      do body(16), done += 16;
      while (bench_now() - begin < bench_share);
      seconds[i] = (bench_now() - begin) / (double)done;
    } else {
      compute(bench_share * 2);
    }
  }
  double median = me == 0 ? bench_median(seconds, bench_repeats) : 0;
  return comm_max(median);
}

static void windows(void) {
  uint64_t *word, hash;
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &window);
  *word = 0;
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) fetch_flush(10);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
  if (me == 1) bench_check(*word == 10, "fetch_op");
  hash = comm_total(me == 1 ? *word : 0);
  bench_point(
      (BenchPoint){.name = "put_flush", .size = 8, .seconds = bench_measure(put_flush, BENCH_FIRST), .checksum = hash});
  bench_point((BenchPoint){
      .name = "fetch_op_flush", .size = 8, .seconds = bench_measure(fetch_flush, BENCH_FIRST), .checksum = hash});
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);

  word = bench_memory(64);
  MPI_Win_create(word, 64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  double put = while_it_computes(put_flush), fetch = while_it_computes(fetch_flush);
  bench_point((BenchPoint){.name = "put_flush_created", .size = 8, .seconds = put});
  bench_point((BenchPoint){.name = "fetch_op_flush_created", .size = 8, .seconds = fetch});
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(word);
}

// ---- datatypes of doubles: planes of rows

typedef struct {
  const char* name;
  int planes, plane_stride, rows, row_stride, run;
} Shape;
static const Shape* shape;
static MPI_Datatype type;
static int packed_bytes;

static void by_hand(uint64_t count) {
  while (count-- != 0) {
    double* to = (double*)in;
    for (int plane = 0; plane < shape->planes; ++plane)
      for (int row = 0; row < shape->rows; ++row) {
        const double* at = (const double*)out + plane * shape->plane_stride + row * shape->row_stride;
        for (int i = 0; i < shape->run; ++i) *to++ = at[i];
      }
    __asm__ volatile("" ::: "memory");
  }
}
static void pack(uint64_t count) {
  while (count-- != 0) {
    int position = 0;
    MPI_Pack(out, 1, type, in, packed_bytes, &position, MPI_COMM_WORLD);
  }
}
static void send_type(uint64_t count) {
  for (uint64_t i = 0; i < count && me < 2; ++i) {
    if (me == 0) MPI_Send(out, 1, type, 1, TAG, MPI_COMM_WORLD);
    MPI_Recv(in, 1, type, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1) MPI_Send(out, 1, type, 0, TAG, MPI_COMM_WORLD);
  }
}

static void datatypes(void) {
  static const Shape shapes[] = {
      {"vector", 1, 0, 4096, 8, 1}, {"face_2d", 1, 0, 256, 256, 4}, {"face_3d", 48, 48 * 48, 48, 48, 1}};
  for (unsigned i = 0; i < 3; ++i) {
    shape = &shapes[i];
    char name[3][32];
    snprintf(name[0], 32, "%s_by_hand", shape->name);
    snprintf(name[1], 32, "%s_pack", shape->name);
    snprintf(name[2], 32, "%s_send", shape->name);
    MPI_Datatype row;
    MPI_Type_vector(shape->rows, shape->run, shape->row_stride, MPI_DOUBLE, &row);
    MPI_Type_create_hvector(shape->planes, 1, shape->plane_stride * 8, row, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&row);
    packed_bytes = shape->planes * shape->rows * shape->run * 8;
    size = (size_t)packed_bytes;
    fill(out, MOST, 9);
    by_hand(1);
    uint64_t hash = bench_hash(in, size);
    memset(in, 0, size);
    pack(1);
    bench_check(bench_hash(in, size) == hash, name[1]);
    memset(in, 0, MOST);
    send_type(1);
    double* got = bench_memory(size);
    if (me < 2) {
      int position = 0;
      MPI_Pack(in, 1, type, got, packed_bytes, &position, MPI_COMM_WORLD);
      bench_check(bench_hash(got, size) == hash, name[2]);
    }
    free(got);
    bench_point(
        (BenchPoint){.name = name[0], .size = size, .seconds = bench_measure(by_hand, BENCH_FIRST), .checksum = hash});
    bench_point(
        (BenchPoint){.name = name[1], .size = size, .seconds = bench_measure(pack, BENCH_FIRST), .checksum = hash});
    bench_point((BenchPoint){
        .name = name[2], .size = size, .seconds = bench_measure(send_type, BENCH_EVERYBODY) / 2, .checksum = hash});
    MPI_Type_free(&type);
  }
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  size_t most = bench_option("most", MOST);
  uint64_t parts = bench_option("parts", 31);  // 1 messages, 2 collectives, 4 computing, 8 windows, 16 datatypes
  uint64_t allocated = bench_option("allocated", 0);
  asleep = bench_option("asleep", 0);
  if (asleep) setenv("ATOLL_PROGRESS_CORE", "0", 0);
  if (most > MOST) comm_fail("--most: at most 1 MiB");
  bench_begin(64, 1);
  me = comm_me(), pes = comm_pes(), peer = 1 - me;
  if (pes < 2) comm_fail("mpi: run this on 2 ranks");
  prctl(PR_SET_TIMERSLACK, 1);
  if (allocated) {
    MPI_Alloc_mem((MPI_Aint)MOST * pes, MPI_INFO_NULL, &in);
    MPI_Alloc_mem((MPI_Aint)MOST * pes, MPI_INFO_NULL, &out);
    memset(in, 0, (size_t)MOST * (size_t)pes), memset(out, 0, (size_t)MOST * (size_t)pes);
  } else {
    in = bench_memory((size_t)MOST * (size_t)pes);
    out = bench_memory((size_t)MOST * (size_t)pes);
  }
  if (parts & 1) messages(most);
  if (parts & 2) collectives(most);
  size = most;
  if (parts & 4) {
    overlapped("iallreduce", "iallreduce_added", "iallreduce_blocking", iallreduce, iallreduce_hidden, allreduce,
               of_all, 1);
    overlapped("ialltoall", "ialltoall_added", "ialltoall_blocking", ialltoall, ialltoall_hidden, alltoall, for_me,
               pes);
  }
  if (parts & 8) windows();
  if (parts & 16) datatypes();
  if (allocated) MPI_Free_mem(in), MPI_Free_mem(out);
  else free(in), free(out);
  return bench_end();
}
