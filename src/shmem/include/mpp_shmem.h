/* SPDX-License-Identifier: Apache-2.0
   Deprecated place of shmem.h. */
#include "../shmem.h"
