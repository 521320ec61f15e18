/* SPDX-License-Identifier: Apache-2.0 */
/* Segments and queries, put and get in all their forms, events, barriers with and without names. */
#include "harness.h"

static void queries(int argc) {
  CHECK(argc >= 1 && strcmp(gex_Client_QueryName(client), "TEST") == 0 && gex_Client_QueryFlags(client) == 0);
  CHECK(gex_System_QueryJobRank() == me && gex_System_QueryJobSize() == ranks);
  CHECK(gex_TM_QueryClient(world) == client && gex_TM_QueryEP(world) == endpoint && gex_TM_QueryFlags(world) == 0);
  CHECK(gex_EP_QueryClient(endpoint) == client && gex_EP_QuerySegment(endpoint) == segment);
  CHECK(gex_EP_QueryFlags(endpoint) == 0 && gex_EP_QueryIndex(endpoint) == 0);
  CHECK(gex_Segment_QueryClient(segment) == client && gex_Segment_QueryFlags(segment) == 0);
  CHECK(gex_Segment_QuerySize(segment) == SEGMENT && (uintptr_t)gex_Segment_QueryAddr(segment) % GASNET_PAGESIZE == 0);
  CHECK(gex_TM_TranslateRankToJobrank(world, me) == me && gex_TM_TranslateJobrankToRank(world, me) == me);
  CHECK(gex_TM_TranslateRankToEP(world, me, 0).gex_rank == me);
  int word[4];
  gex_Client_SetCData(client, word);
  gex_Segment_SetCData(segment, word + 1);
  gex_EP_SetCData(endpoint, word + 2);
  gex_TM_SetCData(world, word + 3);
  CHECK(gex_Client_QueryCData(client) == word && gex_Segment_QueryCData(segment) == word + 1);
  CHECK(gex_EP_QueryCData(endpoint) == word + 2 && gex_TM_QueryCData(world) == word + 3);

  void *owner, *local;
  uintptr_t size;
  CHECK(gex_Segment_QueryBound(world, me, &owner, &local, &size) == GASNET_OK);
  CHECK(owner == gex_Segment_QueryAddr(segment) && local == owner && size == SEGMENT);
  CHECK(gex_EP_PublishBoundSegment(world, &endpoint, 1, 0) == GASNET_OK);
  CHECK(gasnet_getMaxLocalSegmentSize() >= gasnet_getMaxGlobalSegmentSize() &&
        gasnet_getMaxGlobalSegmentSize() >= SEGMENT);

  gex_RankInfo_t* info;
  gex_Rank_t count, at, hosts, host, sets, set;
  gex_System_QueryHostInfo(&info, &count, &at);
  CHECK(count >= 1 && info[at].gex_jobrank == me);
  gex_System_QueryNbrhdInfo(&info, &count, &at);
  CHECK(count >= 1 && info[at].gex_jobrank == me);
  gex_System_QueryMyPosition(&sets, &set, &hosts, &host);
  CHECK(host < hosts && set < sets);
  CHECK(gex_System_QueryMaxThreads() >= 1 &&
        gex_System_QueryHiddenAMConcurrencyLevel() <= GASNET_HIDDEN_AM_CONCURRENCY_LEVEL);
  unsigned threads;
  const gex_ProgressThreadInfo_t* thread_info;
  gex_System_SetVerboseErrors(0);
  CHECK(gex_System_GetVerboseErrors() == 0);
  CHECK(gex_System_QueryProgressThreads(client, &threads, &thread_info, 0) == GASNET_ERR_RESOURCE);
  gex_EP_t other;
  CHECK(gex_EP_Create(&other, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_ERR_RESOURCE);
  gex_Segment_t second;
  CHECK(gex_Segment_Attach(&second, world, GASNET_PAGESIZE) == GASNET_ERR_RESOURCE);
  gex_System_SetVerboseErrors(1);
  CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK);
  CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_BAD_ARG), "GASNET_ERR_BAD_ARG") == 0 && gasnet_ErrorDesc(GASNET_OK)[0] != 0);
}

enum { AREA = 1 << 16 };

static void fill(unsigned char* at, size_t bytes, unsigned seed) {
  for (size_t i = 0; i < bytes; ++i) at[i] = (unsigned char)(i * 7 + seed);
}

/* Each rank has an area in the segment of each other; no other rank writes there. */
static void put_and_get(gex_Rank_t to, gex_TM_t tm) {
  static unsigned char from[AREA], back[AREA];
  char* there = segment_of(to) + (size_t)me * AREA;
  const size_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 63, 64, 65, 4096, AREA - 8};
  for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s)
    for (size_t shift = 0; shift < 8; shift += 5) {
      const size_t bytes = sizes[s];
      for (int form = 0; form < 5; ++form) {
        gex_Event_t event = GEX_EVENT_INVALID, local = GEX_EVENT_INVALID;
        fill(from, bytes, (unsigned)(form + s * 5 + shift));
        memset(back, 0, bytes);
        if (form == 0) CHECK(gex_RMA_PutBlocking(tm, to, there + shift, from, bytes, 0) == 0);
        if (form == 1) event = gex_RMA_PutNB(tm, to, there + shift, from, bytes, GEX_EVENT_DEFER, 0);
        if (form == 2) event = gex_RMA_PutNB(tm, to, there + shift, from, bytes, &local, 0);
        if (form == 3) CHECK(gex_RMA_PutNBI(tm, to, there + shift, from, bytes, GEX_EVENT_NOW, 0) == 0);
        if (form == 4) {
          gex_NBI_BeginAccessRegion(0);
          CHECK(gex_RMA_PutNBI(tm, to, there + shift, from, bytes, GEX_EVENT_GROUP, 0) == 0);
          event = gex_NBI_EndAccessRegion(0);
        }
        gex_Event_Wait(local);
        gex_Event_Wait(event);
        gex_NBI_Wait(GEX_EC_ALL, 0);
        if (form % 3 == 0) CHECK(gex_RMA_GetBlocking(tm, back, to, there + shift, bytes, 0) == 0);
        if (form % 3 == 1) gex_Event_Wait(gex_RMA_GetNB(tm, back, to, there + shift, bytes, 0));
        if (form % 3 == 2) {
          CHECK(gex_RMA_GetNBI(tm, back, to, there + shift, bytes, 0) == 0);
          while (gex_NBI_Test(GEX_EC_GET, 0) != GASNET_OK) {}
        }
        CHECK(memcmp(from, back, bytes) == 0);
      }
    }
}

