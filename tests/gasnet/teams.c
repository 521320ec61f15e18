/* SPDX-License-Identifier: Apache-2.0 */
/* Teams and their collectives, remote atomics, and transfers of vectors, indexed blocks and strided arrays. */
#include "harness.h"

/* -- teams --------------------------------------------------------------------------------------------------------- */

static void add_pairs(const void* left, void* right_and_out, size_t count, const void* data) {
  const int(*from)[2] = left;
  int(*into)[2] = right_and_out;
  CHECK(data == (void*)&segment);
  for (size_t i = 0; i < count; ++i)
    for (int part = 0; part < 2; ++part) into[i][part] += from[i][part];
}

static void collectives(gex_TM_t team) {
  const int size = (int)gex_TM_QuerySize(team), rank = (int)gex_TM_QueryRank(team);
  for (int root = 0; root < size; ++root) {
    int data[5000], given[5000];
    for (int i = 0; i < 5000; ++i) given[i] = rank == root ? i * 3 + root : -1;
    gex_Event_Wait(gex_Coll_BroadcastNB(team, (gex_Rank_t)root, data, given, sizeof(data), 0));
    for (int i = 0; i < 5000; ++i) CHECK(data[i] == i * 3 + root);
    double sum = 0, mine = rank + 1;
    gex_Event_Wait(
        gex_Coll_ReduceToOneNB(team, (gex_Rank_t)root, &sum, &mine, GEX_DT_DBL, 8, 1, GEX_OP_ADD, NULL, NULL, 0));
    CHECK(rank != root || sum == size * (size + 1) / 2);
  }
  int pairs[3][2] = {{rank, 1}, {2, rank}, {0, 0}}, sums[3][2];
  gex_Event_t one = gex_Coll_ReduceToAllNB(team, sums, pairs, GEX_DT_USER, 8, 3, GEX_OP_USER, add_pairs, &segment, 0);
  uint32_t mask = 1u << rank, all = 0;
  gex_Event_t two = gex_Coll_ReduceToAllNB(team, &all, &mask, GEX_DT_U32, 4, 1, GEX_OP_OR, NULL, NULL, 0);
  gex_Event_Wait(two);
  gex_Event_Wait(one);
  CHECK(all == (1u << size) - 1 && sums[0][0] == size * (size - 1) / 2 && sums[0][1] == size && sums[1][0] == 2 * size);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

static void teams(void) {
  collectives(world);
  CHECK(gex_TM_Split(NULL, world, 0, 0, NULL, 0, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED) == 0);
  /* Odd and even ranks, the highest first. */
  gex_TM_t half = GEX_TM_INVALID;
  gex_TM_Split(&half, world, (int)me % 2, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  const gex_Rank_t size = gex_TM_QuerySize(half);
  CHECK(size == (ranks + 1 - me % 2) / 2 && gex_TM_QueryRank(half) == size - 1 - me / 2);
  CHECK(gex_TM_TranslateRankToJobrank(half, gex_TM_QueryRank(half)) == me);
  CHECK(gex_TM_TranslateJobrankToRank(half, (me + 1) % 2) == GEX_RANK_INVALID || ranks == 1);
  collectives(half);
  for (gex_Rank_t rank = 0; rank < size; ++rank) {
    void* there = NULL;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(half, rank, &there, NULL, NULL, 0));
    uint64_t value = 77 + me, back = 0;
    gex_RMA_PutBlocking(half, rank, (char*)there + 8 * me, &value, 8, 0);
    gex_RMA_GetBlocking(half, &back, rank, (char*)there + 8 * me, 8, 0);
    CHECK(back == value);
  }
  CHECK(gex_TM_Destroy(half, NULL, 0) == 0);
  /* All but rank 0, in turned order, with memory of the client's. */
  gex_EP_Location_t members[64];
  CHECK(ranks <= 64);
  for (gex_Rank_t rank = 1; rank < ranks; ++rank) members[rank - 1] = (gex_EP_Location_t){ranks - rank, 0};
  gex_TM_t rest = GEX_TM_INVALID;
  gex_Addr_t scratch = segment_of(me);
  gex_TM_Create(&rest, 1, world, members, me != 0 ? ranks - 1 : 0, &scratch, GASNET_PAGESIZE,
                GEX_FLAG_TM_LOCAL_SCRATCH);
  if (me != 0) {
    gex_Memvec_t given;
    CHECK(gex_TM_QueryRank(rest) == ranks - 1 - me);
    collectives(rest);
    CHECK(gex_TM_Destroy(rest, &given, 0) != 0 && given.gex_addr == scratch && given.gex_len == GASNET_PAGESIZE);
  }
  barrier();
}

/* -- atomics ------------------------------------------------------------------------------------------------------ */

#define ATOMICS(code, type, is_integer) \
  static void atomics_##code(void) { \
    gex_AD_t domain; \
    const gex_OP_t bits = is_integer ? GEX_OP_AND | GEX_OP_FOR | GEX_OP_FXOR : 0; \
    gex_AD_Create(&domain, world, GEX_DT_##code, \
                  GEX_OP_SET | GEX_OP_GET | GEX_OP_SWAP | GEX_OP_FCAS | GEX_OP_ADD | GEX_OP_FADD | GEX_OP_FSUB | \
                      GEX_OP_INC | GEX_OP_FDEC | GEX_OP_FMULT | GEX_OP_FMIN | GEX_OP_MAX | bits, \
                  0); \
    CHECK(gex_AD_QueryTM(domain) == world && gex_AD_QueryDT(domain) == GEX_DT_##code); \
    CHECK(gex_AD_QueryFlags(domain) == 0 && (gex_AD_QueryOps(domain) & GEX_OP_FADD) != 0); \
    gex_AD_SetCData(domain, &domain); \
    CHECK(gex_AD_QueryCData(domain) == &domain); \
    for (gex_Rank_t to = 0; to < ranks; ++to) { \
      type* own = (type*)(void*)(segment_of(to) + 4096 + 64 * me); /* this rank's word there */ \
      type got = 0; \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, NULL, to, own, GEX_OP_SET, 12, 0, 0)); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FADD, 5, 0, 0)); \
      CHECK(got == 12); \
      CHECK(gex_AD_OpNBI_##code(domain, &got, to, own, GEX_OP_FSUB, 7, 0, GEX_FLAG_RANK_IS_JOBRANK) == 0); \
      gex_NBI_Wait(GEX_EC_RMW, 0); \
      CHECK(got == 17); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FMULT, 3, 0, 0)); \
      CHECK(got == 10); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FMIN, 20, 0, 0)); \
      CHECK(got == 30); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, NULL, to, own, GEX_OP_MAX, 25, 0, 0)); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, NULL, to, own, GEX_OP_INC, 0, 0, 0)); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FDEC, 0, 0, 0)); \
      CHECK(got == 26); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FCAS, 24, 1, 0)); \
      CHECK(got == 25); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FCAS, 25, 6, 0)); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_SWAP, 9, 0, 0)); \
      CHECK(got == 6); \
      gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_GET, 0, 0, 0)); \
      CHECK(got == 9); \
      if (is_integer) { \
        gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FOR, 4, 0, 0)); \
        gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_FXOR, 1, 0, 0)); \
        CHECK(got == 13); \
        gex_Event_Wait(gex_AD_OpNB_##code(domain, NULL, to, own, GEX_OP_AND, 8, 0, 0)); \
        gex_Event_Wait(gex_AD_OpNB_##code(domain, &got, to, own, GEX_OP_GET, 0, 0, 0)); \
        CHECK(got == 8); \
      } \
    } \
    /* All ranks add to one word. */ \
    type* shared = (type*)(void*)(segment_of(0) + 65536); \
    if (me == 0) gex_Event_Wait(gex_AD_OpNB_##code(domain, NULL, 0, shared, GEX_OP_SET, 0, 0, 0)); \
    barrier(); \
    for (int round = 0; round < 100; ++round) gex_AD_OpNBI_##code(domain, NULL, 0, shared, GEX_OP_ADD, 1, 0, 0); \
    gex_NBI_Wait(GEX_EC_RMW, 0); \
    barrier(); \
    type total = 0; \
    gex_Event_Wait(gex_AD_OpNB_##code(domain, &total, 0, shared, GEX_OP_GET, 0, 0, 0)); \
    CHECK(total == (type)(100 * ranks)); \
    barrier(); \
    gex_AD_Destroy(domain); \
  }
ATOMICS(I32, int32_t, 1)
ATOMICS(U32, uint32_t, 1)
ATOMICS(I64, int64_t, 1)
ATOMICS(U64, uint64_t, 1)
ATOMICS(FLT, float, 0)
ATOMICS(DBL, double, 0)

/* -- pieces ------------------------------------------------------------------------------------------------------- */

static gasnett_atomic_t completions = gasnett_atomic_init(0);
static void completed(gex_Token_t token, void* buffer, size_t bytes) {
  gex_Token_Info_t info;
  (void)gex_Token_Info(token, &info, GEX_TI_ALL);
  CHECK(!info.gex_is_req && !info.gex_is_long);
  CHECK(bytes == 4 && memcmp(buffer, "done", 4) == 0);
  gasnett_atomic_increment(&completions, 0);
}

#define FORMS(put, get, there, back, compare) \
  gex_Event_Wait(put(NB, there(1))); \
  gex_Event_Wait(get(NB, there(1), back)); \
  CHECK(compare); \
  memset(area, 0, sizeof(area)); \
  CHECK(put(NBI, there(2)) == 0); \
  gex_NBI_Wait(GEX_EC_PUT, 0); \
  CHECK(get(NBI, there(2), back) == 0); \
  gex_NBI_Wait(GEX_EC_GET, 0); \
  CHECK(compare); \
  memset(area, 0, sizeof(area)); \
  CHECK(put(Blocking, there(3)) == 0 && get(Blocking, there(3), back) == 0 && compare);

static void pieces(gex_Rank_t to) {
  static unsigned char from[4096], area[4096];
  char* base = segment_of(to) + 131072 + 65536 * (me % 8);
  for (int i = 0; i < 4096; ++i) from[i] = (unsigned char)(i * 13 + me);

  /* Vectors of other lengths on both sides. */
  gex_Memvec_t own[3] = {{from, 10}, {from + 100, 0}, {from + 200, 50}};
  gex_Memvec_t back[2] = {{area + 7, 25}, {area + 100, 35}};
  char* at = base;
#define VECTOR(n) \
  ((gex_Memvec_t[4]){{at + (n) * 4096, 3}, {at + (n) * 4096 + 100, 30}, {at + (n) * 4096 + 200, 26}, {at, 1}})
#define PUT_VECTOR(form, list) gex_VIS_VectorPut##form(world, to, 4, list, 3, own, 0)
#define GET_VECTOR(form, list, into) gex_VIS_VectorGet##form(world, 2, into, to, 4, list, 0)
#define VECTOR_SAME \
  (memcmp(area + 7, from, 10) == 0 && memcmp(area + 17, from + 200, 15) == 0 && memcmp(area + 100, from + 215, 35) == 0)
  FORMS(PUT_VECTOR, GET_VECTOR, VECTOR, back, VECTOR_SAME)

  /* Blocks of 12 there, of 8 here. */
  void* own_blocks[6];
  void* back_blocks[4];
  for (int i = 0; i < 6; ++i) own_blocks[i] = from + 64 * i;
  for (int i = 0; i < 4; ++i) back_blocks[i] = area + 100 * i;
#define BLOCKS(n) ((void* [4]){at + (n) * 4096, at + (n) * 4096 + 40, at + (n) * 4096 + 20, at + (n) * 4096 + 60})
#define PUT_BLOCKS(form, list) gex_VIS_IndexedPut##form(world, to, 4, list, 12, 6, own_blocks, 8, 0)
#define GET_BLOCKS(form, list, into) gex_VIS_IndexedGet##form(world, 4, into, 12, to, 4, list, 12, 0)
#define BLOCKS_SAME \
  (memcmp(area, from, 8) == 0 && memcmp(area + 8, from + 64, 4) == 0 && memcmp(area + 100, from + 68, 4) == 0 && \
   memcmp(area + 304, from + 320, 8) == 0)
  FORMS(PUT_BLOCKS, GET_BLOCKS, BLOCKS, back_blocks, BLOCKS_SAME)

  /* 2 planes of 3 rows of 4 elements of 4 bytes; contiguous there, turned here. */
  const size_t count[3] = {4, 3, 2};
  const ptrdiff_t own_strides[3] = {8, 64, 512}, there_strides[3] = {4, 16, 48}, back_strides[3] = {-8, 64, 512};
#define ARRAY(n) (at + (n) * 4096)
#define PUT_ARRAY(form, where) \
  gex_VIS_StridedPut##form(world, to, where, there_strides, from, own_strides, 4, count, 3, 0)
#define GET_ARRAY(form, where, into) \
  gex_VIS_StridedGet##form(world, into, back_strides, to, where, there_strides, 4, count, 3, 0)
  int same;
#define ARRAY_SAME \
  (same = 1, ({ \
     for (int plane = 0; plane < 2; ++plane) \
       for (int row = 0; row < 3; ++row) \
         for (int i = 0; i < 4; ++i) \
           same &= memcmp(area + 24 - 8 * i + 64 * row + 512 * plane, from + 8 * i + 64 * row + 512 * plane, 4) == 0; \
   }), \
   same)
  FORMS(PUT_ARRAY, GET_ARRAY, ARRAY, area + 24, ARRAY_SAME)

  gex_VIS_SetPeerCompletionHandler(200, "done", 4, 0);
  CHECK(gex_VIS_VectorPutBlocking(world, to, 1, (&(gex_Memvec_t){at, 60}), 3, own, 0) == 0);
}

static void descriptions(void) {
  char text[512];
  CHECK(gasnett_format_dt(NULL, GEX_DT_I32 | GEX_DT_DBL) == gasnett_format_dt(text, GEX_DT_I32 | GEX_DT_DBL));
  CHECK(strcmp(text, "GEX_DT_I32|GEX_DT_DBL") == 0);
  CHECK(gasnett_format_op(text, GEX_OP_FCAS) == strlen(text) + 1 && strcmp(text, "GEX_OP_FCAS") == 0);
  CHECK(gasnett_format_ti(text, GEX_TI_EP) == strlen(text) + 1 && strcmp(text, "GEX_TI_EP") == 0);
  const gex_Memvec_t vector = {text, 7};
  void* block = text;
  const ptrdiff_t stride = 8;
  const size_t count = 3;
  CHECK(gasnett_format_memveclist_bufsz(1) < sizeof(text) && gasnett_format_addrlist_bufsz(1) < sizeof(text));
  gasnett_format_memveclist(text, 1, &vector);
  CHECK(strstr(text, "7 bytes") != NULL);
  gasnett_format_addrlist(text, 1, &block, 9);
  CHECK(strstr(text, "9 bytes") != NULL && gasnett_format_putsgets_bufsz(1) < sizeof(text));
  CHECK(gasnett_format_putsgets(text, NULL, world, 0, text, &stride, text, &stride, 4, &count, 1) == 12);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t handlers[] = {{200, (gex_AM_Fn_t)completed, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0, NULL, NULL}};
  start(&argc, &argv, handlers, 1);
  barrier();
  teams();
  descriptions();
  atomics_I32();
  atomics_U32();
  atomics_I64();
  atomics_U64();
  atomics_FLT();
  atomics_DBL();
  for (gex_Rank_t to = 0; to < ranks; ++to) pieces((me + to) % ranks);
  GASNET_BLOCKUNTIL(gasnett_atomic_read(&completions, 0) == ranks);
  barrier();
  gasnet_exit(0);
}
