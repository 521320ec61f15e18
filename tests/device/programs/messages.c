/* SPDX-License-Identifier: Apache-2.0
 * Point to point with buffers on devices: around a ring, where each rank's device differs from its neighbour's. */
#include "device.h"

static int to, from;

static void ring(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int got;
  MPI_Irecv(in, in_count, in_type, from, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, out_count, out_type, to, 1, MPI_COMM_WORLD, &requests[1]);
  CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
  MPI_Get_count(&statuses[0], in_type, &got);
  CHECK(got == in_count && statuses[0].MPI_SOURCE == from);
}

static void sizes(void) {
  static const int counts[] = {1, 2, 1000, 4096, 5000, 131072, 131073, 1000000};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    const int count = counts[i];
    int *out = ints_on_device(count, me), *in = ints_on_device(count, -7);
    int* host = malloc(count * sizeof(int));
    ring(out, count, MPI_INT, in, count, MPI_INT);
    CHECK(holds_ints(in, count, from, 1));
    /* one side on the host */
    ring(out, count, MPI_INT, host, count, MPI_INT);
    for (int k = 0; k < count; ++k) {
      CHECK(host[k] == from + k);
      host[k] = me - k;
    }
    ring(host, count, MPI_INT, in, count, MPI_INT);
    CHECK(holds_ints(in, count, from, -1));
    free(host);
    free_device(in);
    free_device(out);
  }
}

/* Buffers that are used and freed leave nothing behind when their addresses are used again. */
static void used_again(void) {
  for (int i = 0; i < 8; ++i) {
    int *out = ints_on_device(3000, i), *in = ints_on_device(3000, -1);
    ring(out, 3000, MPI_INT, in, 3000, MPI_INT);
    CHECK(holds_ints(in, 3000, i, 1));
    free_device(out);
    free_device(in);
  }
}

static void types(void) {
  enum { ROWS = 700, COLUMNS = 12 };
  int *out = ints_on_device(ROWS * COLUMNS, 0), *in = ints_on_device(ROWS * COLUMNS, 0);
  static int host[ROWS * COLUMNS];
  MPI_Datatype column, irregular;
  MPI_Type_vector(ROWS, 2, COLUMNS, MPI_INT, &column);
  MPI_Type_commit(&column);
  CUDA(cuMemsetD8_v2((CUdeviceptr)in, 0xFF, sizeof(host)));
  ring(out + 3, 1, column, in + 5, 1, column);
  from_device(host, in, sizeof(host));
  for (int i = 0; i < ROWS * COLUMNS; ++i) CHECK(host[i] == (i % COLUMNS == 5 || i % COLUMNS == 6 ? i - 2 : -1));
  /* a type on one side, a row of elements on the other */
  ring(out + 3, 1, column, in, 2 * ROWS, MPI_INT);
  from_device(host, in, sizeof(host));
  for (int i = 0; i < 2 * ROWS; ++i) CHECK(host[i] == i / 2 * COLUMNS + 3 + i % 2);
  static int lengths[100], places[100];
  int length = 0;
  for (int i = 0; i < 100; ++i) lengths[i] = i % 3, places[i] = 7 * i + i * i % 5, length += lengths[i];
  MPI_Type_indexed(100, lengths, places, MPI_INT, &irregular);
  MPI_Type_commit(&irregular);
  ring(out, 1, irregular, in, length, MPI_INT);
  from_device(host, in, sizeof(host));
  for (int i = 0, at = 0; i < 100; ++i)
    for (int k = 0; k < lengths[i]; ++k) CHECK(host[at++] == places[i] + k);
  /* pieces at absolute addresses: the first on the host, the second on the device */
  MPI_Datatype mixed;
  int here[2] = {me, me + 1};
  int ones[2] = {2, 3};
  MPI_Aint places_of[2];
  MPI_Get_address(here, &places_of[0]);
  MPI_Get_address(out + 10, &places_of[1]);
  MPI_Type_create_hindexed(2, ones, places_of, MPI_INT, &mixed);
  MPI_Type_commit(&mixed);
  ring(MPI_BOTTOM, 1, mixed, in, 5, MPI_INT);
  from_device(host, in, 5 * sizeof(int));
  CHECK(host[0] == from && host[1] == from + 1 && host[2] == 10 && host[4] == 12);
  MPI_Type_free(&mixed);
  MPI_Type_free(&irregular);
  MPI_Type_free(&column);
  free_device(in);
  free_device(out);
}

