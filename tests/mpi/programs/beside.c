/* SPDX-License-Identifier: Apache-2.0
 * A rank dies beside what goes on without it: `beside KIND [far]`. With `far` the network may lose what the dead rank
 * sent last. */
#include "check.h"

#include <mpi-ext.h>
#include <signal.h>
#include <unistd.h>

static int is_failure(int code) {
  int class = class_of(code);
  return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_PROC_FAILED_PENDING || class == MPIX_ERR_REVOKED;
}

static int heard_of;
static void hear(MPI_Comm* comm, int* code, ...) {
  int members;
  CHECK(MPI_Comm_size(*comm, &members) == MPI_SUCCESS && members == ranks);
  heard_of = class_of(*code);
}

/* All that are left work together. */
static void go_on(void) {
  MPI_Comm left;
  int one = 1, sum = 0;
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &left) == MPI_SUCCESS);
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, left) == MPI_SUCCESS && sum == ranks - 1);
  MPI_Comm_free(&left);
}

static int far;
enum { early = 100 };
static int much[1 << 18];

/* Calls that begin when the death is known find what had come before. */
static void receive_from_dead(int dead) {
  int got = 0, flag = 0, code;
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  CHECK(MPI_Recv(&got, 1, MPI_INT, dead, early, MPI_COMM_WORLD, &status) == MPI_SUCCESS && got == early);
  CHECK(status.MPI_SOURCE == dead && status.MPI_TAG == early);
  CHECK(MPI_Irecv(&got, 1, MPI_INT, dead, early + 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == early + 1);
  CHECK(MPI_Probe(dead, early + 2, MPI_COMM_WORLD, &status) == MPI_SUCCESS && status.MPI_TAG == early + 2);
  CHECK(MPI_Iprobe(dead, early + 2, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS && flag);
  CHECK(MPI_Mprobe(dead, early + 2, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
  CHECK(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == early + 2);
  CHECK(MPI_Sendrecv(&me, 1, MPI_INT, me, 1, &got, 1, MPI_INT, dead, early + 3, MPI_COMM_WORLD, &status) ==
        MPI_SUCCESS);
  CHECK(got == early + 3 && MPI_Recv(&got, 1, MPI_INT, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  /* A long one lies with its sender: it comes whole or fails. */
  code = MPI_Recv(much, sizeof much / sizeof *much, MPI_INT, dead, early + 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(code == MPI_SUCCESS || is_failure(code));
  CHECK(is_failure(MPI_Recv(&got, 1, MPI_INT, dead, early, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
  CHECK(is_failure(MPI_Probe(dead, early, MPI_COMM_WORLD, &status)));
  CHECK(is_failure(MPI_Iprobe(dead, early, MPI_COMM_WORLD, &flag, &status)));
  CHECK(is_failure(MPI_Mprobe(dead, early, MPI_COMM_WORLD, &message, &status)));
}

/* Messages that a rank sent before it died arrive, although no rank polled before the death was known; over a network
 * the last of them may be lost: TCP drops what it has not sent when the dead process left received bytes unread. */
static void messages(void) {
  enum { count = 50 };
  int in[count + 1], last = ranks - 1;
  MPI_Request request[count + 1];
  if (me == 0) {
    for (int i = 0; i <= count; ++i) MPI_Irecv(&in[i], 1, MPI_INT, last, i, MPI_COMM_WORLD, &request[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == last) {
    for (int i = 0; i < count; ++i) MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    for (int i = early; i < early + 4; ++i) MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    MPI_Isend(much, sizeof much / sizeof *much, MPI_INT, 0, early + 4, MPI_COMM_WORLD, request);
    raise(SIGKILL);
  }
  usleep(100000);
  if (me == 0) {
    for (int i = 0, lost = 0; i < count; ++i) {
      int code = MPI_Wait(&request[i], MPI_STATUS_IGNORE);
      if (far && is_failure(code)) lost = 1;
      else CHECK(code == MPI_SUCCESS && in[i] == i && !lost);
    }
    CHECK(is_failure(MPI_Wait(&request[count], MPI_STATUS_IGNORE))); /* which was never sent */
    if (!far) receive_from_dead(last);
  }
  /* Of several that complete, the error handler hears how the first has failed. */
  if (me == 0) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Irecv(&in[0], 1, MPI_INT, last, 0, MPI_COMM_WORLD, &request[0]);
    FAILS(MPI_Waitall(1, request, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    CHECK(heard_of == MPIX_ERR_PROC_FAILED);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
  }
  /* What a call that has failed would have received is left to the next. */
  if (me == 0 && ranks > 2) {
    int lost = -1, got = -1, replaced = -2;
    CHECK(
        is_failure(MPI_Sendrecv(&me, 1, MPI_INT, last, 7, &lost, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    CHECK(is_failure(MPI_Sendrecv_replace(&replaced, 1, MPI_INT, last, 7, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)));
    CHECK(MPI_Send(&me, 1, MPI_INT, 1, 8, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(MPI_Recv(&got, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(got == 1 && lost == -1 && replaced == -2);
  }
  if (me == 1 && ranks > 2) {
    int go;
    CHECK(MPI_Recv(&go, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Send(&me, 1, MPI_INT, 0, 7, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  go_on();
}

/* A rank that has ended a call has done its part: the other ranks' calls end, too, however late they are. */
static void copies(void) {
  MPI_Comm copy;
  int victim = ranks / 2;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  if (me == victim) raise(SIGKILL);
  MPI_Comm_free(&copy);
  go_on();
}

/* A half hears nothing of deaths in the other one, though it was made of both. */
static void halves(void) {
  MPI_Comm copy;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(hear, &handler);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(copy, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm half;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me < ranks / 2, me, &half) == MPI_SUCCESS);
  int code = MPI_Barrier(half);
  if (me == 0) raise(SIGKILL);
  if (me >= ranks / 2) CHECK(code == MPI_SUCCESS && MPI_Barrier(half) == MPI_SUCCESS);
  MPI_Comm_free(&half);
  /* Its own error handler hears that not all have come, while it is there. */
  CHECK(is_failure(MPI_Comm_disconnect(&copy)) && is_failure(heard_of) && copy == MPI_COMM_NULL);
  go_on();
}

/* A rank that waits for any source, or for all ranks of a file, is notified, and continues afterwards. */
static void waits(void) {
  MPI_File file;
  MPI_Message message;
  MPI_Status status;
  char name[64];
  int id = (int)getpid(), dead = ranks - 1;
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "beside.%d.file", id);
  CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  if (me == 0) unlink(name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == dead) {
    usleep(100000);
    raise(SIGKILL);
  }
  CHECK(is_failure(MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status)));
  CHECK(is_failure(MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status)));
  CHECK(is_failure(MPI_File_sync(file)));
  CHECK(is_failure(MPI_File_write_at_all(file, 0, much, 1, MPI_INT, &status)));
  MPI_File_close(&file);
  go_on();
}

/* A member that only calls MPI_Test is notified, too, though another has given the collective up before. */
static void tests(void) {
  enum { count = 3 };
  static int out[1 << 14], in[1 << 14], to[64], from[64];
  MPI_Request request[count];
  if (me == ranks - 1) raise(SIGKILL);
  int codes[count] = {MPI_Ibarrier(MPI_COMM_WORLD, &request[0]),
                      MPI_Iallreduce(out, in, 1 << 14, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]),
                      MPI_Ialltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD, &request[2])};
  for (int i = 0; i < count; ++i) {
    int flag = codes[i] != MPI_SUCCESS;
    if (me == 0 && !flag) codes[i] = MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    while (me != 0 && !flag)
      codes[i] = MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE), flag |= codes[i] != MPI_SUCCESS;
    CHECK(is_failure(codes[i]));
  }
  go_on();
}

/* Spawned processes that only some ranks know are told to leave; after recovery, others can be spawned. */
static void children(const char* self) {
  MPI_Comm left, across, all;
  if (me == ranks - 1) raise(SIGKILL);
  for (int i = 0; i < 2; ++i) {
    int code = MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &across, MPI_ERRCODES_IGNORE);
    if (code == MPI_SUCCESS) {
      MPIX_Comm_revoke(across);
      MPI_Comm_free(&across);
    } else {
      CHECK(is_failure(code) || class_of(code) == MPI_ERR_SPAWN);
    }
    int flag = 1;
    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
  }
  CHECK(MPIX_Comm_shrink(MPI_COMM_WORLD, &left) == MPI_SUCCESS);
  CHECK(MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, left, &across, MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
  int one = 1, sum = 0;
  CHECK(MPI_Intercomm_merge(across, 0, &all) == MPI_SUCCESS);
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all) == MPI_SUCCESS && sum == ranks + 1);
  MPI_Comm_free(&all);
  MPI_Comm_free(&across);
  MPI_Comm_free(&left);
}

static void as_child(MPI_Comm parent) {
  MPI_Comm all;
  int one = 1, sum = 0;
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  int code = MPI_Intercomm_merge(parent, 1, &all);
  CHECK(code == MPI_SUCCESS || is_failure(code));
  if (code != MPI_SUCCESS) return;
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(code == MPI_SUCCESS || is_failure(code));
  MPI_Comm_free(&all);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  int kind = argc > 1 ? atoi(argv[1]) : -1;
  far = argc > 2 && strcmp(argv[2], "far") == 0;
  if (parent != MPI_COMM_NULL) as_child(parent);
  else if (ranks > 1 && kind == 0) messages();
  else if (ranks > 1 && kind == 1) copies();
  else if (ranks > 1 && kind == 2) halves();
  else if (ranks > 1 && kind == 3) children(argv[0]);
  else if (ranks > 1 && kind == 4) waits();
  else if (ranks > 1 && kind == 5) tests();
  MPI_Finalize();
  return 0;
}
