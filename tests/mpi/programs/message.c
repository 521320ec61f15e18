/* SPDX-License-Identifier: Apache-2.0
 * Point to point: modes, lengths, datatypes, wildcards, probes, persistent, partitioned and buffered messages. */
#include "check.h"

enum { longest = 1 << 18 };
static int out[longest], in[longest];

static void fill(int seed, int count) {
  for (int i = 0; i < count; ++i) out[i] = seed + i;
  memset(in, -1, sizeof(int) * (size_t)count);
}
static void verify(int seed, int count) {
  for (int i = 0; i < count; ++i) CHECK(in[i] == seed + i);
}

static void modes(MPI_Comm comm) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  char* room = malloc(longest * sizeof(int) + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(room, longest * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  static const int lengths[] = {0, 1, 60, 2000, 5000, longest};
  for (unsigned k = 0; k < sizeof(lengths) / sizeof(*lengths); ++k)
    for (int mode = 0; mode < 4; ++mode) {
      int count = lengths[k], got;
      MPI_Request request[2];
      MPI_Status status[2];
      fill(me * 1000 + mode, count);
      MPI_Irecv(in, count, MPI_INT, left, mode, comm, &request[0]);
      switch (mode) {
        case 0: MPI_Isend(out, count, MPI_INT, right, mode, comm, &request[1]); break;
        case 1: MPI_Issend(out, count, MPI_INT, right, mode, comm, &request[1]); break;
        case 2: MPI_Ibsend(out, count, MPI_INT, right, mode, comm, &request[1]); break;
        default: MPI_Irsend(out, count, MPI_INT, right, mode, comm, &request[1]); break;
      }
      MPI_Waitall(2, request, status);
      CHECK(request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL);
      CHECK(status[0].MPI_SOURCE == left && status[0].MPI_TAG == mode);
      MPI_Get_count(&status[0], MPI_INT, &got);
      CHECK(got == count);
      verify(left * 1000 + mode, count);
      MPI_Buffer_flush();
    }
  void* back;
  int size;
  MPI_Buffer_detach(&back, &size);
  CHECK(back == room && size == longest * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  free(room);
}

static void strided(MPI_Comm comm) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Datatype column;
  MPI_Type_vector(3000, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  fill(me, 6000);
  MPI_Status status;
  MPI_Request request;
  MPI_Irecv(in, 1, column, left, 7, comm, &request);
  MPI_Type_free(&column); /* goes on until the message is there */
  MPI_Type_vector(3000, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Send(out, 1, column, right, 7, comm);
  MPI_Wait(&request, &status);
  for (int i = 0; i < 6000; ++i) CHECK(in[i] == (i % 2 == 0 && i < 6000 ? left + i : -1));
  int count;
  MPI_Get_count(&status, column, &count);
  CHECK(count == 1);
  MPI_Get_elements(&status, column, &count);
  CHECK(count == 3000);
  MPI_Sendrecv(out, 1, column, right, 8, in, 3000, MPI_INT, left, 8, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < 3000; ++i) CHECK(in[i] == left + 2 * i);
  MPI_Type_free(&column);
}

static void wildcards(MPI_Comm comm) {
  if (me == 0) {
    int* seen = calloc((size_t)ranks, sizeof(int));
    for (int i = 0; i < 3 * (ranks - 1); ++i) {
      MPI_Status status, again;
      int value, count;
      if (i % 3 == 0) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        CHECK(count == 1);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &again);
        CHECK(message == MPI_MESSAGE_NULL);
      } else {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, &again);
      }
      CHECK(again.MPI_SOURCE == status.MPI_SOURCE && again.MPI_TAG == status.MPI_TAG);
      /* of one sender, in its order */
      CHECK(value == seen[status.MPI_SOURCE]++ && status.MPI_TAG == value + 10);
    }
    free(seen);
  } else {
    for (int i = 0; i < 3; ++i) MPI_Send(&i, 1, MPI_INT, 0, 10 + i, comm);
  }
  MPI_Barrier(comm); /* what follows fits the wildcards, too */
}

