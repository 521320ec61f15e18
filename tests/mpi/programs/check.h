/* SPDX-License-Identifier: Apache-2.0
 * Shared code of the programs in this folder: checks that name the line, and this rank's identity. */
#ifndef CHECK_H
#define CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks;

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, me, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3); \
    } \
  } while (0)

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* The class of the error that `call` returns. */
static inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}
#define FAILS(call, wanted) CHECK(class_of(call) == (wanted))
#endif
