/* SPDX-License-Identifier: Apache-2.0
 * Files written from and read to device memory, packing, and errors of the driver. */
#include <unistd.h>

#include "device.h"

enum { COUNT = 4000 };

static void files(void) {
  char path[64];
  snprintf(path, sizeof(path), "/tmp/atoll-device-%d", (int)getpid());
  MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_File file;
  MPI_Status status;
  CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  int *out = ints_on_device(COUNT, me * COUNT), *in = ints_on_device(COUNT, -1), got;
  const MPI_Offset mine = (MPI_Offset)me * COUNT * sizeof(int);
  CHECK(MPI_File_write_at_all(file, mine, out, COUNT, MPI_INT, &status) == MPI_SUCCESS);
  MPI_Get_count(&status, MPI_INT, &got);
  CHECK(got == COUNT);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (me + 1) % ranks;
  CHECK(MPI_File_read_at(file, (MPI_Offset)other * COUNT * sizeof(int), in, COUNT, MPI_INT, &status) == MPI_SUCCESS);
  CHECK(holds_ints(in, COUNT, other * COUNT, 1));
  MPI_Request request;
  MPI_Datatype every_second;
  MPI_Type_vector(COUNT / 2, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  CUDA(cuMemsetD8_v2((CUdeviceptr)in, 0, COUNT * sizeof(int)));
  MPI_File_iread_at(file, mine, in, 1, every_second, &request);
  MPI_Wait(&request, &status);
  int host[4];
  from_device(host, in, sizeof(host));
  CHECK(host[0] == me * COUNT && host[1] == 0 && host[2] == me * COUNT + 1 && host[3] == 0);
  MPI_Type_free(&every_second);
  /* beyond the end nothing is read */
  MPI_File_read_at(file, (MPI_Offset)ranks * COUNT * sizeof(int) - 8, in, COUNT, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &got);
  CHECK(got == 2 && holds_ints(in, 2, ranks * COUNT - 2, 1));
  MPI_File_close(&file);
  free_device(in);
  free_device(out);
}

static void packing(void) {
  int *out = ints_on_device(COUNT, 3), *packed = ints_on_device(COUNT, 0), position = 0;
  static int host[COUNT];
  MPI_Pack(out, COUNT, MPI_INT, host, sizeof(host), &position, MPI_COMM_WORLD);
  CHECK(position == sizeof(host) && host[COUNT - 1] == COUNT + 2);
  position = 0;
  MPI_Pack(out, COUNT, MPI_INT, packed, sizeof(host), &position, MPI_COMM_WORLD);
  position = 0;
  CUDA(cuMemsetD8_v2((CUdeviceptr)out, 0, sizeof(host)));
  MPI_Unpack(packed, sizeof(host), &position, out, COUNT, MPI_INT, MPI_COMM_WORLD);
  CHECK(holds_ints(out, COUNT, 3, 1));
  free_device(packed);
  free_device(out);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  begin_device();
  files();
  packing();
  MPI_Finalize();
  return 0;
}
