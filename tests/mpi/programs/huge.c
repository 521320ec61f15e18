/* SPDX-License-Identifier: Apache-2.0
 * Counts, displacements and sizes whose products do not fit 64 bits: each call returns an error, and nothing wraps. */
#include <stdint.h>
#include "check.h"

static char memory[4096];
static const MPI_Count huge = (MPI_Count)1 << 61; /* of 8 bytes: 2^64, which is 0 when it wraps */
static MPI_Datatype wide;                         /* 1 double, extent 2^61 */

static int is_refusal(int code) {
  switch (class_of(code)) {
    case MPI_ERR_COUNT:
    case MPI_ERR_ARG:
    case MPI_ERR_TYPE:
    case MPI_ERR_SIZE:
    case MPI_ERR_DISP:
    case MPI_ERR_NO_MEM:
    case MPI_ERR_RMA_RANGE:
    case MPI_ERR_TRUNCATE:
    case MPI_ERR_VALUE_TOO_LARGE: return 1;
    default: return 0;
  }
}

#define REFUSED(call) \
  do { \
    int code_ = (call); \
    if (!is_refusal(code_)) { \
      fprintf(stderr, "%s:%d: rank %d: class %d of %s\n", __FILE__, __LINE__, me, class_of(code_), #call); \
      faults++; \
    } \
  } while (0)

static int faults;

static void types(void) {
  MPI_Datatype made, doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Count two[2] = {huge, huge}, apart[2] = {0, INT64_MAX - 4};
  REFUSED(MPI_Type_contiguous_c(huge, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_vector_c(huge, 1, 1, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_vector_c(2, huge, 1, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_vector_c(2, 1, huge, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_hvector_c(3, 1, INT64_MAX / 2, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_hvector_c(huge, huge, 0, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_indexed_c(2, two, two, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_hindexed_c(2, two, apart, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_indexed_block_c(2, huge, two, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_hindexed_block_c(2, 1, apart, MPI_DOUBLE, &made));
  REFUSED(MPI_Type_create_struct_c(2, two, apart, doubles, &made));
  REFUSED(MPI_Type_create_resized_c(MPI_DOUBLE, INT64_MAX, 1, &made));
  MPI_Count sizes[2] = {huge, huge}, parts[2] = {1, 1}, starts[2] = {0, 0};
  REFUSED(MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &made));
  MPI_Count rows[2] = {huge, huge};
  int how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE},
      arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {ranks, 1};
  REFUSED(MPI_Type_create_darray_c(ranks, me, 2, rows, how, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &made));
}

static void packs(void) {
  MPI_Count size, position = 0;
  REFUSED(MPI_Pack_size_c(huge, MPI_DOUBLE, MPI_COMM_WORLD, &size));
  REFUSED(MPI_Pack_external_size_c("external32", huge, MPI_DOUBLE, &size));
  REFUSED(MPI_Pack_c(memory, huge, MPI_DOUBLE, memory, sizeof memory, &position, MPI_COMM_WORLD));
  REFUSED(MPI_Unpack_c(memory, sizeof memory, &position, memory, huge, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Pack_external_c("external32", memory, huge, MPI_DOUBLE, memory, sizeof memory, &position));
  REFUSED(MPI_Unpack_external_c("external32", memory, sizeof memory, &position, memory, huge, MPI_DOUBLE));
  position = INT64_MAX - 4;
  REFUSED(MPI_Pack_c(memory, 1, MPI_DOUBLE, memory, INT64_MAX, &position, MPI_COMM_WORLD));
  position = INT64_MAX - 4;
  REFUSED(MPI_Unpack_c(memory, INT64_MAX, &position, memory, 1, MPI_DOUBLE, MPI_COMM_WORLD));
  CHECK(position == INT64_MAX - 4);
}

static void messages(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  REFUSED(MPI_Send_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Ssend_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Bsend_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Isend_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Irecv_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Recv_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, &status));
  REFUSED(MPI_Sendrecv_replace_c(memory, huge, MPI_DOUBLE, me, 0, me, 0, MPI_COMM_WORLD, &status));
  REFUSED(MPI_Send_init_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Recv_init_c(memory, huge, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, &request));
  REFUSED(MPI_Send(memory, 16, wide, me, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Recv(memory, 16, wide, me, 0, MPI_COMM_WORLD, &status));
  CHECK(request == MPI_REQUEST_NULL);
}

static void collectives(void) {
  MPI_Count counts[64], large[64];
  MPI_Aint at[64], far[64];
  for (int i = 0; i < ranks; ++i) counts[i] = 1, large[i] = huge, at[i] = i, far[i] = (MPI_Aint)huge;
  char* out = memory + 2048;
  REFUSED(MPI_Bcast_c(memory, huge, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Reduce_c(memory, out, huge, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Allreduce_c(memory, out, huge, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  REFUSED(MPI_Reduce_scatter_block_c(memory, out, huge, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  REFUSED(MPI_Reduce_scatter_c(memory, out, large, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  REFUSED(MPI_Scan_c(memory, out, huge, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  REFUSED(MPI_Exscan_c(memory, out, huge, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  REFUSED(MPI_Reduce_local_c(memory, out, huge, MPI_DOUBLE, MPI_SUM));
  REFUSED(MPI_Gather_c(memory, huge, MPI_DOUBLE, out, huge, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Scatter_c(memory, huge, MPI_DOUBLE, out, huge, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  REFUSED(MPI_Allgather_c(memory, huge, MPI_DOUBLE, out, huge, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Alltoall_c(memory, huge, MPI_DOUBLE, out, huge, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Allgatherv_c(memory, huge, MPI_DOUBLE, out, large, at, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Allgatherv_c(memory, 1, MPI_DOUBLE, out, counts, far, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Alltoallv_c(memory, large, at, MPI_DOUBLE, out, large, at, MPI_DOUBLE, MPI_COMM_WORLD));
  REFUSED(MPI_Alltoallv_c(memory, counts, far, MPI_DOUBLE, out, counts, far, MPI_DOUBLE, MPI_COMM_WORLD));
  if (ranks > 1) { /* rank 0's own block lies at 0, however long a block is */
    REFUSED(MPI_Allgather(memory, 1, MPI_DOUBLE, out, 1 << 30, wide, MPI_COMM_WORLD));
  }
}

static void windows(void) {
  MPI_Win win;
  char* base = NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  static double own[4];
  MPI_Win_fence(0, win);
  REFUSED(MPI_Put(own, 1, MPI_DOUBLE, me, (MPI_Aint)huge, 1, MPI_DOUBLE, win));
  REFUSED(MPI_Get(own, 1, MPI_DOUBLE, me, (MPI_Aint)huge, 1, MPI_DOUBLE, win));
  REFUSED(MPI_Put_c(own, huge, MPI_DOUBLE, me, 0, huge, MPI_DOUBLE, win));
  REFUSED(MPI_Get_c(own, huge, MPI_DOUBLE, me, 0, huge, MPI_DOUBLE, win));
  REFUSED(MPI_Put(own, 1, MPI_DOUBLE, me, 0, 16, wide, win));
  REFUSED(MPI_Accumulate_c(own, huge, MPI_DOUBLE, me, 0, huge, MPI_DOUBLE, MPI_SUM, win));
  REFUSED(MPI_Accumulate(own, 1, MPI_DOUBLE, me, (MPI_Aint)huge, 1, MPI_DOUBLE, MPI_SUM, win));
  REFUSED(MPI_Get_accumulate_c(own, huge, MPI_DOUBLE, own, huge, MPI_DOUBLE, me, 0, huge, MPI_DOUBLE, MPI_SUM, win));
  REFUSED(MPI_Fetch_and_op(own, own + 1, MPI_DOUBLE, me, (MPI_Aint)huge, MPI_SUM, win));
  REFUSED(MPI_Compare_and_swap(own, own + 1, own + 2, MPI_INT64_T, me, (MPI_Aint)huge, win));
  MPI_Win_fence(0, win);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  REFUSED(MPI_Rput_c(own, huge, MPI_DOUBLE, me, 0, huge, MPI_DOUBLE, win, &request));
  REFUSED(MPI_Rget_c(own, huge, MPI_DOUBLE, me, 0, huge, MPI_DOUBLE, win, &request));
  MPI_Win_unlock(me, win);
  MPI_Win_free(&win);
  REFUSED(MPI_Alloc_mem(INT64_MAX, MPI_INFO_NULL, &base));
  REFUSED(MPI_Win_allocate(INT64_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  REFUSED(MPI_Win_allocate_shared(INT64_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
}

static void files(void) {
  MPI_File file;
  MPI_Status status;
  char name[64];
  snprintf(name, sizeof name, "huge.%d.%d.tmp", ranks, me);
  CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  REFUSED(MPI_File_write_at_c(file, 0, memory, huge, MPI_DOUBLE, &status));
  REFUSED(MPI_File_read_at_c(file, 0, memory, huge, MPI_DOUBLE, &status));
  REFUSED(MPI_File_write_c(file, memory, huge, MPI_DOUBLE, &status));
  REFUSED(MPI_File_write_at(file, INT64_MAX - 4, memory, 1, MPI_DOUBLE, &status));
  MPI_File_set_view(file, 16, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  REFUSED(MPI_File_write_at(file, (MPI_Offset)huge, memory, 1, MPI_DOUBLE, &status));
  REFUSED(MPI_File_read_at(file, (MPI_Offset)huge, memory, 1, MPI_DOUBLE, &status));
  REFUSED(MPI_File_seek(file, (MPI_Offset)huge, MPI_SEEK_SET) == MPI_SUCCESS
              ? MPI_File_write(file, memory, 1, MPI_DOUBLE, &status)
              : MPI_ERR_ARG);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(MPI_Type_create_resized_c(MPI_DOUBLE, 0, huge, &wide) == MPI_SUCCESS);
  MPI_Type_commit(&wide);
  types();
  packs();
  messages();
  collectives();
  windows();
  files();
  MPI_Type_free(&wide);
  CHECK(faults == 0);
  MPI_Finalize();
  return 0;
}
