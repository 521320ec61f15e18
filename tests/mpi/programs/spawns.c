/* SPDX-License-Identifier: Apache-2.0
 * Starts processes on the hosts of a job: `spawns KIND [HOST…]`.
 *   each HOST…      one on each of these hosts, with work of both sides
 *   twice           two cohorts that meet
 *   nested          the started process starts another
 *   long            the started processes live on after they have disconnected
 *   refused HOST    what cannot be: an unknown host, a program that is not there, one that ends at once
 *   refuse PROGRAM HOST   one of these, with the default error handler
 *   killed          a started process dies by itself, and the others go on
 *   fatal           a started process dies, and the error handler is the default
 *   stay            started processes say "staying", and all wait for ever
 *   part TIMES COUNT   TIMES COUNT processes that end, one cohort after the other; what the job uses does not grow
 *   die TIMES COUNT    the same with processes that die
 *   dead HOST       rank 0 says "ready" and starts a process on HOST when that has died */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <mpi-ext.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* self;

static MPI_Comm spawn_on(const char* host, const char* kind, int count, MPI_Comm comm) {
  char* words[] = {(char*)kind, NULL};
  MPI_Comm across;
  MPI_Info info = MPI_INFO_NULL;
  if (host != NULL) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "host", host);
  }
  CHECK(MPI_Comm_spawn(self, words, count, info, 0, comm, &across, MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
  if (host != NULL) MPI_Info_free(&info);
  return across;
}

/* Merges both sides, and tests messages, reductions and memory of all members. Returns the merged communicator. */
static MPI_Comm work_together(MPI_Comm across, int high) {
  enum { count = 70000 };
  static int out[count], in[count];
  MPI_Comm all;
  CHECK(MPI_Intercomm_merge(across, high, &all) == MPI_SUCCESS);
  int rank, members, one = 1, sum = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &members);
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all) == MPI_SUCCESS);
  CHECK(sum == members);
  for (int i = 0; i < count; ++i) out[i] = rank;
  CHECK(MPI_Sendrecv(out, count, MPI_INT, (rank + 1) % members, 7, in, count, MPI_INT, (rank + members - 1) % members,
                     7, all, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(in[count - 1] == (rank + members - 1) % members);
  CHECK(MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, all) == MPI_SUCCESS);
  CHECK(in[count - 1] == members * (members - 1) / 2);
  int* base;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, all, &base, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % members, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(*base == (rank + members - 1) % members);
  MPI_Win_free(&win);
  return all;
}

static void work_and_part(MPI_Comm across) {
  MPI_Comm all;
  int one = 1, sum = 0, members;
  CHECK(MPI_Intercomm_merge(across, 0, &all) == MPI_SUCCESS);
  MPI_Comm_size(all, &members);
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all) == MPI_SUCCESS && sum == members);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&across);
}