static void values(gex_Rank_t to) {
  char* there = segment_of(to) + (size_t)me * AREA;
  for (size_t bytes = 1; bytes <= sizeof(gex_RMA_Value_t); ++bytes)
    for (size_t shift = 0; shift < 8; shift += 3) {
      const gex_RMA_Value_t mask = bytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << (8 * bytes)) - 1;
      const gex_RMA_Value_t value = UINT64_C(0x8182838485868788) + shift;
      CHECK(gex_RMA_PutBlockingVal(world, to, there + shift, value, bytes, 0) == 0);
      CHECK(gex_RMA_GetBlockingVal(world, to, there + shift, bytes, 0) == (value & mask));
      gex_Event_Wait(gex_RMA_PutNBVal(world, to, there + shift, value + 1, bytes, 0));
      CHECK(gex_RMA_GetBlockingVal(world, to, there + shift, bytes, 0) == ((value + 1) & mask));
      CHECK(gex_RMA_PutNBIVal(world, to, there + shift, value + 2, bytes, 0) == 0);
      gex_NBI_Wait(GEX_EC_PUT, 0);
      CHECK(gex_RMA_GetBlockingVal(world, to, there + shift, bytes, 0) == ((value + 2) & mask));
    }
}

static void events(void) {
  gex_Event_t several[4];
  for (int i = 0; i < 4; ++i) several[i] = gex_Coll_BarrierNB(world, 0);
  while (gex_Event_TestSome(several, 4, 0) != GASNET_OK) gasnet_AMPoll();
  gex_Event_WaitSome(several, 4, 0);
  gex_Event_WaitAll(several, 4, 0);
  for (int i = 0; i < 4; ++i) CHECK(several[i] == GEX_EVENT_INVALID);
  CHECK(gex_Event_TestAll(several, 4, 0) == GASNET_OK && gex_Event_TestSome(several, 4, 0) == GASNET_OK);
  gex_Event_t one = gex_Coll_BarrierNB(world, 0);
  CHECK(gex_Event_QueryLeaf(GEX_EVENT_INVALID, GEX_EC_LC) == GEX_EVENT_INVALID);
  while (gex_Event_Test(one) != GASNET_OK) gasnet_AMPoll();
  gex_Coll_BarrierBlocking(world, 0);
}

static void names(void) {
  int name = 0;
  for (int round = 0; round < 10; ++round) {
    gasnet_barrier_notify(round, 0);
    CHECK(gasnet_barrier_wait(round, 0) == GASNET_OK && gasnet_barrier_result(&name) == 0 && name == round);
    gasnet_barrier_notify(round, GASNET_BARRIERFLAG_ANONYMOUS);
    int code;
    while ((code = gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS)) == GASNET_ERR_NOT_READY) {}
    CHECK(code == GASNET_OK && gasnet_barrier_result(&name) != 0);
    /* One without a name takes that of the others. */
    const int flags = me == (gex_Rank_t)round % ranks ? GASNET_BARRIERFLAG_ANONYMOUS : 0;
    CHECK(gasnet_barrier(5, flags) == GASNET_OK && (ranks == 1 || (gasnet_barrier_result(&name) == 0 && name == 5)));
    CHECK(gasnet_barrier(0, me == 0 ? GASNET_BARRIERFLAG_MISMATCH : 0) == GASNET_ERR_BARRIER_MISMATCH);
    if (ranks > 1) CHECK(gasnet_barrier((int)me, 0) == GASNET_ERR_BARRIER_MISMATCH);
    gasnet_barrier_notify(1, 0);
    CHECK(gasnet_barrier_wait(2, 0) == GASNET_ERR_BARRIER_MISMATCH);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv, NULL, 0);
  queries(argc);
  barrier();
  CHECK(ranks <= SEGMENT / AREA);
  for (gex_Rank_t to = 0; to < ranks; ++to) {
    put_and_get((me + to) % ranks, world);
    if (to < 2) put_and_get((me + to) % ranks, gex_TM_Pair(endpoint, 0));
    values(to);
  }
  events();
  names();
  gex_HSL_t lock = GEX_HSL_INITIALIZER;
  gex_HSL_Init(&lock);
  gex_HSL_Lock(&lock);
  CHECK(gex_HSL_Trylock(&lock) == GASNET_ERR_NOT_READY);
  gex_HSL_Unlock(&lock);
  CHECK(gex_HSL_Trylock(&lock) == GASNET_OK);
  gex_HSL_Unlock(&lock);
  gex_HSL_Destroy(&lock);
  barrier();
  gasnet_exit(0);
}
