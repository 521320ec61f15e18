/* SPDX-License-Identifier: Apache-2.0
 * Dynamic windows: types that begin anywhere and have holes, pieces of memory that are attached one by one, of nothing,
 * and too many. */
#include "check.h"

static int right, left;

/* Of the right neighbour. */
static MPI_Aint address_there(const void* here) {
  MPI_Aint mine, theirs;
  MPI_Get_address(here, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &theirs, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return theirs;
}

static MPI_Win make_window(void) {
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  return win;
}

/* What a put of an int is answered, by the call itself or by the one that completes it. */
static int put_one(int value, MPI_Aint there, MPI_Win win) {
  int code = MPI_Put(&value, 1, MPI_INT, right, there, 1, MPI_INT, win), flushed = MPI_Win_flush(right, win);
  return class_of(code != MPI_SUCCESS ? code : flushed);
}

/* All operations with a type, on eight ints there: `values` are set, added to, read. */
static void all_operations(MPI_Aint there, MPI_Datatype type, MPI_Win win) {
  int values[8], got[8], old[8];
  for (int i = 0; i < 8; ++i) values[i] = 100 * me + i;
  CHECK(MPI_Put(values, 8, MPI_INT, right, there, 1, type, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(right, win) == MPI_SUCCESS);
  CHECK(MPI_Accumulate(values, 8, MPI_INT, right, there, 1, type, MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(right, win) == MPI_SUCCESS);
  CHECK(MPI_Get_accumulate(values, 8, MPI_INT, old, 8, MPI_INT, right, there, 1, type, MPI_SUM, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(right, win) == MPI_SUCCESS);
  CHECK(MPI_Get(got, 8, MPI_INT, right, there, 1, type, win) == MPI_SUCCESS);
  CHECK(MPI_Win_flush(right, win) == MPI_SUCCESS);
  for (int i = 0; i < 8; ++i) CHECK(old[i] == 2 * values[i] && got[i] == 3 * values[i]);
}

/* Two times four ints of `data`, from places `first` and `second` on, each attached for itself; what lies between them
 * is not. The type begins neither at its displacement nor in attached memory. */
static void types(int* data, int first, int second) {
  MPI_Win win = make_window();
  int lengths[2] = {4, 4}, places[2] = {first, second};
  MPI_Datatype indexed, absolute, wrong;
  for (int i = 0; i < 64; ++i) data[i] = -1;
  CHECK(MPI_Win_attach(win, data + first, 16) == MPI_SUCCESS && MPI_Win_attach(win, data + second, 16) == MPI_SUCCESS);
  const MPI_Aint there = address_there(data);
  MPI_Aint addresses[2] = {there + 4 * first, there + 4 * second};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &indexed);
  MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &absolute);
  ++places[1];
  MPI_Type_indexed(2, lengths, places, MPI_INT, &wrong);
  MPI_Type_commit(&indexed), MPI_Type_commit(&absolute), MPI_Type_commit(&wrong);
  MPI_Win_lock_all(0, win);
  all_operations(there, indexed, win);
  all_operations((MPI_Aint)MPI_BOTTOM, absolute, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 64; ++i) {
    const int at = i >= first && i < first + 4 ? i - first : i >= second && i < second + 4 ? i - second + 4 : -1;
    CHECK(data[i] == (at < 0 ? -1 : 3 * (100 * left + at)));
  }
  /* Its last byte is not attached. */
  int values[8] = {0};
  int code = MPI_Accumulate(values, 8, MPI_INT, right, there, 1, wrong, MPI_SUM, win),
      flushed = MPI_Win_flush(right, win);
  CHECK(class_of(code != MPI_SUCCESS ? code : flushed) == MPI_ERR_RMA_RANGE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Type_free(&indexed), MPI_Type_free(&absolute), MPI_Type_free(&wrong);
}

/* The rows of a matrix, attached one by one. */
static void rows(void) {
  static int matrix[4][16];
  MPI_Win win = make_window();
  MPI_Datatype column;
  int values[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) CHECK(MPI_Win_attach(win, matrix[i], 16) == MPI_SUCCESS);
  MPI_Aint there = address_there(matrix);
  MPI_Type_vector(4, 1, 16, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
  CHECK(MPI_Put(values, 4, MPI_INT, right, there + 4, 1, column, win) == MPI_SUCCESS);
  CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS);
  for (int i = 0; i < 4; ++i) CHECK(matrix[i][1] == i + 1);
  MPI_Win_free(&win);
  MPI_Type_free(&column);
}

/* Pieces of nothing meet no others. */
static void nothing(void) {
  static int data[16];
  MPI_Win win = make_window();
  CHECK(MPI_Win_attach(win, NULL, 0) == MPI_SUCCESS && MPI_Win_attach(win, NULL, 0) == MPI_SUCCESS);
  CHECK(MPI_Win_attach(win, data, 0) == MPI_SUCCESS && MPI_Win_attach(win, data, 64) == MPI_SUCCESS);
  CHECK(MPI_Win_attach(win, data + 4, 0) == MPI_SUCCESS && MPI_Win_attach(win, data, 0) == MPI_SUCCESS);
  FAILS(MPI_Win_attach(win, data + 4, 4), MPI_ERR_RMA_ATTACH);
  for (int i = 0; i < 3; ++i) CHECK(MPI_Win_detach(win, data) == MPI_SUCCESS);
  FAILS(MPI_Win_detach(win, data), MPI_ERR_RMA_ATTACH);
  for (int i = 0; i < 2; ++i) CHECK(MPI_Win_detach(win, NULL) == MPI_SUCCESS);
  FAILS(MPI_Win_detach(win, NULL), MPI_ERR_RMA_ATTACH);
  CHECK(MPI_Win_detach(win, data + 4) == MPI_SUCCESS);
  MPI_Win_free(&win);
}

/* While more pieces are attached than others are told of, nothing is refused that may be right; afterwards all is as
 * before. */
static void many(void) {
  static int data[200];
  MPI_Win win = make_window();
  const MPI_Aint there = address_there(data);
  for (int i = 0; i < 100; ++i) CHECK(MPI_Win_attach(win, data + 2 * i, 4) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 100; ++i) CHECK(put_one(i, there + 8 * i, win) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i) CHECK(data[2 * i] == i);
  /* Some that others know of, and some that they do not. */
  for (int i = 0; i < 70; ++i) CHECK(MPI_Win_detach(win, data + 2 * (i < 40 ? i : i + 30)) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i)
    CHECK(put_one(-i, there + 8 * i, win) == (i >= 40 && i < 70 ? MPI_SUCCESS : MPI_ERR_RMA_RANGE));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i) CHECK(data[2 * i] == (i >= 40 && i < 70 ? -i : i));
  for (int i = 40; i < 70; ++i) CHECK(MPI_Win_detach(win, data + 2 * i) == MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(put_one(1, there + 8 * 50, win) == MPI_ERR_RMA_RANGE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* A refused access is reported by the call that completes it: other operations have separate requests. */
static void requests(void) {
  static int data[2];
  MPI_Win win = make_window();
  MPI_Request request = MPI_REQUEST_NULL;
  int value = 5, got = 0;
  CHECK(MPI_Win_attach(win, data, 4) == MPI_SUCCESS);
  const MPI_Aint there = address_there(data);
  MPI_Win_lock_all(0, win);
  int code = MPI_Put(&value, 1, MPI_INT, right, there + 4, 1, MPI_INT, win);
  CHECK(MPI_Rput(&value, 1, MPI_INT, right, there, 1, MPI_INT, win, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  int flushed = MPI_Win_flush(right, win);
  CHECK(class_of(code != MPI_SUCCESS ? code : flushed) == MPI_ERR_RMA_RANGE);
  CHECK(MPI_Rget(&got, 1, MPI_INT, right, there, 1, MPI_INT, win, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == 5);
  /* By the call itself, or by the request. */
  code = MPI_Rget(&got, 1, MPI_INT, right, there + 4, 1, MPI_INT, win, &request);
  FAILS(code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_RMA_RANGE);
  CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
  MPI_Win_free(&win);
}

/* No operation reaches memory that is not attached, or not any more, be it mapped by the other ranks or not. */
static void unattached(int* data) {
  MPI_Win win = make_window();
  const MPI_Aint there = address_there(data);
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < 3; ++round) {
    if (round > 0) {
      CHECK(MPI_Win_attach(win, data + 32, 16) == MPI_SUCCESS); /* other memory */
      if (round == 1) CHECK(MPI_Win_attach(win, data, 16) == MPI_SUCCESS && MPI_Win_detach(win, data) == MPI_SUCCESS);
    }
    for (int i = 0; i < 64; ++i) data[i] = 7;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < 7; ++kind) {
      int values[4] = {1, 2, 3, 4}, got[4] = {0}, code = MPI_SUCCESS;
      switch (kind) {
        case 0: code = MPI_Put(values, 1, MPI_INT, right, there, 1, MPI_INT, win); break;
        case 1:
          code = MPI_Put(values, 4, MPI_INT, right, there + 4 * 30, 4, MPI_INT, win);
          break; /* to data + 32, too */
        case 2: code = MPI_Get(got, 1, MPI_INT, right, there, 1, MPI_INT, win); break;
        case 3: code = MPI_Accumulate(values, 4, MPI_INT, right, there, 4, MPI_INT, MPI_SUM, win); break;
        case 4:
          code = MPI_Get_accumulate(values, 4, MPI_INT, got, 4, MPI_INT, right, there, 4, MPI_INT, MPI_SUM, win);
          break;
        case 5: code = MPI_Fetch_and_op(values, got, MPI_INT, right, there, MPI_SUM, win); break;
        case 6: code = MPI_Compare_and_swap(values, values + 1, got, MPI_INT, right, there, win); break;
      }
      int flushed = MPI_Win_flush(right, win);
      FAILS(code != MPI_SUCCESS ? code : flushed, MPI_ERR_RMA_RANGE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 64; ++i) CHECK(data[i] == 7);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round > 0) CHECK(put_one(9, there + 4 * 33, win) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round > 0) CHECK(data[33] == 9 && MPI_Win_detach(win, data + 32) == MPI_SUCCESS);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  static int data[64];
  int* mapped;
  types(data, 4, 20);
  types(data, 9, 13);
  MPI_Alloc_mem(64 * sizeof(int), MPI_INFO_NULL, &mapped);
  types(mapped, 4, 20);
  unattached(data);
  unattached(mapped);
  MPI_Free_mem(mapped);
  rows();
  nothing();
  many();
  requests();
  MPI_Finalize();
  return 0;
}
