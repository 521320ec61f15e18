/* SPDX-License-Identifier: Apache-2.0
 * A wrong call is an error of that rank, with a class: null buffers and lists, memory outside of a window, full file
 * systems. No rank dies, and all continue afterwards. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

#define REFUSED(call, expected) \
  do { \
    int class_of_it; \
    MPI_Error_class(call, &class_of_it); \
    if (class_of_it != (expected)) printf("%s: class %d\n", #call, class_of_it); \
    CHECK(class_of_it == (expected)); \
  } while (0)

static int data[64], more[64], one[1] = {1}, none[1] = {0};

static void null_buffers(void) {
  MPI_Comm self = MPI_COMM_SELF;
  MPI_Request request;
  MPI_Datatype column;
  MPI_Type_vector(2, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  REFUSED(MPI_Send(NULL, 1, MPI_INT, 0, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Isend(NULL, 1, MPI_INT, 0, 0, self, &request), MPI_ERR_BUFFER);
  REFUSED(MPI_Recv(NULL, 1, MPI_INT, 0, 0, self, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  REFUSED(MPI_Irecv(NULL, 1, MPI_INT, 0, 0, self, &request), MPI_ERR_BUFFER);
  REFUSED(MPI_Sendrecv(data, 1, MPI_INT, 0, 0, NULL, 1, MPI_INT, 0, 0, self, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  REFUSED(MPI_Bcast(NULL, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Allreduce(NULL, more, 1, MPI_INT, MPI_SUM, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Allreduce(data, NULL, 1, MPI_INT, MPI_SUM, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Reduce(NULL, more, 1, MPI_INT, MPI_SUM, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Allgather(data, 1, MPI_INT, NULL, 1, MPI_INT, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Alltoall(NULL, 1, MPI_INT, more, 1, MPI_INT, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, NULL, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
  int started = MPI_Iallreduce(NULL, more, 1, MPI_INT, MPI_SUM, self, &request);
  REFUSED(started != MPI_SUCCESS ? started : MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  REFUSED(MPI_Allgatherv(data, 1, MPI_INT, more, NULL, NULL, MPI_INT, self), MPI_ERR_ARG);
  REFUSED(MPI_Allgatherv(data, 1, MPI_INT, more, one, NULL, MPI_INT, self), MPI_ERR_ARG);
  REFUSED(MPI_Alltoallw(data, NULL, NULL, NULL, more, NULL, NULL, NULL, self), MPI_ERR_ARG);
  REFUSED(MPI_Exscan(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  REFUSED(MPI_Reduce_scatter(data, more, NULL, MPI_INT, MPI_SUM, self), MPI_ERR_ARG);
  /* What is not in one piece, and what no other rank takes part in. */
  int position = 0;
  char packed[16];
  REFUSED(MPI_Send(NULL, 1, column, 0, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Recv(NULL, 1, column, 0, 0, self, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  REFUSED(MPI_Bcast(NULL, 1, column, 0, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Pack(NULL, 1, MPI_INT, packed, 16, &position, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Pack(data, 1, column, NULL, 16, &position, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Unpack(packed, 16, &position, NULL, 1, column, self), MPI_ERR_BUFFER);
  REFUSED(MPI_Reduce_local(NULL, data, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK(position == 0);
  /* Of nothing, at absolute addresses, and where no buffer counts: right. */
  MPI_Aint place;
  MPI_Datatype at;
  MPI_Get_address(data, &place);
  MPI_Type_create_hindexed(1, one, &place, MPI_INT, &at);
  MPI_Type_commit(&at);
  data[0] = 5;
  CHECK(MPI_Sendrecv(MPI_BOTTOM, 1, at, 0, 0, more, 1, MPI_INT, 0, 0, self, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        more[0] == 5);
  CHECK(MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, NULL, 0, column, 0, 0, self, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Bcast(MPI_BOTTOM, 1, at, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Exscan(data, me == 0 ? NULL : more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Reduce(me == 0 ? MPI_IN_PLACE : data, me == 0 ? data : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, more, one, none, MPI_INT, self) == MPI_SUCCESS);
  CHECK(MPI_Gatherv(NULL, 0, MPI_INT, NULL, none, none, MPI_INT, 0, self) == MPI_SUCCESS);
  MPI_Type_free(&at);
  MPI_Type_free(&column);
}

/* Memory is freed once, by the function that matches its allocation, and at its first byte. */
static void memory(void) {
  char* own;
  REFUSED(MPI_Free_mem(data), MPI_ERR_BASE);
  CHECK(MPI_Alloc_mem(64, MPI_INFO_NULL, &own) == MPI_SUCCESS);
  REFUSED(MPI_Free_mem(own + 8), MPI_ERR_BASE);
  CHECK(MPI_Free_mem(own) == MPI_SUCCESS && MPI_Free_mem(NULL) == MPI_SUCCESS);
  REFUSED(MPI_Free_mem(own), MPI_ERR_BASE);
}

static void null_lists(void) {
  MPI_Comm grid;
  MPI_Group all, some;
  int periods = 0, rank;
  MPI_Comm_group(MPI_COMM_SELF, &all);
  REFUSED(MPI_Group_incl(all, 1, NULL, &some), MPI_ERR_ARG);
  REFUSED(MPI_Group_range_excl(all, 1, NULL, &some), MPI_ERR_ARG);
  REFUSED(MPI_Dims_create(4, 2, NULL), MPI_ERR_ARG);
  REFUSED(MPI_Cart_create(MPI_COMM_SELF, 1, NULL, &periods, 0, &grid), MPI_ERR_ARG);
  REFUSED(MPI_Cart_create(MPI_COMM_SELF, 1, one, NULL, 0, &grid), MPI_ERR_ARG);
  REFUSED(MPI_Graph_create(MPI_COMM_SELF, 1, NULL, NULL, 0, &grid), MPI_ERR_ARG);
  CHECK(MPI_Cart_create(MPI_COMM_SELF, 1, one, &periods, 0, &grid) == MPI_SUCCESS);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  REFUSED(MPI_Cart_rank(grid, NULL, &rank), MPI_ERR_ARG);
  MPI_Comm part;
  REFUSED(MPI_Cart_sub(grid, NULL, &part), MPI_ERR_ARG);
  MPI_Comm_free(&grid);
  CHECK(MPI_Cart_create(MPI_COMM_SELF, 0, NULL, NULL, 0, &grid) == MPI_SUCCESS);
  MPI_Comm_free(&grid);
  MPI_Group_free(&all);
}

static void graphs(void) {
  MPI_Comm graph;
  int self = 0, weight = -1, degree = 1;
  REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &self, &weight, 1, &self, &weight, MPI_INFO_NULL, 0, &graph),
          MPI_ERR_ARG);
  REFUSED(MPI_Dist_graph_create(MPI_COMM_SELF, 1, &self, &degree, &self, &weight, MPI_INFO_NULL, 0, &graph),
          MPI_ERR_ARG);
  REFUSED(MPI_Dist_graph_create(MPI_COMM_SELF, 1, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
          MPI_ERR_ARG);
  REFUSED(MPI_Errhandler_free(NULL), MPI_ERR_ARG);
}

static void windows(void) {
  MPI_Win win;
  int number = me;
  MPI_File file;
  REFUSED(MPI_Win_create(NULL, 4, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_BASE);
  MPI_Win_create(data, sizeof data, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  REFUSED(MPI_Put(NULL, 1, MPI_INT, me, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
  REFUSED(MPI_Get(NULL, 1, MPI_INT, me, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
  REFUSED(MPI_Accumulate(NULL, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_BUFFER);
  REFUSED(MPI_Accumulate(data, 1, MPI_FLOAT, me, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE);
  REFUSED(MPI_Get_accumulate(data, 1, MPI_FLOAT, more, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE);
  CHECK(MPI_Accumulate(data, 1, MPI_UNSIGNED, me, 0, 1, MPI_INT, MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Accumulate(data, 4, MPI_BYTE, me, 0, 1, MPI_INT, MPI_REPLACE, win) == MPI_SUCCESS);
  CHECK(MPI_Fetch_and_op(NULL, &number, MPI_INT, me, 0, MPI_NO_OP, win) == MPI_SUCCESS);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  CHECK(MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  REFUSED(MPI_File_write(file, NULL, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  REFUSED(MPI_File_write_all(file, NULL, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  MPI_File_close(&file);
}

/* What goes wrong while a communicator is freed is a matter of its handler. */
static int keep(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value;
  return *(int*)state;
}
static void freeing(void) {
  MPI_Comm comm;
  int key, answer = MPI_ERR_OTHER;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, keep, &key, &answer);
  MPI_Comm_set_attr(comm, key, NULL);
  REFUSED(MPI_Comm_free(&comm), MPI_ERR_OTHER);
  REFUSED(MPI_Comm_disconnect(&comm), MPI_ERR_OTHER);
  answer = MPI_SUCCESS;
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/* A file that may not grow: the status says how much is there. */
static void short_writes(void) {
  struct rlimit before, now;
  MPI_File file;
  MPI_Request request;
  MPI_Status status;
  char name[64];
  int bytes;
  static char all[8000];
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  now = before;
  now.rlim_cur = 5000;
  snprintf(name, sizeof name, "refused.%d.file", (int)getpid());
  CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  setrlimit(RLIMIT_FSIZE, &now);
  CHECK(MPI_File_write_at(file, 0, all, sizeof all, MPI_BYTE, &status) != MPI_SUCCESS);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(bytes == 5000);
  CHECK(MPI_File_write_at_all(file, 1000, all, sizeof all, MPI_BYTE, &status) != MPI_SUCCESS);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(bytes == 4000);
  CHECK(MPI_File_iwrite_at(file, 2000, all, sizeof all, MPI_BYTE, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) != MPI_SUCCESS);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(bytes == 3000);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(MPI_File_write_at(file, 0, all, sizeof all, MPI_BYTE, &status) == MPI_SUCCESS);
  MPI_File_close(&file);
}

/* Memory of a dynamic window is what its owner has attached, and nothing else: neither here nor there is anything read
 * or written. */
static void dynamic_windows(void) {
  MPI_Win win;
  MPI_Aint mine, theirs;
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, value = 7, got = 0;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Get_address(data + 16, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &theirs, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(MPI_Win_attach(win, data + 16, 64) == MPI_SUCCESS);
  REFUSED(MPI_Win_attach(win, data + 16, 64), MPI_ERR_RMA_ATTACH);
  REFUSED(MPI_Win_attach(win, data + 12, 64), MPI_ERR_RMA_ATTACH);
  REFUSED(MPI_Win_attach(win, data + 31, 64), MPI_ERR_RMA_ATTACH);
  REFUSED(MPI_Win_detach(win, data + 17), MPI_ERR_RMA_ATTACH);
  CHECK(MPI_Win_attach(win, data + 32, 4) == MPI_SUCCESS && MPI_Win_attach(win, data + 15, 4) == MPI_SUCCESS);
  data[14] = data[33] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  int places[3] = {-2, 16, 17}; /* ints from data + 16 on: not attached, the last one that is, behind it */
  for (int i = 0; i < 3; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    int put = MPI_Put(&value, 1, MPI_INT, right, theirs + 4 * places[i], 1, MPI_INT, win);
    int unlocked = MPI_Win_unlock(right, win);
    REFUSED(put != MPI_SUCCESS ? put : unlocked, i == 1 ? MPI_SUCCESS : MPI_ERR_RMA_RANGE);
  }
  /* An unmapped address. */
  int code, flushed;
  MPI_Win_lock_all(0, win);
  code = MPI_Get(&got, 1, MPI_INT, right, 8, 1, MPI_INT, win);
  flushed = MPI_Win_flush(right, win);
  REFUSED(code != MPI_SUCCESS ? code : flushed, MPI_ERR_RMA_RANGE);
  code = MPI_Accumulate(&value, 1, MPI_INT, right, 8, 1, MPI_INT, MPI_SUM, win);
  flushed = MPI_Win_flush(right, win);
  REFUSED(code != MPI_SUCCESS ? code : flushed, MPI_ERR_RMA_RANGE);
  /* Over the seam of three that lie side by side. */
  static int four[18];
  CHECK(MPI_Get(four, 18, MPI_INT, right, theirs - 4, 18, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(data[14] == -1 && data[33] == -1);
  CHECK(MPI_Win_detach(win, data + 16) == MPI_SUCCESS);
  REFUSED(MPI_Win_detach(win, data + 16), MPI_ERR_RMA_ATTACH);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  code = MPI_Put(&value, 1, MPI_INT, right, theirs, 1, MPI_INT, win);
  flushed = MPI_Win_flush(right, win);
  REFUSED(code != MPI_SUCCESS ? code : flushed, MPI_ERR_RMA_RANGE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  null_buffers();
  memory();
  null_lists();
  graphs();
  windows();
  short_writes();
  freeing();
  dynamic_windows();
  int sum = 0;
  CHECK(MPI_Allreduce(&ranks, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS && sum == ranks * ranks);
  MPI_Finalize();
  return 0;
}
