/* SPDX-License-Identifier: Apache-2.0 */
/* GASNet-1's names. */
#include "harness.h"

static gasnett_atomic_t arrived = gasnett_atomic_init(0);
static gasnett_atomic_t answered = gasnett_atomic_init(0);

static void ping(gasnet_token_t token, gasnet_handlerarg_t value) {
  gasnet_node_t source;
  CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK && (int)source == value);
  CHECK(gasnet_AMReplyShort1(token, 202, value + 1) == GASNET_OK);
}
static void pong(gasnet_token_t token, gasnet_handlerarg_t value) {
  (void)token;
  CHECK((gex_Rank_t)value == me + 1);
  gasnett_atomic_increment(&answered, 0);
}
static void data(gasnet_token_t token, void* buffer, size_t bytes, gasnet_handlerarg_t value) {
  (void)token;
  CHECK(bytes == 5 && memcmp(buffer, "atoll", 5) == 0 && value == 3);
  gasnett_atomic_increment(&arrived, 0);
}

/* Blocking and non-blocking, with every way to synchronise. */
static void collectives(int flags, gex_Rank_t root) {
  enum { MOST = 64 };
  const int is_none = (flags & (GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC)) != 0;
  int mine[MOST], pieces[MOST], one[2], all[MOST], exchanged[MOST], gathered[MOST];
  for (gex_Rank_t rank = 0; rank < ranks; ++rank) pieces[rank] = (int)(100 * me + rank);
  mine[0] = (int)me;
  one[0] = one[1] = -1;
  if (me == root) mine[1] = 77;
  if (is_none) gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED);
  gasnet_coll_broadcast(GASNET_TEAM_ALL, &one[0], root, &mine[1], sizeof(int), flags);
  gasnet_coll_scatter(GASNET_TEAM_ALL, &one[1], root, pieces, sizeof(int), flags);
  gasnet_coll_gather(GASNET_TEAM_ALL, root, gathered, &mine[0], sizeof(int), flags);
  gasnet_coll_gather_all(GASNET_TEAM_ALL, all, &mine[0], sizeof(int), flags);
  gasnet_coll_exchange(world, exchanged, pieces, sizeof(int), flags);
  if (is_none) gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED);
  CHECK(one[0] == 77 && one[1] == (int)(100 * root + me));
  for (gex_Rank_t rank = 0; rank < ranks; ++rank) {
    CHECK(all[rank] == (int)rank && exchanged[rank] == (int)(100 * rank + me));
    CHECK(me != root || gathered[rank] == (int)rank);
  }
  gasnet_coll_handle_t handles[3] = {
      gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, &one[0], root, &mine[0], sizeof(int), flags),
      gasnet_coll_scatter_nb(GASNET_TEAM_ALL, &one[1], root, pieces, sizeof(int), flags),
      gasnet_coll_gather_nb(GASNET_TEAM_ALL, root, gathered, &mine[0], sizeof(int), flags)};
  gasnet_coll_handle_t last[2] = {gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, all, &mine[0], sizeof(int), flags),
                                  gasnet_coll_exchange_nb(GASNET_TEAM_ALL, exchanged, pieces, sizeof(int), flags)};
  gasnet_coll_wait_sync_all(last, 2);
  while (gasnet_coll_try_sync(handles[0]) != GASNET_OK) gasnet_AMPoll();
  gasnet_coll_wait_sync(handles[1]);
  gasnet_coll_wait_sync(handles[2]);
  CHECK(one[0] == (int)root && one[1] == (int)(100 * root + me) && all[ranks - 1] == (int)ranks - 1);
  gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED);
}

