/* SPDX-License-Identifier: Apache-2.0 */
/* GASNet-EX on Atoll: memory kinds. There is one, the host's. */
#ifndef GASNET_ATOLL_MK_H
#define GASNET_ATOLL_MK_H

#include "gasnetex.h"

#endif
