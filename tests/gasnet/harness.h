/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs here have in common: a check that ends the job, and a client with a segment. */
#ifndef GASNET_TEST_HARNESS_H
#define GASNET_TEST_HARNESS_H

#include <gasnet.h>
#include <gasnet_tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      gasnet_exit(1); \
    } \
  } while (0)

enum { SEGMENT = 1 << 20 };

static gex_Client_t client;
static gex_EP_t endpoint;
static gex_TM_t world;
static gex_Segment_t segment;
static gex_Rank_t me, ranks;

static inline void start(int* argc, char*** argv, gex_AM_Entry_t* handlers, size_t count) {
  CHECK(gex_Client_Init(&client, &endpoint, &world, "TEST", argc, argv, 0) == GASNET_OK);
  me = gex_TM_QueryRank(world);
  ranks = gex_TM_QuerySize(world);
  CHECK(gex_EP_RegisterHandlers(endpoint, handlers, count) == GASNET_OK);
  CHECK(gex_Segment_Attach(&segment, world, SEGMENT) == GASNET_OK);
}

static inline void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); }

static inline char* segment_of(gex_Rank_t rank) {
  void* address = NULL;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &address, NULL, NULL, 0));
  return (char*)address;
}

#endif