static void modes(void) {
  enum { COUNT = 20000 };
  int *out = ints_on_device(COUNT, me), *in = ints_on_device(COUNT, 0);
  MPI_Request requests[2];
  MPI_Recv_init(in, COUNT, MPI_INT, from, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, COUNT, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    int* next = ints_on_device(COUNT, me + round);
    CUDA(cuMemcpy((CUdeviceptr)out, (CUdeviceptr)next, COUNT * sizeof(int)));
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(holds_ints(in, COUNT, from + round, 1));
    free_device(next);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  int* replaced = ints_on_device(COUNT, 5 * me);
  MPI_Sendrecv_replace(replaced, COUNT, MPI_INT, to, 3, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(holds_ints(replaced, COUNT, 5 * from, 1));
  MPI_Sendrecv(replaced, COUNT, MPI_INT, to, 3, in, COUNT, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(holds_ints(in, COUNT, 5 * ((from + ranks - 1) % ranks), 1));
  free_device(replaced);
  static char attached[1 << 20];
  void* back;
  int bytes;
  MPI_Buffer_attach(attached, sizeof(attached));
  to_device(out, &me, sizeof(me));
  MPI_Bsend(out, 1, MPI_INT, to, 4, MPI_COMM_WORLD);
  MPI_Message message;
  MPI_Mprobe(from, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(holds_ints(in, 1, from, 1));
  MPI_Buffer_detach(&back, &bytes);
  MPI_Psend_init(out, 4, COUNT / 4, MPI_INT, to, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, 2, COUNT / 2, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    MPI_Startall(2, requests);
    for (int part = 0; part < 4; ++part) MPI_Pready((part + round) % 4, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    int first;
    from_device(&first, in, sizeof(first));
    CHECK(first == from && holds_ints(in + 1, COUNT - 1, from + 1 + 2, 1));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  free_device(in);
  free_device(out);
}

/* What the default streams still do is in the message, and nothing that follows a receive sees less than all of it. */
static void streams(void) {
  enum { BYTES = 300000 };
  unsigned char *out = on_device(BYTES), *in = on_device(BYTES), *copy = on_device(BYTES);
  unsigned char* host = malloc(BYTES);
  for (int round = 0; round < 4; ++round) {
    const CUstream stream = round % 2 ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
    CUDA(cuMemsetD8Async((CUdeviceptr)out, 1, BYTES, stream));
    CUDA(cuMemsetD8Async((CUdeviceptr)out, me + round, BYTES, stream));
    ring(out, BYTES, MPI_BYTE, in, BYTES, MPI_BYTE);
    CUDA(cuMemcpyAsync((CUdeviceptr)copy, (CUdeviceptr)in, BYTES, stream));
    CUDA(cuStreamSynchronize(stream));
    from_device(host, copy, BYTES);
    for (int i = 0; i < BYTES; ++i) CHECK(host[i] == from + round);
  }
  free(host);
  free_device(copy);
  free_device(in);
  free_device(out);
}

/* Memory of pools, mapped memory, managed and pinned memory, and that of another context and device. */
static void kinds(void) {
  enum { COUNT = 1024 };
  const size_t bytes = COUNT * sizeof(int);
  int* in = ints_on_device(COUNT, 0);
  CUdeviceptr memory;
  int host[COUNT];
  for (int i = 0; i < COUNT; ++i) host[i] = me + i;
  CUDA(cuMemAllocAsync(&memory, bytes, 0));
  to_device((void*)memory, host, bytes);
  ring((void*)memory, COUNT, MPI_INT, in, COUNT, MPI_INT);
  CHECK(holds_ints(in, COUNT, from, 1));
  CUDA(cuMemFreeAsync(memory, 0));
  if (is_fake()) { /* real drivers want properties of the memory */
    CUmemGenericAllocationHandle created;
    CUDA(cuMemAddressReserve(&memory, bytes, 0, 0, 0));
    CUDA(cuMemCreate(&created, bytes, NULL, 0));
    CUDA(cuMemMap(memory, bytes, 0, created, 0));
    ring(in, COUNT, MPI_INT, (void*)memory, COUNT, MPI_INT);
    CHECK(holds_ints((int*)memory, COUNT, (from + ranks - 1) % ranks, 1));
    CUDA(cuMemUnmap(memory, bytes));
    CUDA(cuMemRelease(created));
    CUDA(cuMemAddressFree(memory, bytes));
  }
  CUDA(cuMemAllocManaged(&memory, bytes, 1));
  memcpy((void*)memory, host, bytes);
  ring((void*)memory, COUNT, MPI_INT, in, COUNT, MPI_INT);
  CHECK(holds_ints(in, COUNT, from, 1));
  CUDA(cuMemFree_v2(memory));
  void* pinned;
  CUDA(cuMemAllocHost_v2(&pinned, bytes));
  ring(in, COUNT, MPI_INT, pinned, COUNT, MPI_INT);
  CHECK(((int*)pinned)[7] == (from + ranks - 1) % ranks + 7);
  CUDA(cuMemFreeHost(pinned));
  CUcontext other;
  CUDA(cuCtxCreate_v2(&other, 0, (me + 1) % devices));
  int* there = ints_on_device(COUNT, 100 + me);
  CUDA(cuCtxPopCurrent_v2(NULL));
  ring(there, COUNT, MPI_INT, in, COUNT, MPI_INT);
  CHECK(holds_ints(in, COUNT, 100 + from, 1));
  CUDA(cuCtxDestroy_v2(other));
  free_device(in);
}

static void faults(void) {
  int *out = ints_on_device(5000, 0), *in = ints_on_device(5000, -1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Request request;
  MPI_Isend(out, 5000, MPI_INT, to, 6, MPI_COMM_WORLD, &request);
  FAILS(MPI_Recv(in, 10, MPI_INT, from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(holds_ints(in, 10, 0, 1) && holds_ints(in + 10, 100, 9, 1));
  /* memory of a context that is gone */
  CUcontext other;
  CUDA(cuCtxCreate_v2(&other, 0, 0));
  int* lost = on_device(64);
  CUDA(cuCtxDestroy_v2(other));
  char text[MPI_MAX_ERROR_STRING];
  int length, code = MPI_Send(lost, 16, MPI_INT, to, 7, MPI_COMM_WORLD);
  CHECK(class_of(code) == MPI_ERR_OTHER);
  MPI_Error_string(code, text, &length);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  /* and the next message is as good as ever */
  ring(out, 5000, MPI_INT, in, 5000, MPI_INT);
  free_device(in);
  free_device(out);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  begin_device();
  to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  sizes();
  used_again();
  types();
  modes();
  streams();
  kinds();
  faults();
  MPI_Finalize();
  return 0;
}
