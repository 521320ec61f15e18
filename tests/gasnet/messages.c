/* SPDX-License-Identifier: Apache-2.0 */
/* Active messages of every kind and number of arguments, their replies, tokens, and payloads that are negotiated. */
#include "harness.h"

enum { SHORT = 100, MEDIUM = 120, LONG = 140, PING = 160, PONG, PONG_MEDIUM, PONG_LONG, PREPARED, LAST };

static gasnett_atomic_t arrived = gasnett_atomic_init(0);
static gasnett_atomic_t answered = gasnett_atomic_init(0);
static unsigned char payload[65536];

static void expect(gasnett_atomic_t* count, gasnett_atomic_val_t value) {
  GASNET_BLOCKUNTIL(gasnett_atomic_read(count, 0) == value);
  gasnett_atomic_set(count, 0, 0);
  barrier();
}

static void check_arguments(const gex_AM_Arg_t* values, unsigned count) {
  for (unsigned i = 0; i < count; ++i) CHECK(values[i] == (gex_AM_Arg_t)(-7 * (int)i - 1));
}
static void check_payload(const unsigned char* at, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) CHECK(at[i] == (unsigned char)(i * 31 + 5));
}

/* Handlers and calls with n arguments; arg(i) is the i-th. */
#define P0
#define P1 , gex_AM_Arg_t a0
#define P2 P1, gex_AM_Arg_t a1
#define P3 P2, gex_AM_Arg_t a2
#define P4 P3, gex_AM_Arg_t a3
#define P5 P4, gex_AM_Arg_t a4
#define P6 P5, gex_AM_Arg_t a5
#define P7 P6, gex_AM_Arg_t a6
#define P8 P7, gex_AM_Arg_t a7
#define P9 P8, gex_AM_Arg_t a8
#define P10 P9, gex_AM_Arg_t a9
#define P11 P10, gex_AM_Arg_t a10
#define P12 P11, gex_AM_Arg_t a11
#define P13 P12, gex_AM_Arg_t a12
#define P14 P13, gex_AM_Arg_t a13
#define P15 P14, gex_AM_Arg_t a14
#define P16 P15, gex_AM_Arg_t a15
#define N0
#define N1 a0
#define N2 N1, a1
#define N3 N2, a2
#define N4 N3, a3
#define N5 N4, a4
#define N6 N5, a5
#define N7 N6, a6
#define N8 N7, a7
#define N9 N8, a8
#define N10 N9, a9
#define N11 N10, a10
#define N12 N11, a11
#define N13 N12, a12
#define N14 N13, a13
#define N15 N14, a14
#define N16 N15, a15
#define V0
#define V1 , -1
#define V2 V1, -8
#define V3 V2, -15
#define V4 V3, -22
#define V5 V4, -29
#define V6 V5, -36
#define V7 V6, -43
#define V8 V7, -50
#define V9 V8, -57
#define V10 V9, -64
#define V11 V10, -71
#define V12 V11, -78
#define V13 V12, -85
#define V14 V13, -92
#define V15 V14, -99
#define V16 V15, -106
#define EACH(what) \
  what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11) what(12) what(13) \
      what(14) what(15) what(16)

#define HANDLERS(n) \
  static void short_##n(gex_Token_t token P##n) { \
    const gex_AM_Arg_t values[17] = {N##n}; \
    (void)token; \
    check_arguments(values, n); \
    gasnett_atomic_increment(&arrived, 0); \
  } \
  static void medium_##n(gex_Token_t token, void* buffer, size_t bytes P##n) { \
    const gex_AM_Arg_t values[17] = {N##n}; \
    (void)token; \
    CHECK(bytes == (n) * 3 && ((uintptr_t)buffer & 7) == 0); \
    check_payload(buffer, bytes); \
    check_arguments(values, n); \
    gasnett_atomic_increment(&arrived, 0); \
  } \
  static void long_##n(gex_Token_t token, void* buffer, size_t bytes P##n) { \
    const gex_AM_Arg_t values[17] = {N##n}; \
    (void)token; \
    CHECK((char*)buffer == segment_of_me + 64 * (n) && bytes == (n) * 3); \
    check_payload(buffer, bytes); \
    check_arguments(values, n); \
    gasnett_atomic_increment(&arrived, 0); \
  }
static char* segment_of_me;
EACH(HANDLERS)