static void be_started(MPI_Comm parent, const char* kind) {
  if (strcmp(kind, "stay") == 0) {
    puts("staying");
    fflush(stdout);
    for (;;) pause();
  }
  if (strcmp(kind, "part") == 0) return work_and_part(parent);
  if (strcmp(kind, "die") == 0) {
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, 0, 0, parent);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
    raise(SIGKILL);
  }
  if (strcmp(kind, "killed") == 0 || strcmp(kind, "fatal") == 0) {
    int ready = 1; /* the others are: MPI_Init fails in a process whose sibling dies before */
    if (me == ranks - 1) {
      for (int other = 0; other < ranks - 1; ++other)
        MPI_Recv(&ready, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      raise(SIGKILL);
    }
    MPI_Send(&ready, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD);
    pause();
  }
  if (strcmp(kind, "nested") == 0) {
    MPI_Comm across = spawn_on(NULL, "each", 1, MPI_COMM_WORLD);
    MPI_Comm all = work_together(across, 0);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&across);
  }
  char name[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(name, &length);
  printf("started on %s\n", name);
  fflush(stdout);
  MPI_Comm all = work_together(parent, 1);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
  if (strcmp(kind, "long") == 0) {
    usleep(100000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void finish(MPI_Comm across) {
  MPI_Comm all = work_together(across, 0);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&across);
}

/* What a job that spawns again and again must not use more and more of. */
struct resources {
  long job_kib;     /* memory that all processes of this host share, those that have ended too */
  long descriptors; /* of this process */
};

static struct resources measure(void) {
  struct resources now = {0, 0};
  DIR* folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  for (struct dirent* entry; (entry = readdir(folder)) != NULL; ++now.descriptors) {
    char name[256] = "";
    struct stat file;
    if (readlinkat(dirfd(folder), entry->d_name, name, sizeof(name) - 1) > 0 && strstr(name, "atoll-job") != NULL &&
        fstatat(dirfd(folder), entry->d_name, &file, 0) == 0)
      now.job_kib = file.st_blocks / 2;
  }
  closedir(folder);
  return now;
}

/* The started processes kill themselves when rank 0 says so, which is when all have left MPI_Init: it fails in a
   process whose sibling dies before. */
static void see_them_die(MPI_Comm across) {
  int value, count;
  MPI_Comm_set_errhandler(across, MPI_ERRORS_RETURN);
  MPI_Comm_remote_size(across, &count);
  for (int other = 0; me == 0 && other < count; ++other)
    MPI_Recv(&value, 1, MPI_INT, other, 0, across, MPI_STATUS_IGNORE);
  for (int other = 0; me == 0 && other < count; ++other) MPI_Send(&count, 1, MPI_INT, other, 0, across);
  for (int other = count; other-- > 0;)
    FAILS(MPI_Recv(&value, 1, MPI_INT, other, 1, across, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
  MPI_Comm_free(&across);
}

static void spawn_again_and_again(const char* kind, int times, int count) {
  struct resources before = {0, 0}, after;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int turn = 0; turn < times; ++turn) {
    MPI_Comm across = spawn_on(NULL, kind, count, MPI_COMM_WORLD);
    if (strcmp(kind, "die") == 0) see_them_die(across);
    else work_and_part(across);
    if (turn == times / 4) before = measure();
  }
  after = measure();
  printf("%s: %d times %d processes: memory of the job %ld KiB, then %ld; %ld descriptors, then %ld\n", kind, times,
         count, before.job_kib, after.job_kib, before.descriptors, after.descriptors);
  fflush(stdout);
  /* Of each process that has not ended yet there may be some. */
  CHECK(before.job_kib != 0 && after.job_kib <= before.job_kib + 4096L * count);
  CHECK(after.descriptors <= before.descriptors + 2 * count);
}

static int try_to_spawn(const char* program, const char* host, int count, MPI_Comm comm) {
  MPI_Comm none;
  MPI_Info info;
  MPI_Info_create(&info);
  if (host != NULL) MPI_Info_set(info, "host", host);
  int code = MPI_Comm_spawn(program, MPI_ARGV_NULL, count, info, 0, comm, &none, MPI_ERRCODES_IGNORE);
  MPI_Info_free(&info);
  return code;
}

int main(int argc, char** argv) {
  self = argv[0];
  begin(&argc, &argv);
  const char* kind = argc > 1 ? argv[1] : "each";
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    be_started(parent, kind);
    return MPI_Finalize();
  }
  if (strcmp(kind, "each") == 0) {
    for (int i = 2; i < argc; ++i) finish(spawn_on(argv[i], "each", 1, MPI_COMM_WORLD));
    finish(spawn_on(NULL, "each", 2, MPI_COMM_WORLD));
  } else if (strcmp(kind, "part") == 0 || strcmp(kind, "die") == 0) {
    spawn_again_and_again(kind, atoi(argv[2]), atoi(argv[3]));
  } else if (strcmp(kind, "twice") == 0) {
    MPI_Comm first = spawn_on(NULL, "each", 2, MPI_COMM_WORLD), second = spawn_on(NULL, "each", 2, MPI_COMM_SELF);
    finish(second);
    finish(first);
  } else if (strcmp(kind, "refused") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int turn = 0; turn < 3; ++turn) {
      FAILS(try_to_spawn(self, "nowhere", 1, MPI_COMM_WORLD), MPI_ERR_SPAWN);
      FAILS(try_to_spawn("./no-such-program", argv[2], 1, MPI_COMM_WORLD), MPI_ERR_SPAWN);
      FAILS(try_to_spawn("true", argv[2], 2, MPI_COMM_WORLD), MPI_ERR_SPAWN);
      FAILS(try_to_spawn("true", NULL, 100000, MPI_COMM_WORLD), MPI_ERR_SPAWN);
    }
    finish(spawn_on(argv[2], "each", 2, MPI_COMM_WORLD));
  } else if (strcmp(kind, "refuse") == 0) {
    try_to_spawn(argv[2], argv[3], 1, MPI_COMM_WORLD);
  } else if (strcmp(kind, "killed") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm across = spawn_on(NULL, kind, 2, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(across, MPI_ERRORS_RETURN);
    int value;
    FAILS(MPI_Recv(&value, 1, MPI_INT, 1, 0, across, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    int one = 1, sum = 0;
    CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && sum == ranks);
    puts("survived");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 7); /* ends the other started process */
  } else if (strcmp(kind, "fatal") == 0 || strcmp(kind, "stay") == 0) {
    MPI_Comm across = spawn_on(NULL, kind, 2, MPI_COMM_WORLD);
    int value;
    MPI_Recv(&value, 1, MPI_INT, 1, 0, across, MPI_STATUS_IGNORE);
  } else if (strcmp(kind, "ended") == 0) { /* the last rank, the only one of its host */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (me == ranks - 1) raise(SIGKILL);
    int value;
    FAILS(MPI_Recv(&value, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    MPI_Comm left;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    finish(spawn_on(NULL, "each", 1, left));
    MPI_Comm_set_errhandler(left, MPI_ERRORS_ARE_FATAL);
    try_to_spawn(self, argv[2], 1, left);
  } else if (strcmp(kind, "dead") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    puts("ready");
    fflush(stdout);
    int value;
    FAILS(MPI_Recv(&value, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPIX_ERR_PROC_FAILED);
    MPI_Comm left;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    int rank;
    MPI_Comm_rank(left, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 0) FAILS(try_to_spawn(self, argv[2], 1, MPI_COMM_SELF), MPI_ERR_SPAWN);
    finish(spawn_on(NULL, "each", 3, left));
  } else {
    finish(spawn_on(NULL, kind, 2, MPI_COMM_WORLD));
  }
  return MPI_Finalize();
}