static void persistent(MPI_Comm comm) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Request request[2];
  MPI_Send_init(out, 100, MPI_INT, right, 3, comm, &request[0]);
  MPI_Recv_init(in, 100, MPI_INT, left, 3, comm, &request[1]);
  for (int round = 0; round < 3; ++round) {
    fill(me + round, 100);
    MPI_Startall(2, request);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    verify(left + round, 100);
  }
  MPI_Request_free(&request[0]);
  MPI_Request_free(&request[1]);
  /* three parts there, two here */
  MPI_Psend_init(out, 3, 20, MPI_INT, right, 3, comm, MPI_INFO_NULL, &request[0]);
  MPI_Precv_init(in, 2, 30, MPI_INT, left, 3, comm, MPI_INFO_NULL, &request[1]);
  for (int round = 0; round < 2; ++round) {
    int flag;
    fill(me - round, 60);
    MPI_Startall(2, request);
    MPI_Pready(2, request[0]);
    MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Pready_range(0, 1, request[0]);
    do MPI_Parrived(request[1], 1, &flag);
    while (!flag);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    verify(left - round, 60);
  }
  MPI_Request_free(&request[0]);
  MPI_Request_free(&request[1]);
}

/* Of one tag: they belong together as they were made, whatever they are started in. */
static void partitioned_in_any_order(MPI_Comm comm) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, values[3], got[3];
  static const int order[3] = {2, 0, 1};
  MPI_Request sends[3], receives[3];
  MPI_Status statuses[3];
  for (int i = 0; i < 3; ++i) {
    MPI_Psend_init(&values[i], 1, 1, MPI_INT, right, 9, comm, MPI_INFO_NULL, &sends[i]);
    MPI_Precv_init(&got[i], 1, 1, MPI_INT, left, 9, comm, MPI_INFO_NULL, &receives[i]);
  }
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(3, receives);
    for (int i = 0; i < 3; ++i) {
      int which = order[(i + round) % 3];
      values[which] = 100 * me + 10 * round + which;
      MPI_Start(&sends[which]);
      MPI_Pready(0, sends[which]);
    }
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, receives, statuses);
    for (int i = 0; i < 3; ++i) {
      CHECK(got[i] == 100 * left + 10 * round + i);
      CHECK(statuses[i].MPI_SOURCE == left && statuses[i].MPI_TAG == 9);
    }
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Request_free(&sends[i]);
    MPI_Request_free(&receives[i]);
  }
  /* Never started, and gone. */
  MPI_Psend_init(values, 1, 1, MPI_INT, right, 10, comm, MPI_INFO_NULL, &sends[0]);
  MPI_Precv_init(got, 1, 1, MPI_INT, left, 10, comm, MPI_INFO_NULL, &receives[0]);
  MPI_Request_free(&sends[0]);
  MPI_Request_free(&receives[0]);
}

static void endings(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Status status;
  MPI_Request request;
  int flag, value = 0;
  MPI_Irecv(&value, 1, MPI_INT, me, 99, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  /* too long: what fits is there, the rest is an error */
  int two[2] = {4, 5};
  MPI_Isend(two, 2, MPI_INT, me, 1, comm, &request);
  FAILS(MPI_Recv(&value, 1, MPI_INT, me, 1, comm, &status), MPI_ERR_TRUNCATE);
  CHECK(value == 4);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  FAILS(MPI_Send(two, 1, MPI_INT, ranks, 0, comm), MPI_ERR_RANK);
  FAILS(MPI_Send(two, 1, MPI_INT, me, -1, comm), MPI_ERR_TAG);
  FAILS(MPI_Send(two, -1, MPI_INT, me, 0, comm), MPI_ERR_COUNT);
  FAILS(MPI_Send(two, 1, MPI_DATATYPE_NULL, me, 0, comm), MPI_ERR_TYPE);
  FAILS(MPI_Bsend(two, 1, MPI_INT, me, 0, comm), MPI_ERR_BUFFER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  FAILS(MPI_Send(two, 1, MPI_INT, me, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  FAILS(MPI_Wait((MPI_Request*)&comm, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
  int index;
  request = MPI_REQUEST_NULL;
  MPI_Waitany(1, &request, &index, &status);
  CHECK(index == MPI_UNDEFINED);
}

/* Half of the ranks' requests at a time, in whatever order they come. */
static void any_order(MPI_Comm comm) {
  int count = 2 * ranks, left = count, values[64], done, indices[64];
  MPI_Request requests[64];
  CHECK(count <= 64);
  for (int i = 0; i < count; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i % ranks, i / ranks, comm, &requests[i]);
  for (int i = 0; i < count; ++i) {
    int value = 100 * me + i / ranks;
    MPI_Send(&value, 1, MPI_INT, (me + i) % ranks, i / ranks, comm);
  }
  while (left > 0) {
    MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < done; ++i) CHECK(values[indices[i]] == 100 * (indices[i] % ranks) + indices[i] / ranks);
    left -= done;
  }
  MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
  CHECK(done == MPI_UNDEFINED);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  modes(comm);
  strided(comm);
  wildcards(comm);
  persistent(comm);
  any_order(comm);
  partitioned_in_any_order(comm);
  endings(comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