static void ping(gex_Token_t token, void* buffer, size_t bytes, gex_AM_Arg_t kind) {
  gex_Token_Info_t info;
  CHECK((gex_Token_Info(token, &info, GEX_TI_ALL) & GEX_TI_SRCRANK) != 0);
  CHECK(info.gex_is_req && info.gex_ep == endpoint && info.gex_entry->gex_fnptr == (gex_AM_Fn_t)ping);
  check_payload(buffer, bytes);
  if (kind == 0) gex_AM_ReplyShort(token, PONG, 0, (gex_AM_Arg_t)info.gex_srcrank);
  if (kind == 1) gex_AM_ReplyMedium0(token, PONG_MEDIUM, buffer, bytes, GEX_EVENT_NOW, 0);
  if (kind == 2)
    gex_AM_ReplyLong1(token, PONG_LONG, buffer, bytes, segment_of(info.gex_srcrank) + SEGMENT / 2 + me * 4096,
                      GEX_EVENT_NOW, 0, 9);
  if (kind == 3) {
    gex_AM_SrcDesc_t source = gex_AM_PrepareReplyMedium(token, NULL, 1, bytes, NULL, 0, 0);
    CHECK(gex_AM_SrcDescSize(source) >= 1 && gex_AM_SrcDescSize(source) <= bytes);
    memcpy(gex_AM_SrcDescAddr(source), buffer, gex_AM_SrcDescSize(source));
    gex_AM_CommitReplyMedium0(source, PONG_MEDIUM, gex_AM_SrcDescSize(source));
  }
  if (kind == 4) {
    CHECK(gex_Token_MaxReplyMedium(token, NULL, 0, 0) >= 512 && gex_Token_MaxReplyLong(token, NULL, 0, 1) >= 512);
    gex_AM_SrcDesc_t source = gex_AM_PrepareReplyLong(token, buffer, 1, bytes, NULL, GEX_EVENT_NOW, 0, 1);
    CHECK(gex_AM_CancelReplyLong(source, 0) == 0);
    source = gex_AM_PrepareReplyMedium(token, buffer, 1, bytes, GEX_EVENT_NOW, 0, 0);
    CHECK(gex_AM_CancelReplyMedium(source, 0) == 0);
    source = gex_AM_PrepareReplyLong(token, buffer, 1, bytes, NULL, GEX_EVENT_NOW, 0, 1);
    char* there = segment_of(info.gex_srcrank) + SEGMENT / 2 + me * 4096;
    if (bytes % 2 == 0) gex_AM_CommitReplyLong1(source, PONG_LONG, bytes, there, 9);
    else CHECK(gex_AM_CommitReplyLong1_v2(source, PONG_LONG, bytes, there, 0, 9) == 0);
  }
  if (kind == 5) {
    gex_AM_SrcDesc_t source = gex_AM_PrepareReplyMedium(token, buffer, 1, bytes, GEX_EVENT_NOW, 0, 0);
    CHECK(gex_AM_CommitReplyMedium0_v2(source, PONG_MEDIUM, bytes, 0) == 0);
  }
}
static void pong(gex_Token_t token, gex_AM_Arg_t rank) {
  gex_Token_Info_t info;
  (void)gex_Token_Info(token, &info, GEX_TI_ALL);
  CHECK((gex_Rank_t)rank == me && !info.gex_is_req && !info.gex_is_long);
  gasnett_atomic_increment(&answered, 0);
}
static void pong_medium(gex_Token_t token, void* buffer, size_t bytes) {
  (void)token;
  check_payload(buffer, bytes);
  gasnett_atomic_increment(&answered, 0);
}
static void pong_long(gex_Token_t token, void* buffer, size_t bytes, gex_AM_Arg_t nine) {
  gex_Token_Info_t info;
  (void)gex_Token_Info(token, &info, GEX_TI_ALL);
  CHECK(nine == 9 && info.gex_is_long);
  check_payload(buffer, bytes);
  gasnett_atomic_increment(&answered, 0);
}
static void prepared(gex_Token_t token, void* buffer, size_t bytes, gex_AM_Arg_t first, gex_AM_Arg_t second) {
  (void)token;
  CHECK(first == 1 && second == 2);
  check_payload(buffer, bytes);
  gasnett_atomic_increment(&arrived, 0);
}

