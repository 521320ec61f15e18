/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks write a file together, round after round; each round's file takes the place of the last one's when it is
 * complete. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 20000 };

int main(int argc, char** argv) {
  char aside[4096], path[4096];
  int rank, size;
  (void)argc;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(path, sizeof path, "%s/out", argv[1]);
  snprintf(aside, sizeof aside, "%s/aside", argv[1]);
  const int begin = rows * rank / size, count = rows * (rank + 1) / size - begin;
  long* mine = malloc(sizeof(long) * (size_t)count);
  for (long version = 1;; ++version) {
    MPI_File file;
    MPI_Status status;
    for (int i = 0; i < count; ++i) mine[i] = version * rows + begin + i;
    MPI_File_open(MPI_COMM_WORLD, aside, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, (MPI_Offset)begin * (MPI_Offset)sizeof(long), mine, count, MPI_LONG, &status);
    MPI_File_sync(file);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && rename(aside, path) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    if (version == 2) {
      printf("ready %d\n", rank);
      fflush(stdout);
    }
  }
}
