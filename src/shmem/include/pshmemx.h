/* SPDX-License-Identifier: Apache-2.0
   What a profiling library needs of the extensions. */
#ifndef PSHMEMX_H
#define PSHMEMX_H
#include <shmemx.h>
#endif