static void every_number_of_arguments(gex_Rank_t to) {
  char* there = segment_of(to);
  gex_Event_t local = GEX_EVENT_NO_OP;
#define CALLS(n) \
  CHECK(gex_AM_RequestShort##n(world, to, SHORT + n, 0 V##n) == 0); \
  CHECK(gex_AM_RequestShort(world, to, SHORT + n, 0 V##n) == 0); \
  CHECK(gex_AM_RequestMedium##n(world, to, MEDIUM + n, payload, (n) * 3, GEX_EVENT_NOW, 0 V##n) == 0); \
  CHECK(gex_AM_RequestMedium(world, to, MEDIUM + n, payload, (n) * 3, &local, 0 V##n) == 0); \
  gex_Event_Wait(local); \
  CHECK(gex_AM_RequestLong##n(world, to, LONG + n, payload, (n) * 3, there + 64 * (n), GEX_EVENT_NOW, 0 V##n) == 0); \
  CHECK(gex_AM_RequestLong(world, to, LONG + n, payload, (n) * 3, there + 64 * (n), GEX_EVENT_GROUP, 0 V##n) == 0);
  EACH(CALLS)
  gex_NBI_Wait(GEX_EC_AM, 0);
}

static void payloads_that_are_prepared(gex_Rank_t to) {
  gex_AM_SrcDesc_t source = gex_AM_PrepareRequestMedium(world, to, NULL, 8, 4096, NULL, 0, 2);
  memcpy(gex_AM_SrcDescAddr(source), payload, gex_AM_SrcDescSize(source));
  gex_AM_CommitRequestMedium2(source, PREPARED, gex_AM_SrcDescSize(source), 1, 2);
  source = gex_AM_PrepareRequestMedium(world, to, payload, 8, 64, GEX_EVENT_NOW, 0, 2);
  CHECK(gex_AM_SrcDescAddr(source) == payload);
  CHECK(gex_AM_CommitRequestMedium2_v2(source, PREPARED, 8, 0, 1, 2) == 0);
  source = gex_AM_PrepareRequestLong(world, to, NULL, 8, 4096, NULL, NULL, 0, 2);
  memcpy(gex_AM_SrcDescAddr(source), payload, 100);
  gex_AM_CommitRequestLong(source, PREPARED, 100, segment_of(to) + 8192, 1, 2);
  source = gex_AM_PrepareRequestLong(world, to, payload, 8, 4096, NULL, GEX_EVENT_NOW, 0, 2);
  CHECK(gex_AM_CommitRequestLong2_v2(source, PREPARED, 50, segment_of(to) + 16384, 0, 1, 2) == 0);
  source = gex_AM_PrepareRequestLong(world, to, NULL, 8, 4096, NULL, NULL, 0, 2);
  CHECK(gex_AM_CancelRequestLong(source, 0) == 0);
  source = gex_AM_PrepareRequestMedium(world, to, NULL, 8, 4096, NULL, 0, 2);
  CHECK(gex_AM_CancelRequestMedium(source, 0) == 0);
}

/* Rank 0 sends to rank 1, which runs no handlers, until it is refused. */
static void requests_that_may_not_wait(void) {
  if (ranks == 1) return;
  uint32_t* sent = (uint32_t*)(void*)(segment_of(1) + SEGMENT - 64);
  if (me == 1) *sent = 0;
  barrier();
  if (me == 0) {
    uint32_t count = 0;
    while (gex_AM_RequestShort0(world, 1, SHORT, GEX_FLAG_IMMEDIATE) == 0) ++count;
    CHECK(gex_AM_RequestMedium0(world, 1, MEDIUM, payload, 8, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE) != 0);
    CHECK(gex_AM_RequestLong0(world, 1, LONG, payload, 8, segment_of(1), GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE) != 0);
    CHECK(gex_AM_PrepareRequestMedium(world, 1, NULL, 8, 64, NULL, GEX_FLAG_IMMEDIATE, 0) == GEX_AM_SRCDESC_NO_OP);
    CHECK(gex_AM_PrepareRequestLong(world, 1, NULL, 8, 64, NULL, NULL, GEX_FLAG_IMMEDIATE, 0) == GEX_AM_SRCDESC_NO_OP);
    gex_RMA_PutBlockingVal(world, 1, sent, count, sizeof(count), 0);
    while (gex_AM_RequestShort0(world, 1, SHORT, GEX_FLAG_IMMEDIATE) != 0) gasnett_sched_yield();
  } else if (me == 1) {
    while (__atomic_load_n(sent, __ATOMIC_ACQUIRE) == 0) gasnett_sched_yield();
    GASNET_BLOCKUNTIL(gasnett_atomic_read(&arrived, 0) == *sent + 1);
    gasnett_atomic_set(&arrived, 0, 0);
  }
  barrier();
}

int main(int argc, char** argv) {
#define ENTRIES(n) \
  {SHORT + n, (gex_AM_Fn_t)short_##n, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, n, NULL, "short"}, \
      {MEDIUM + n, (gex_AM_Fn_t)medium_##n, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, n, NULL, "medium"}, \
      {LONG + n, (gex_AM_Fn_t)long_##n, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, n, NULL, "long"},
  gex_AM_Entry_t handlers[] = {
      EACH(ENTRIES){PING, (gex_AM_Fn_t)ping, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "ping"},
      {PONG, (gex_AM_Fn_t)pong, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "pong"},
      {PONG_MEDIUM, (gex_AM_Fn_t)pong_medium, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0, NULL, "pong_medium"},
      {PONG_LONG, (gex_AM_Fn_t)pong_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 1, NULL, "pong_long"},
      {PREPARED, (gex_AM_Fn_t)prepared, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 2, NULL, "prepared"},
  };
  start(&argc, &argv, handlers, sizeof(handlers) / sizeof(handlers[0]));
  segment_of_me = segment_of(me);
  for (size_t i = 0; i < sizeof(payload); ++i) payload[i] = (unsigned char)(i * 31 + 5);

  /* A handler without an index gets the highest that is free. */
  gex_AM_Entry_t more[2] = {{0, (gex_AM_Fn_t)pong, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, NULL},
                            {255, (gex_AM_Fn_t)pong, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, NULL}};
  CHECK(gex_EP_RegisterHandlers(endpoint, more, 2) == GASNET_OK && more[0].gex_index == 254);
  gex_System_SetVerboseErrors(0);
  CHECK(gex_EP_RegisterHandlers(endpoint, more + 1, 1) == GASNET_ERR_RESOURCE);
  gex_System_SetVerboseErrors(1);
  barrier();

  for (gex_Rank_t to = 0; to < ranks; ++to) every_number_of_arguments(to);
  expect(&arrived, ranks * 17 * 6);

  const size_t sizes[] = {0, 1, 8, 511, 512, 4096};
  for (size_t size = 0; size < 6; ++size)
    for (int kind = 0; kind < 6; ++kind) {
      if (kind >= 3 && sizes[size] == 0) continue;
      for (gex_Rank_t to = 0; to < ranks; ++to)
        gex_AM_RequestMedium1(world, to, PING, payload, sizes[size], GEX_EVENT_NOW, 0, kind);
      expect(&answered, ranks);
    }

  /* The largest. */
  CHECK(gex_AM_MaxArgs() == 16);
  size_t most = gex_AM_MaxRequestMedium(world, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 2);
  CHECK(most >= 512 && most <= sizeof(payload) && gex_AM_LUBRequestMedium() <= most && gex_AM_LUBReplyMedium() <= most);
  CHECK(gex_AM_MaxReplyMedium(world, 0, GEX_EVENT_NOW, 0, 16) >= 512 &&
        gex_AM_MaxReplyLong(world, 0, GEX_EVENT_NOW, 0, 16) >= 512);
  CHECK(gex_AM_LUBRequestLong() <= gex_AM_MaxRequestLong(world, 0, GEX_EVENT_NOW, 0, 0) &&
        gex_AM_LUBReplyLong() >= 512);
  for (int round = 0; round < 20; ++round)
    for (gex_Rank_t to = 0; to < ranks; ++to)
      gex_AM_RequestMedium2(world, to, PREPARED, payload, most, GEX_EVENT_NOW, 0, 1, 2);
  for (gex_Rank_t to = 0; to < ranks; ++to) payloads_that_are_prepared(to);
  expect(&arrived, ranks * 24);

  /* As many as no ring takes. */
  for (int round = 0; round < 3000; ++round) gex_AM_RequestShort0(world, (me + 1) % ranks, SHORT, 0);
  expect(&arrived, 3000);
  requests_that_may_not_wait();
  gasnet_exit(0);
}
