/* SPDX-License-Identifier: Apache-2.0
 * A driver that the program loads after MPI_Init is found; before that there is none. */
#include <dlfcn.h>
#include <mpi-ext.h>

#include "check.h"

static int has_cuda(void) {
  char value[MPI_MAX_INFO_VAL];
  MPI_Info info;
  int flag;
  MPI_Comm_get_info(MPI_COMM_SELF, &info);
  MPI_Info_get(info, "mpi_memory_alloc_kinds", sizeof(value) - 1, value, &flag);
  MPI_Info_free(&info);
  CHECK(flag && strstr(value, "system") != NULL);
  return strstr(value, "cuda:device") != NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(!MPIX_Query_cuda_support() && !has_cuda());
  /* another library comes and goes first */
  void* other = dlopen("libutil.so.1", RTLD_NOW);
  CHECK(!MPIX_Query_cuda_support());
  if (other != NULL) dlclose(other);
  CHECK(!MPIX_Query_cuda_support());
  CHECK(dlopen(DRIVER, RTLD_NOW) != NULL);
  CHECK(MPIX_Query_cuda_support() && has_cuda());
  MPI_Finalize();
  return 0;
}
