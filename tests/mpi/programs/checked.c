/* SPDX-License-Identifier: Apache-2.0
 * Faults that are found with ATOLL_MPI_CHECK=1 alone: checked NUMBER, on 2 ranks or more. 0: none, whatever looks like
 * one. */
#include <mpi-ext.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static int data[64], more[64];

static void begin_with_threads(int* argc, char*** argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* Three integers and no float, in one structure, are three integers; so are six in two messages of a structure of
 * structures. */
static void entries_of_nothing(void) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, lengths[3] = {3, 0, 0};
  MPI_Aint places[3] = {0, 16, 20};
  MPI_Datatype types[3] = {MPI_INT, MPI_FLOAT, MPI_DOUBLE}, some, more_of_them;
  MPI_Type_create_struct(3, lengths, places, types, &some);
  lengths[0] = lengths[1] = 1, types[0] = types[1] = some;
  MPI_Type_create_struct(3, lengths, places, types, &more_of_them);
  MPI_Type_commit(&some);
  MPI_Type_commit(&more_of_them);
  MPI_Sendrecv(data, 1, some, right, 8, more, 3, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 3, MPI_INT, right, 9, more, 1, some, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 3, MPI_INT, right, 10, more, 1, more_of_them, left, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, 1, more_of_them, right, 11, more, 2, some, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&some);
  MPI_Type_free(&more_of_them);
}

