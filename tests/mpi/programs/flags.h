/* SPDX-License-Identifier: Apache-2.0
 * Flags that ranks set and see without a call of MPI. They lie in a file, because ranks on pretended hosts share no
 * memory. */
#ifndef FLAGS_H
#define FLAGS_H
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

enum { FLAGS = 1024 };
static volatile int* flags;

/* Collective. */
static inline void share_flags(void) {
  char path[64] = "/tmp/atoll-flags-XXXXXX";
  int file = -1;
  if (me == 0) {
    file = mkstemp(path);
    CHECK(file >= 0 && ftruncate(file, FLAGS * sizeof(int)) == 0);
  }
  MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (me != 0) file = open(path, O_RDWR);
  CHECK(file >= 0);
  flags = mmap(NULL, FLAGS * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(flags != MAP_FAILED);
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) unlink(path);
}

static inline void set_flag(int number) {
  __sync_synchronize();
  flags[number] = 1;
}
static inline int flag(int number) {
  int set = flags[number];
  __sync_synchronize();
  return set;
}
#endif
