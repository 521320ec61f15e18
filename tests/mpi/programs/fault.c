/* SPDX-License-Identifier: Apache-2.0
 * Ranks die at any time: the others are notified, agree, and continue. `fault SEED [two]`: one after another, or two at
 * a time. */
#include "check.h"

#include <mpi-ext.h>
#include <signal.h>
#include <unistd.h>

static unsigned seed;
static unsigned draw(unsigned below) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % below;
}

static int is_failure(int code) {
  int class = class_of(code);
  return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_PROC_FAILED_PENDING || class == MPIX_ERR_REVOKED;
}

/* All that survive leave with the same communicator, on which everything works. */
static MPI_Comm recover(MPI_Comm broken) {
  int flag = 0, members, before = 0;
  MPI_Comm next;
  MPIX_Comm_revoke(broken);
  MPIX_Comm_is_revoked(broken, &flag);
  CHECK(flag);
  CHECK(class_of(MPI_Barrier(broken)) == MPIX_ERR_REVOKED);
  /* Non-blocking calls begin, and their requests fail. */
  MPI_Request late[2];
  CHECK(MPI_Irecv(&flag, 1, MPI_INT, 0, 9, broken, &late[0]) == MPI_SUCCESS);
  CHECK(MPI_Isend(&before, 1, MPI_INT, 0, 9, broken, &late[1]) == MPI_SUCCESS);
  CHECK(class_of(MPI_Wait(&late[0], MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  CHECK(class_of(MPI_Wait(&late[1], MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  MPI_Comm_size(broken, &before);
  for (;;) {
    CHECK(MPIX_Comm_shrink(broken, &next) == MPI_SUCCESS);
    int good = MPI_Barrier(next) == MPI_SUCCESS;
    MPIX_Comm_failure_ack(next);
    MPIX_Comm_agree(next, &good);
    if (good) break;
    MPI_Comm_free(&next);
  }
  MPI_Comm_size(next, &members);
  CHECK(members < before);
  return next;
}

static int work(MPI_Comm comm, int kind) {
  enum { count = 100000 };
  static int out[count], in[count];
  int mine, members, code = MPI_SUCCESS;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &members);
  for (int i = 0; i < 30 && code == MPI_SUCCESS; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    int right = (mine + 1) % members, left = (mine + members - 1) % members;
    switch (kind) {
      case 0: code = MPI_Barrier(comm); break;
      case 1: code = MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm); break;
      case 2: code = MPI_Bcast(out, count, MPI_INT, i % members, comm); break;
      case 3:
        code = MPI_Sendrecv(out, count, MPI_INT, right, 0, in, count, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
        break;
      case 4:
        code = MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, comm, &request);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 5:
        code = MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request);
        if (code == MPI_SUCCESS) code = MPI_Send(out, 1, MPI_INT, right, 1, comm);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 6: {
        MPI_Comm copy;
        code = MPI_Comm_dup(comm, &copy);
        if (code == MPI_SUCCESS) MPI_Comm_free(&copy);
        break;
      }
      default: {
        MPI_Comm part;
        code = MPI_Comm_split(comm, mine % 2, mine, &part);
        if (code == MPI_SUCCESS) MPI_Comm_free(&part);
      }
    }
    /* A receive from anybody stays when somebody has died, and when its round's send failed. */
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  return code;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm); /* no rank dies before all have it */
  int members = ranks;
  /* The same random numbers on all ranks: the rank that dies, the operation, and the approximate time. */
  while (members > 1) {
    unsigned victim = draw((unsigned)members), kind = draw(8), microseconds = draw(2000);
    unsigned other = argc > 2 && members > 2 ? (victim + 1 + draw((unsigned)members - 1)) % (unsigned)members : victim;
    int mine;
    MPI_Comm_rank(comm, &mine);
    if (mine == (int)victim || mine == (int)other) {
      pid_t self = getpid();
      if (fork() == 0) { /* somebody else pulls the trigger, wherever it is then */
        usleep(microseconds);
        if (getppid() == self) kill(self, SIGKILL);
        _exit(0);
      }
    }
    int code = MPI_SUCCESS;
    while (code == MPI_SUCCESS) code = work(comm, (int)kind);
    if (!is_failure(code)) {
      char text[MPI_MAX_ERROR_STRING];
      int length;
      MPI_Error_string(code, text, &length);
      fprintf(stderr, "rank %d: operation %u: %s\n", me, kind, text);
    }
    CHECK(is_failure(code));
    MPI_Comm next = recover(comm);
    /* The failed rank is known on its communicator. */
    MPI_Group dead;
    int count;
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Group_size(dead, &count);
    CHECK(count >= 1);
    if (dead != MPI_GROUP_EMPTY) MPI_Group_free(&dead);
    MPIX_Comm_ack_failed(comm, count, &count);
    CHECK(count >= 1);
    MPI_Comm_free(&comm);
    comm = next;
    MPI_Comm_size(comm, &members);
  }
  /* The last one. */
  int one = 1, sum = 0;
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == 1);
  printf("survived\n");
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
