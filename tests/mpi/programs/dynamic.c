/* SPDX-License-Identifier: Apache-2.0
 * Processes that start others, find one another by ports and names, and go their ways. */
#include "check.h"

#include <sys/socket.h>
#include <unistd.h>

/* Work of both sides. `high`: the merge argument of the spawned processes. */
static void work_together(MPI_Comm across, int high) {
  enum { count = 50000 };
  static int out[count], in[count];
  MPI_Comm all;
  int mine, members, here, there;
  MPI_Comm_size(across, &here);
  MPI_Comm_remote_size(across, &there);
  MPI_Comm_rank(across, &mine);
  /* Long and short messages between the leaders. */
  if (mine == 0) {
    for (int i = 0; i < count; ++i) out[i] = i + high;
    for (int length = 1; length <= count; length *= 100) {
      MPI_Sendrecv(out, length, MPI_INT, 0, 7, in, length, MPI_INT, 0, 7, across, MPI_STATUS_IGNORE);
      CHECK(in[0] == 1 - high && in[length - 1] == length - high);
    }
  }
  CHECK(MPI_Intercomm_merge(across, high, &all) == MPI_SUCCESS);
  MPI_Comm_size(all, &members);
  CHECK(members == here + there);
  int rank;
  MPI_Comm_rank(all, &rank);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == members);
  for (int i = 0; i < count; ++i) out[i] = rank;
  MPI_Request request;
  MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in[count - 1] == members * (members - 1) / 2);
  /* Memory of all. */
  int* base;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, all, &base, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % members, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(*base == (rank + members - 1) % members);
  MPI_Win_free(&win);
  MPI_Comm half;
  MPI_Comm_split(all, rank % 2, rank, &half);
  MPI_Barrier(half);
  MPI_Comm_free(&half);
  MPI_Comm_free(&all);
}

static void be_started(MPI_Comm parent) {
  int *number, flag, color = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
  CHECK(flag);
  MPI_Bcast(&color, 1, MPI_INT, 0, parent);
  CHECK(color == ranks * 10);
  MPI_Send(number, 1, MPI_INT, 0, 3, parent);
  work_together(parent, 1);
  MPI_Comm_disconnect(&parent);
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
}

static void start(MPI_Comm comm, const char* self) {
  MPI_Comm across;
  int codes[5] = {1, 1, 1, 1, 1}, mine, count = 3;
  MPI_Comm_rank(comm, &mine);
  char* words[] = {"started", NULL};
  if (mine == 0) {
    char* programs[] = {(char*)self, (char*)self};
    char** arguments[] = {words, words};
    int counts[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    CHECK(MPI_Comm_spawn_multiple(2, programs, arguments, counts, infos, 0, comm, &across, codes) == MPI_SUCCESS);
  } else {
    CHECK(MPI_Comm_spawn_multiple(0, NULL, NULL, NULL, NULL, 0, comm, &across, codes) == MPI_SUCCESS);
  }
  CHECK(codes[0] == MPI_SUCCESS && codes[2] == MPI_SUCCESS && codes[3] == 1);
  int there, color = count * 10;
  MPI_Comm_remote_size(across, &there);
  CHECK(there == count);
  MPI_Bcast(&color, 1, MPI_INT, mine == 0 ? MPI_ROOT : MPI_PROC_NULL, across);
  for (int child = 0; child < count && mine == 0; ++child) {
    int number;
    MPI_Recv(&number, 1, MPI_INT, child, 3, across, MPI_STATUS_IGNORE);
    CHECK(number == (child > 0));
  }
  work_together(across, 0);
  MPI_Comm_disconnect(&across);
}

static void refuse(void) {
  MPI_Comm none;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FAILS(
      MPI_Comm_spawn("no-such-program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &none, MPI_ERRCODES_IGNORE),
      MPI_ERR_SPAWN);
  /* It does not come to MPI_Init. */
  FAILS(MPI_Comm_spawn("true", MPI_ARGV_NULL, 2, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, &none, MPI_ERRCODES_IGNORE),
        MPI_ERR_SPAWN);
  FAILS(MPI_Comm_spawn("true", MPI_ARGV_NULL, 100000, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &none, MPI_ERRCODES_IGNORE),
        MPI_ERR_SPAWN);
  FAILS(MPI_Comm_connect("nonsense", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &none), MPI_ERR_PORT);
  FAILS(MPI_Comm_connect("atoll:0:0:0", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &none), MPI_ERR_PORT);
  char port[MPI_MAX_PORT_NAME];
  MPI_Open_port(MPI_INFO_NULL, port);
  /* no process accepts */
  setenv("ATOLL_PEER_TIMEOUT", "0.2", 1);
  FAILS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &none), MPI_ERR_PORT);
  unsetenv("ATOLL_PEER_TIMEOUT");
  MPI_Close_port(port);
  FAILS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &none), MPI_ERR_PORT);
  FAILS(MPI_Lookup_name("nobody", MPI_INFO_NULL, port), MPI_ERR_NAME);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* Rank 0 serves, the others come together, by a name. */
static void connect_by_name(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm rest, across;
  MPI_Comm_split(MPI_COMM_WORLD, me != 0, me, &rest);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (me == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    CHECK(MPI_Publish_name("harbour", MPI_INFO_NULL, port) == MPI_SUCCESS);
    FAILS(MPI_Publish_name("harbour", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &across) == MPI_SUCCESS);
    CHECK(MPI_Unpublish_name("harbour", MPI_INFO_NULL, port) == MPI_SUCCESS);
    MPI_Close_port(port);
  } else {
    if (me == 1) CHECK(MPI_Lookup_name("harbour", MPI_INFO_NULL, port) == MPI_SUCCESS);
    CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, rest, &across) == MPI_SUCCESS);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  work_together(across, me != 0);
  MPI_Comm_disconnect(&across);
  MPI_Comm_free(&rest);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    CHECK(argc == 2 && strcmp(argv[1], "started") == 0);
    be_started(parent);
  } else {
    refuse();
    start(MPI_COMM_WORLD, argv[0]);
    start(MPI_COMM_SELF, argv[0]);
    if (ranks > 1) connect_by_name();
  }
  MPI_Finalize();
  return 0;
}
