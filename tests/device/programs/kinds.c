/* SPDX-License-Identifier: Apache-2.0
 * Memory allocation kinds, with a driver in the process. */
#include <mpi-ext.h>

#include "device.h"

static int has(const char* value, const char* kind) {
  const size_t length = strlen(kind);
  for (const char* at = value; (at = strstr(at, kind)) != NULL; at += length)
    if ((at == value || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return 1;
  return 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  begin_device();
  MPI_Info info;
  char value[MPI_MAX_INFO_VAL];
  int flag = 0, supported = 0;
  CHECK(MPIX_Query_cuda_support() == 1 && MPIX_Query_hip_support() == 0 && MPIX_Query_rocm_support() == 0);
  CHECK(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported);
  CHECK(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_ZE, &supported) == MPI_SUCCESS && !supported);
  MPI_Comm_get_info(MPI_COMM_WORLD, &info);
  MPI_Info_get(info, "mpi_memory_alloc_kinds", sizeof(value) - 1, value, &flag);
  CHECK(flag && has(value, "system") && has(value, "mpi") && has(value, "mpi:alloc_mem"));
  CHECK(has(value, "cuda:device") && has(value, "cuda:host") && has(value, "cuda:managed") && !has(value, "rocm"));
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
