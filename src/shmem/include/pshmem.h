/* SPDX-License-Identifier: Apache-2.0
   What a profiling library needs: types, constants and the pshmem_ names. */
#ifndef PSHMEM_H
#define PSHMEM_H
#include <shmem.h>
#endif