int main(int argc, char** argv) {
  gasnet_handlerentry_t table[] = {{201, ping}, {202, pong}, {0, data}}; /* without casts */
  CHECK(gasnet_init(&argc, &argv) == GASNET_OK && GASNETI_MAX_THREADS > 1);
  me = gasnet_mynode();
  ranks = gasnet_nodes();
  CHECK(gasnet_attach(table, 3, SEGMENT, 0) == GASNET_OK && table[2].index == 255);
  gasnet_QueryGexObjects(&client, &endpoint, &world, &segment);
  CHECK(gex_TM_QueryRank(world) == me);
  gasnet_seginfo_t segments[64];
  gasnet_nodeinfo_t hosts[64];
  CHECK(ranks <= 64 && gasnet_getSegmentInfo(segments, (int)ranks) == GASNET_OK);
  CHECK(gasnet_getNodeInfo(hosts, (int)ranks) == GASNET_OK && hosts[me].offset == 0);
  CHECK(segments[me].size == SEGMENT && segments[me].addr == gex_Segment_QueryAddr(segment));
  CHECK(gasnet_AMMaxArgs() == 16 && gasnet_AMMaxMedium() >= 512 && gasnet_AMMaxLongRequest() >= 512 &&
        gasnet_AMMaxLongReply() >= 512);
  CHECK(gasnet_barrier(0, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);

  for (gasnet_node_t node = 0; node < ranks; ++node) {
    char* there = (char*)segments[node].addr + me * 4096;
    CHECK(gasnet_AMRequestShort1(node, 201, (int)me) == GASNET_OK);
    CHECK(gasnet_AMRequestMedium1(node, table[2].index, "atoll", 5, 3) == GASNET_OK);
    CHECK(gasnet_AMRequestLong1(node, table[2].index, "atoll", 5, there + 2048, 3) == GASNET_OK);
    CHECK(gasnet_AMRequestLongAsync1(node, table[2].index, "atoll", 5, there + 2056, 3) == GASNET_OK);
    long long value = 1000 + node, back = 0;
    gasnet_put(node, there, &value, sizeof(value));
    gasnet_get(&back, node, there, sizeof(back));
    CHECK(back == value);
    gasnet_handle_t handle = gasnet_put_nb(node, there, &value, 4);
    gasnet_wait_syncnb(handle);
    gasnet_handle_t handles[2] = {gasnet_put_nb_bulk(node, there + 8, &value, 8), gasnet_get_nb(&back, node, there, 8)};
    gasnet_wait_syncnb_all(handles, 2);
    CHECK(gasnet_try_syncnb_all(handles, 2) == GASNET_OK);
    gasnet_put_nbi(node, there + 16, &value, 8);
    gasnet_get_nbi_bulk(&back, node, there + 8, 8);
    gasnet_wait_syncnbi_all();
    CHECK(back == value);
    gasnet_put_val(node, there + 24, 77, 2);
    CHECK(gasnet_get_val(node, there + 24, 2) == 77);
    CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(node, there + 24, 1)) == 77);
    gasnet_memset(node, there + 32, 9, 1500);
    CHECK(gasnet_get_val(node, there + 32 + 1499, 1) == 9);
    gasnet_begin_nbi_accessregion();
    gasnet_put_nbi_bulk(node, there, &value, 8);
    gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
  }
  /* Pieces: 3 rows of 4 bytes, 16 apart there and 8 apart here. */
  for (gasnet_node_t node = 0; node < ranks; ++node) {
    char* there = (char*)segments[node].addr + 262144 + me * 4096;
    char rows[24] = "abcdABCDefghEFGHijklIJK", back[24] = "";
    const size_t here_stride = 8, there_stride = 16, count[2] = {4, 3};
    gasnet_puts_bulk(node, there, &there_stride, rows, &here_stride, count, 1);
    gasnet_gets_bulk(back, &here_stride, node, there, &there_stride, count, 1);
    CHECK(memcmp(back, rows, 4) == 0 && memcmp(back + 8, "efgh", 4) == 0 && memcmp(back + 16, "ijkl", 4) == 0);
    gasnet_memvec_t own[2] = {{rows, 3}, {rows + 8, 5}}, far = {there, 8}, got = {back, 8};
    gasnet_putv_bulk(node, 1, &far, 2, own);
    gasnet_wait_syncnb(gasnet_getv_nb_bulk(1, &got, node, 1, &far));
    CHECK(memcmp(back, "abcefghE", 8) == 0);
    void *blocks[2] = {rows, rows + 12}, *far_block = there, *got_block = back;
    gasnet_puti_nbi_bulk(node, 1, &far_block, 8, 2, blocks, 4);
    gasnet_wait_syncnbi_puts();
    gasnet_geti_bulk(1, &got_block, 8, node, 1, &far_block, 8);
    CHECK(memcmp(back, "abcdEFGH", 8) == 0);
  }
  for (gex_Rank_t root = 0; root < ranks; ++root) {
    collectives(GASNET_COLL_LOCAL | GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC, root);
    collectives(GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC, root);
    collectives(GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC, root);
  }
  CHECK(gasnet_coll_barrier(GASNET_TEAM_ALL, 0, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);
  GASNET_BLOCKUNTIL(gasnett_atomic_read(&answered, 0) == ranks && gasnett_atomic_read(&arrived, 0) == 3 * ranks);
  gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
  gasnet_hsl_lock(&lock);
  CHECK(gasnet_hsl_trylock(&lock) == GASNET_ERR_NOT_READY);
  gasnet_hsl_unlock(&lock);
  CHECK(gasnet_getenv("PATH") != NULL);
  const char* shares = gasnet_getenv("CHPL_RT_OVERSUBSCRIBED"); /* ranks of one host share its processors */
  CHECK(shares != NULL && strcmp(shares, "yes") == 0);
  /* All ways to wait. */
  const int modes[] = {GASNET_WAIT_BLOCK, GASNET_WAIT_SPINBLOCK, GASNET_WAIT_SPIN};
  for (int mode = 0; mode < 3; ++mode) {
    CHECK(gasnet_set_waitmode(modes[mode]) == GASNET_OK);
    gasnett_atomic_set(&answered, 0, 0);
    CHECK(gasnet_AMRequestShort1((me + 1) % ranks, 201, (int)me) == GASNET_OK);
    GASNET_BLOCKUNTIL(gasnett_atomic_read(&answered, 0) == 1);
  }
  CHECK(gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
  return 0; /* the same as gasnet_exit(0) */
}
