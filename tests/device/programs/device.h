/* SPDX-License-Identifier: Apache-2.0
 * Memory of devices, which the host may not touch. */
#ifndef DEVICE_H
#define DEVICE_H
#include <cuda.h>

#include "check.h"

#define CUDA(call) CHECK((call) == CUDA_SUCCESS)

#pragma weak fakeCalls
/* Whether the driver is the fake one. The programs run on real ones, too: see scripts/gpu-check. */
static inline int is_fake(void) { return fakeCalls != NULL; }

static int devices;

/* A context of a device on this thread: ranks take the devices in turn. */
static inline void begin_device(void) {
  CUcontext context;
  CUDA(cuInit(0));
  CUDA(cuDeviceGetCount(&devices));
  CUDA(cuDevicePrimaryCtxRetain(&context, me % devices));
  CUDA(cuCtxSetCurrent(context));
}

static inline void* on_device(size_t bytes) {
  CUdeviceptr address = 0;
  CUDA(cuMemAlloc_v2(&address, bytes));
  return (void*)address;
}
static inline void free_device(void* memory) { CUDA(cuMemFree_v2((CUdeviceptr)memory)); }
static inline void to_device(void* to, const void* from, size_t bytes) {
  CUDA(cuMemcpyHtoD_v2((CUdeviceptr)to, from, bytes));
}
static inline void from_device(void* to, const void* from, size_t bytes) {
  CUDA(cuMemcpyDtoH_v2(to, (CUdeviceptr)from, bytes));
}
/* Memory that holds first, first + 1, and so on. */
static inline int* ints_on_device(size_t count, int first) {
  int* host = malloc(count * sizeof(int) + 1);
  for (size_t i = 0; i < count; ++i) host[i] = first + (int)i;
  int* device = on_device(count * sizeof(int) + 1);
  to_device(device, host, count * sizeof(int));
  free(host);
  return device;
}
/* Whether it holds first, first + step, and so on. */
static inline int holds_ints(const int* device, size_t count, int first, int step) {
  int* host = malloc(count * sizeof(int) + 1);
  from_device(host, device, count * sizeof(int));
  int all = 1;
  for (size_t i = 0; i < count; ++i) all = all && host[i] == first + step * (int)i;
  free(host);
  return all;
}
#endif
