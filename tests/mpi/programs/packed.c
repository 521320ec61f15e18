/* SPDX-License-Identifier: Apache-2.0
 * Copies of messages that are not in one piece: they leave the heap to the program, and all together there is an end to
 * them. ATOLL_HEAP_SIZE=160M ATOLL_MEMORY_LIMIT=200M. */
#include "check.h"

#define DOUBLES (1 << 17)
#define MOST 256

int main(int argc, char** argv) {
  static double from[2 * DOUBLES], to[DOUBLES];
  MPI_Request requests[MOST];
  MPI_Datatype every_second;
  void* block;
  int sent, i, code = MPI_SUCCESS;
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_vector(DOUBLES, 1, 2, MPI_DOUBLE, &every_second);
  MPI_Type_commit(&every_second);
  for (i = 0; i < DOUBLES; ++i) from[2 * i] = me + i;
  for (sent = 0; sent < MOST; ++sent) {
    code = MPI_Isend(from, 1, every_second, (me + 1) % ranks, sent, MPI_COMM_WORLD, &requests[sent]);
    if (code != MPI_SUCCESS) break;
    if (sent == 100) {
      FAILS(MPI_Alloc_mem(8 << 20, MPI_INFO_NULL, &block), MPI_SUCCESS);
      MPI_Free_mem(block);
    }
  }
  CHECK(class_of(code) == MPI_ERR_NO_MEM && sent > 100 && sent < MOST);
  /* What has been begun comes, and then there is room again. */
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  for (i = 0; i < sent; ++i) {
    MPI_Recv(to, DOUBLES, MPI_DOUBLE, (me + ranks - 1) % ranks, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(to[1] == (me + ranks - 1) % ranks + 1);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  MPI_Isend(from, 1, every_second, (me + 1) % ranks, MOST, MPI_COMM_WORLD, requests);
  MPI_Recv(to, DOUBLES, MPI_DOUBLE, (me + ranks - 1) % ranks, MOST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_second);
  MPI_Finalize();
  return 0;
}
