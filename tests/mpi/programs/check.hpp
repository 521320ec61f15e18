// SPDX-License-Identifier: Apache-2.0
// What the programs here have in common: a failed check names itself and ends the job.
#pragma once

#include <mpi.h>

#include <cstdio>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      std::fprintf(stderr, "%s:%d: rank %d: not so: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3); \
    } \
  } while (0)

inline int rank, size;

inline int class_of(int code) {
  int error_class;
  MPI_Error_class(code, &error_class);
  return error_class;
}