/* What is right stays so: interleaved columns, orders that differ, requests of all kinds. */
static void nothing_wrong(void) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Request requests[8];
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(data, 1, column, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(data + 1, 1, column, left, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(more, 1, column, right, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(more, 1, column, right, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&column);
  /* A barrier that is started before the message that its members wait for. */
  int token = me, got = -1;
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Sendrecv(&token, 1, MPI_INT, right, 3, &got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == left);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  /* Messages: a part of what there is room for, other names of the same, packed ones, nothing at all. */
  int64_t wide[4] = {me}, into[8];
  int packed[8], position = 0;
  MPI_Irecv(into, 8, MPI_LONG, left, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(data, 64, MPI_INT, left, 6, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(more, 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[3]);
  MPI_Pack(&me, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Send(wide, 4, MPI_INT64_T, right, 5, MPI_COMM_WORLD);
  MPI_Send(packed, position, MPI_PACKED, right, 6, MPI_COMM_WORLD);
  MPI_Send(NULL, 0, MPI_INT, right, 7, MPI_COMM_WORLD);
  MPI_Waitall(3, requests + 1, MPI_STATUSES_IGNORE);
  CHECK(into[0] == left && data[0] == left);
  entries_of_nothing();
  /* Longer than the others care to wait: no deadlock. */
  if (me == 0) {
    double until = MPI_Wtime() + 4.5;
    while (MPI_Wtime() < until) {}
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &part);
  int sum, counts[64], places[64], all[64];
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, part);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = i;
    places[i] = i * (i - 1) / 2;
  }
  MPI_Allgatherv(data, me, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, data, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Send_init(data, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(more, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    int index;
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm_free(&part);
}

/* Rank 0 goes on while its other thread waits. */
static void* late(void* unused) {
  int one = 1, got;
  MPI_Sendrecv(&one, 1, MPI_INT, 0, 7, &got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  usleep(4500000);
  MPI_Send(&one, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  return unused;
}
static void two_threads(void) {
  pthread_t thread;
  int got = 0;
  if (me == 0) pthread_create(&thread, NULL, late, NULL);
  if (me == 0) MPI_Recv(&got, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Recv(&got, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Send(&got, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  if (me == 0) pthread_join(thread, NULL);
}

/* Right: a thread that has not called yet sends what its rank is waited for, and rank 0 waits for the answer. */
static void* first_call(void* unused) {
  int one = 1;
  usleep(5500000);
  MPI_Send(&one, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  return unused;
}
static void thread_that_comes_late(void) {
  pthread_t thread;
  if (me == 0) pthread_create(&thread, NULL, first_call, NULL);
  MPI_Recv(data, 1, MPI_INT, 1 - me, me == 0 ? 9 : 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 1) MPI_Send(data, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  if (me == 0) pthread_join(thread, NULL);
}

/* Right: a long wait that ends with an error is over, and rank 0 has work to do before it sends. */
static void wait_that_fails(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (me == 0) {
    FAILS(MPI_Probe(1, 5, comm, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    usleep(5000000);
    MPI_Send(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    usleep(4500000);
    MPIX_Comm_revoke(comm);
    MPI_Recv(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&comm);
}

/* Right: a library gives back what it has, and takes the last message, when MPI_COMM_SELF loses its attributes, once.
 */
static MPI_Comm of_library;
static int ends;
static int end_library(MPI_Comm self, int key, void* value, void* extra) {
  (void)self, (void)key, (void)value, (void)extra;
  CHECK(++ends == 1);
  MPI_Recv(more, 1, MPI_INT, MPI_ANY_SOURCE, 5, of_library, MPI_STATUS_IGNORE);
  return MPI_Comm_free(&of_library);
}
static void library_that_ends_with_mpi(void) {
  int key;
  MPI_Comm_dup(MPI_COMM_WORLD, &of_library);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_library, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Send(data, 1, MPI_INT, (me + 1) % ranks, 5, of_library);
}

/* Memory that is gone before the wait. */
static void unmapped(void) {
  enum { bytes = 65536 };
  MPI_Request request;
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MPI_Isend(memory, 16, MPI_INT, (me + 1) % ranks, 1, MPI_COMM_WORLD, &request);
  MPI_Recv(more, 16, MPI_INT, (me + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  munmap(memory, bytes);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Requests whose messages were changed are complete, and so are those beside them. */
static void changed_and_complete(void) {
  int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks, flag = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int round = 0; round < 3; ++round) {
    MPI_Isend(data, 8, MPI_INT, right, round, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(more, 8, MPI_INT, left, round, MPI_COMM_WORLD, &requests[1]);
    ++data[round];
    if (round == 0) {
      FAILS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
      FAILS(statuses[0].MPI_ERROR, MPI_ERR_BUFFER);
      CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_SOURCE == left);
    } else if (round == 1) {
      FAILS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
      CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    } else {
      int code = MPI_SUCCESS;
      while (!flag) code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
      FAILS(code, MPI_ERR_BUFFER);
      CHECK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  }
}

/* (int, float) sent, (float, int) received. */
static void long_message_of_structures(void) {
  enum { MANY = 5000 };
  static int pairs[2 * MANY];
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 4};
  MPI_Datatype types[2] = {me == 0 ? MPI_INT : MPI_FLOAT, me == 0 ? MPI_FLOAT : MPI_INT}, pair;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &pair);
  MPI_Type_commit(&pair);
  if (me == 0) MPI_Isend(pairs, MANY, pair, 1, 7, MPI_COMM_WORLD, &request);
  if (me == 1) MPI_Irecv(pairs, MANY, pair, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
}

/* Ranks that opened files close them, although the default error handler of files hides errors. */
static MPI_File opened(void) {
  MPI_File file;
  char name[64];
  int id = (int)getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "checked.%d.file", id);
  int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  CHECK(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  if (me == 0) unlink(name);
  return file;
}

static void window(int which) {
  MPI_Win win;
  MPI_Group everybody;
  int* memory;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  switch (which) {
    case 0: /* a lock that is never given back */
      if (me == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Barrier(MPI_COMM_WORLD);
      if (me == 0) MPI_Recv(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      else MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      break;
    case 1: /* no rank posts */
      if (me == 0) MPI_Win_start(everybody, 0, win);
      else MPI_Barrier(MPI_COMM_WORLD);
      break;
    case 2: /* one fences, the others free */
      if (me == 0) MPI_Win_fence(0, win);
      else MPI_Win_free(&win);
      break;
    case 3: /* right: others hold the lock for longer than anybody cares to wait, and post as late */
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      usleep(2200000);
      MPI_Win_unlock(0, win);
      if (me == 0) usleep(4500000);
      MPI_Win_post(everybody, 0, win);
      MPI_Win_start(everybody, 0, win);
      MPI_Win_complete(win);
      MPI_Win_wait(win);
      MPI_Win_free(&win);
      break;
  }
}

static void partitioned(int sent, MPI_Datatype type) {
  MPI_Request request;
  if (me == 0) MPI_Psend_init(data, 4, 1, type, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else MPI_Precv_init(data, 2, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  if (me == 0) MPI_Pready_range(0, sent - 1, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int which = argc > 1 ? atoi(argv[1]) : 0, counts[64], places[64];
  MPI_Request request, requests[2];
  MPI_Comm comm;
  MPI_File file;
  if (which == 32) begin_with_threads(&argc, &argv);
  else begin(&argc, &argv);
  for (int i = 0; i < 64; ++i) counts[i] = 1, places[i] = i;
  switch (which) {
    // expect 1
    // expect 4
    case 0: nothing_wrong(); break;
    // expect 2: MPI_(Bcast|Barrier): check: rank [01] has called MPI_(Bcast|Barrier), rank [01] MPI_(Bcast|Barrier)
    case 1: /* kind */
      if (me == 0) MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
      else MPI_Barrier(MPI_COMM_WORLD);
      break;
    // expect 2: MPI_Bcast: check: MPI_Bcast: the root is [01] on rank [01], [01] on rank [01]
    case 2: /* root */ MPI_Bcast(data, 1, MPI_INT, me == 0 ? 0 : 1, MPI_COMM_WORLD); break;
    // expect 3: rank [12]: MPI_Bcast: .*rank 0 gives 4 x MPI_INT .16 bytes., and rank [12] takes 2 x MPI_INT .8 bytes.
    case 3: /* count */ MPI_Bcast(data, me == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD); break;
    // expect 2: rank 1: .*rank 0 gives 2 x MPI_INT .8 bytes., and rank 1 takes 2 x MPI_FLOAT .8 bytes.
    case 4: /* type */ MPI_Bcast(data, 2, me == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD); break;
    // expect 2: MPI_Allreduce: operation 0x2[0-9a-f] on rank [01], operation 0x2[0-9a-f] on rank [01]
    case 5: /* operation */ MPI_Allreduce(data, more, 1, MPI_INT, me == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD); break;
    // expect 2: rank 1: .*rank 0 gives 1 x MPI_INT .4 bytes., and rank 1 takes 3 x MPI_INT .12 bytes.
    case 6: /* counts of a list */
      counts[0] = me == 0 ? 1 : 3, places[1] = 3;
      MPI_Allgatherv(data, 1, MPI_INT, more, counts, places, MPI_INT, MPI_COMM_WORLD);
      break;
    // expect 2: rank [01]: MPI_Iallreduce: check: MPI_Iallreduce: rank [01] gives
    case 7: /* not waited for */
      MPI_Iallreduce(data, more, me == 0 ? 1 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    // expect 2: MPI_Allgather: check: two buffers of the call overlap
    case 8: /* in and out overlap */ MPI_Allgather(data, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD); break;
    // expect 2: MPI_Irecv: check: a buffer is in use by the request of MPI_Irecv with any rank, which is not complete
    case 9: /* in use */
      MPI_Irecv(data, 8, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(data + 7, 8, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
      break;
    // expect 2: MPI_Barrier: 0x[0-9a-f]+ is no communicator, or it has been freed
    case 10: /* a freed handle, though another object has come since */
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm freed = comm;
      MPI_Comm_free(&comm);
      for (int i = 0; i < 20; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Barrier(freed);
      break;
    // expect 2: MPI_Finalize: check: left by the program: communicator of MPI_Comm_dup.*request of MPI_Irecv
    case 11: /* left */
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
      break;
    // expect 2: deadlock: rank 0 is in MPI_Recv, waits for .* rank 1. rank 1 is in MPI_Recv, waits for .* rank 0
    // expect 3: check: deadlock: rank 0 is in MPI_Recv.*rank 1 is in MPI_Recv.*rank 2 is in MPI_Recv
    case 12: /* each waits for its left neighbour's message */
      MPI_Recv(data, 1, MPI_INT, (me + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(data, 1, MPI_INT, (me + 1) % ranks, 1, MPI_COMM_WORLD);
      break;
    // expect 2: check: deadlock: rank 0 is in MPI_Barrier, which not all have called. rank 1 is in MPI_Barrier, which
    case 13: /* two communicators, in two orders */
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Barrier(me == 0 ? MPI_COMM_WORLD : comm);
      MPI_Barrier(me == 0 ? comm : MPI_COMM_WORLD);
      break;
    // expect 3: check: deadlock: rank 0 is in MPI_Recv.*rank 1 is in MPI_Finalize
    case 14: /* all but one have gone on to the end */
      if (me == 0) MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    // expect 2: check: deadlock: rank 0 is in MPI_Wait, waits for MPI_Issend with rank 1
    case 15: /* a send that is synchronous, of a request */
      MPI_Issend(data, 1, MPI_INT, (me + 1) % ranks, 1, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Recv(data, 1, MPI_INT, (me + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    // expect 2
    case 16: /* nothing wrong */ two_threads(); break;
    // expect 2: MPI_Recv: check: rank 0 has sent 4 x MPI_INT .* with tag 7, and rank 1 receives it as 8 x MPI_FLOAT
    case 17: /* types of a message */
      if (me == 0) MPI_Send(data, 4, MPI_INT, 1, 7, MPI_COMM_WORLD);
      if (me == 1) MPI_Recv(more, 8, MPI_FLOAT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    // expect 2: MPI_Wait: check: rank 0 has sent 40000 bytes of several types .* as 40000 bytes of several types
    case 18: /* of a long one, of requests, in an order of elements that is another */
      long_message_of_structures();
      break;
    // expect 2: check: deadlock: rank 0 is in MPI_Recv.*rank 1 is in MPI_Win_lock, which waits for others
    case 19:
    // expect 2: check: deadlock: rank 0 is in MPI_Win_start, which waits for others. rank 1 is in MPI_Barrier
    case 20:
    // expect 2: MPI_Win_(fence|free): check: rank [01] has called MPI_Win_(fence|free), rank [01] MPI_Win_(fence|free)
    case 21:
    // expect 3
    case 22: window(which - 19); break;
    // expect 2: rank [01]: MPI_File_(write|read)_all: check: rank [01] has called MPI_File_(write|read)_all
    case 23: /* of files */
      file = opened();
      if (me == 0) MPI_File_write_all(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
      else MPI_File_read_all(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
      break;
    // expect 2: check: deadlock: rank 0 is in MPI_Barrier.*rank 1 is in MPI_File_write_all, which not all have called
    case 24: /* a file of one rank is none, and its handler only returns */
      file = opened();
      MPI_File_write_all(me == 0 ? MPI_FILE_NULL : file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    // expect 2: deadlock: rank 0 is in MPI_Wait, waits for MPI_Psend_init .* rank 1 is in .* MPI_Precv_init
    case 25: /* one partition is missing */ partitioned(3, MPI_INT); break;
    // expect 2: MPI_Wait: check: rank 0 has sent 4 x MPI_FLOAT .* with tag 1, and rank 1 receives it as 4 x MPI_INT
    case 26: partitioned(4, MPI_FLOAT); break;
    // expect 2
    case 27: partitioned(4, MPI_INT); break;
    // expect 2: MPI_Finalize: check: left by the program: a message of 12 bytes from rank 0 with tag 5, which has not
    case 28: /* a message that is never received */
      if (me == 0) MPI_Send(data, 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
      break;
    // expect 2: check: deadlock: rank 0 is in MPI_Probe for a message from any rank
    case 29: MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
    // expect 2: MPI_Finalize: check: left by the program: file of MPI_File_open
    case 30: /* left */ file = opened(); break;
    // expect 2: MPI_Wait: check: what the request of MPI_Isend with rank [01] sends has been changed before it was
    case 31: /* a message that is changed while it is under way */
      MPI_Isend(data, 8, MPI_INT, (me + 1) % ranks, 1, MPI_COMM_WORLD, &request);
      data[3] = 1;
      MPI_Recv(more, 8, MPI_INT, (me + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    // expect 2
    case 32: thread_that_comes_late(); break;
    // expect 2
    case 33: wait_that_fails(); break;
    // expect 2
    case 34: library_that_ends_with_mpi(); break;
    // expect 2: MPI_Wait: check: what the request of MPI_Isend with rank [01] sends has been freed or unmapped before
    case 35: unmapped(); break;
    // expect 2
    case 36: changed_and_complete(); break;
  }
  MPI_Finalize();
  return 0;
}
