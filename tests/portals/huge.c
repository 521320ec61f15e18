// SPDX-License-Identifier: Apache-2.0
// Sizes, offsets, lengths and counts whose sums do not fit 64 bits, or that are beyond every limit: each call refuses
// them, or truncates as the standard says; nothing wraps, and nothing is written beyond an entry.
#include <limits.h>

#include "harness.h"

enum { room = 64 };

static const ptl_size_t huge = PTL_SIZE_MAX, half = (ptl_size_t)1 << 63;
static ptl_handle_ni_t ni;
static ptl_handle_eq_t arrivals, answers;
static ptl_handle_ct_t ct, never;
static ptl_pt_index_t index_;
static ptl_handle_md_t md, all;  // `room` bytes; all memory
static ptl_process_t peer;
static double own[room / sizeof(double)];
static unsigned char guarded[3 * room];  // the entry in the middle

#define REFUSED(call) \
  do { \
    int refused_ = (call); \
    if (refused_ != PTL_ARG_INVALID && refused_ != PTL_NO_SPACE) { \
      fprintf(stderr, "%s:%d: rank %d: %s is %d\n", __FILE__, __LINE__, my_rank, #call, refused_); \
      exit(1); \
    } \
  } while (0)

static ptl_me_t entry_at(void* start, ptl_size_t length, unsigned options, ptl_match_bits_t bits) {
  ptl_me_t me = {start,
                 length,
                 PTL_CT_NONE,
                 PTL_UID_ANY,
                 PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | options,
                 {.rank = PTL_RANK_ANY},
                 bits,
                 0,
                 0};
  return me;
}

static void descriptors(void) {
  ptl_handle_md_t made;
  ptl_md_t bound = {own, huge, 0, PTL_EQ_NONE, PTL_CT_NONE};
  REFUSED(PtlMDBind(ni, &bound, &made));
  bound.length = huge - (ptl_size_t)(uintptr_t)own + 1;  // one byte past the last
  REFUSED(PtlMDBind(ni, &bound, &made));
  ptl_iovec_t pieces[2] = {{own, half}, {own, half}};
  ptl_md_t vector = {pieces, 2, PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE};
  REFUSED(PtlMDBind(ni, &vector, &made));
  for (int i = 0; i < 3; ++i) {
    ptl_size_t counts[] = {huge, half, (ptl_size_t)1 << 32};
    vector.length = counts[i];
    REFUSED(PtlMDBind(ni, &vector, &made));
  }
  pieces[0].iov_len = huge;
  vector.length = 1;
  REFUSED(PtlMDBind(ni, &vector, &made));
}

static void entries(void) {
  ptl_handle_me_t made;
  ptl_iovec_t pieces[2] = {{own, half}, {own, half}};
  ptl_me_t me[] = {entry_at(own, huge, 0, 0), entry_at(pieces, 2, PTL_IOVEC, 0), entry_at(pieces, huge, PTL_IOVEC, 0)};
  for (int i = 0; i < 3; ++i) {
    REFUSED(PtlMEAppend(ni, index_, &me[i], PTL_PRIORITY_LIST, NULL, &made));
    REFUSED(PtlMEAppend(ni, index_, &me[i], PTL_OVERFLOW_LIST, NULL, &made));
    REFUSED(PtlMESearch(ni, index_, &me[i], PTL_SEARCH_ONLY, NULL));
    ptl_le_t le = {me[i].start, me[i].length, PTL_CT_NONE, PTL_UID_ANY, me[i].options};
    REFUSED(PtlLEAppend(barrier_.ni, 7, &le, PTL_PRIORITY_LIST, NULL, &made));
    REFUSED(PtlLESearch(barrier_.ni, 7, &le, PTL_SEARCH_ONLY, NULL));
  }
  ptl_me_t good = entry_at(own, 8, 0, 99);
  for (int i = 0; i < 2; ++i) {
    ptl_pt_index_t far[] = {1u << 31, UINT_MAX}, got;
    REFUSED(PtlMEAppend(ni, far[i], &good, PTL_PRIORITY_LIST, NULL, &made));
    REFUSED(PtlMESearch(ni, far[i], &good, PTL_SEARCH_ONLY, NULL));
    REFUSED(PtlPTFree(ni, far[i]));
    REFUSED(PtlPTEnable(ni, far[i]));
    REFUSED(PtlPTDisable(ni, far[i]));
    if (far[i] != PTL_PT_ANY) REFUSED(PtlPTAlloc(ni, 0, PTL_EQ_NONE, far[i], &got));
  }
}

// The initiator's side, of all operations: offset and length in the descriptor.
static void ranges(void) {
  const struct {
    ptl_size_t offset, length;
  } wrong[] = {{0, huge},      {0, half},    {0, room + 8}, {room, 8},     {huge, 8},        {huge - 7, 8},
               {huge - 7, 16}, {half, half}, {huge, huge},  {8, huge - 7}, {huge - room, 8}, {half, half + 8}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    const ptl_size_t at = wrong[i].offset, n = wrong[i].length;
    REFUSED(PtlPut(md, at, n, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0));
    REFUSED(PtlGet(md, at, n, peer, index_, 1, 0, NULL));
    REFUSED(PtlAtomic(md, at, n, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0, PTL_SUM, PTL_DOUBLE));
    REFUSED(PtlFetchAtomic(md, 0, md, at, n, peer, index_, 1, 0, NULL, 0, PTL_SUM, PTL_DOUBLE));
    REFUSED(PtlFetchAtomic(md, at, md, 0, n, peer, index_, 1, 0, NULL, 0, PTL_SUM, PTL_DOUBLE));
    REFUSED(PtlSwap(md, 0, md, at, n, peer, index_, 1, 0, NULL, 0, NULL, PTL_SWAP, PTL_DOUBLE));
    REFUSED(PtlSwap(md, at, md, 0, n, peer, index_, 1, 0, NULL, 0, NULL, PTL_SWAP, PTL_DOUBLE));
    REFUSED(PtlTriggeredPut(md, at, n, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0, never, 1));
    REFUSED(PtlTriggeredGet(md, at, n, peer, index_, 1, 0, NULL, never, 1));
    REFUSED(PtlTriggeredAtomic(md, at, n, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0, PTL_SUM, PTL_DOUBLE, never, 1));
    REFUSED(PtlTriggeredFetchAtomic(md, 0, md, at, n, peer, index_, 1, 0, NULL, 0, PTL_SUM, PTL_DOUBLE, never, 1));
    REFUSED(PtlTriggeredSwap(md, 0, md, at, n, peer, index_, 1, 0, NULL, 0, NULL, PTL_SWAP, PTL_DOUBLE, never, 1));
  }
  // All memory can be named, but no message is that long.
  REFUSED(PtlPut(all, 0, huge, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0));
  REFUSED(PtlPut(all, 8, huge - 8, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0));
  REFUSED(PtlGet(all, 0, half, peer, index_, 1, 0, NULL));
  REFUSED(PtlAtomic(all, 0, half, PTL_NO_ACK_REQ, peer, index_, 1, 0, NULL, 0, PTL_SUM, PTL_DOUBLE));
  // Nor is there such a process.
  for (int i = 0; i < 2; ++i) {
    ptl_process_t far = rank_of(i == 0 ? ranks : INT_MAX);
    REFUSED(PtlPut(md, 0, 8, PTL_NO_ACK_REQ, far, index_, 1, 0, NULL, 0));
    REFUSED(PtlGet(md, 0, 8, far, index_, 1, 0, NULL));
  }
}

static ptl_event_t next(ptl_handle_eq_t eq) {
  ptl_event_t event;
  OK(PtlEQWait(eq, &event));
  return event;
}

static void expect_guards(void) {
  for (int i = 0; i < room; ++i) CHECK(guarded[i] == 0xAB && guarded[2 * room + i] == 0xAB);
}

// The target's side: offsets in the entry. Every PE does the same to the one on its right.
static void truncation(ptl_match_bits_t bits) {
  const ptl_size_t offsets[] = {0, 8, room - 8, room - 4, room, room + 1, half, half - 8, huge - 15, huge - 7, huge};
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
    const ptl_size_t at = offsets[i], moved = at >= room ? 0 : room - at < 16 ? room - at : 16;
    for (int kind = 0; kind < 5; ++kind) {
      const ptl_size_t bytes = kind == 4 ? 8 : 16;
      const ptl_size_t expected = moved < bytes ? moved : bytes;
      double operand = 0;
      switch (kind) {
        case 0: OK(PtlPut(md, 0, bytes, PTL_ACK_REQ, peer, index_, bits, at, NULL, 0)); break;
        case 1: OK(PtlGet(md, 0, bytes, peer, index_, bits, at, NULL)); break;
        case 2: OK(PtlAtomic(md, 0, bytes, PTL_ACK_REQ, peer, index_, bits, at, NULL, 0, PTL_SUM, PTL_DOUBLE)); break;
        case 3: OK(PtlFetchAtomic(md, 32, md, 0, bytes, peer, index_, bits, at, NULL, 0, PTL_SUM, PTL_DOUBLE)); break;
        case 4:
          OK(PtlSwap(md, 32, md, 0, bytes, peer, index_, bits, at, NULL, 0, &operand, PTL_CSWAP, PTL_DOUBLE));
          break;
      }
      ptl_event_t answer = next(answers), arrival = next(arrivals);
      CHECK(answer.ni_fail_type == PTL_NI_OK && answer.mlength == expected);
      CHECK(arrival.ni_fail_type == PTL_NI_OK && arrival.mlength == expected && arrival.rlength == bytes &&
            arrival.remote_offset == at);
      expect_guards();
    }
  }
  // An entry that takes nothing that it must truncate takes none of these.
  for (size_t i = 3; i < sizeof offsets / sizeof *offsets; ++i) {
    OK(PtlPut(md, 0, 16, PTL_ACK_REQ, peer, index_, bits + 1, offsets[i], NULL, 0));
    CHECK(next(answers).ni_fail_type == PTL_NI_DROPPED);
    OK(PtlGet(md, 0, 16, peer, index_, bits + 1, offsets[i], NULL));
    CHECK(next(answers).ni_fail_type == PTL_NI_DROPPED);
    expect_guards();
  }
  OK(PtlPut(md, 0, 16, PTL_ACK_REQ, peer, UINT_MAX, bits, 0, NULL, 0));
  CHECK(next(answers).ni_fail_type == PTL_NI_DROPPED);
}

static void messages(void) {
  memset(guarded, 0xAB, sizeof guarded);
  ptl_iovec_t pieces[3] = {{guarded + room, 12}, {guarded + room + 12, 0}, {guarded + room + 12, room - 12}};
  ptl_me_t me[] = {entry_at(guarded + room, room, 0, 1), entry_at(guarded + room, room, PTL_ME_NO_TRUNCATE, 2),
                   entry_at(pieces, 3, PTL_IOVEC, 3), entry_at(pieces, 3, PTL_IOVEC | PTL_ME_NO_TRUNCATE, 4)};
  ptl_handle_me_t made[4];
  for (int i = 0; i < 4; ++i) OK(PtlMEAppend(ni, index_, &me[i], PTL_PRIORITY_LIST, NULL, &made[i]));
  barrier();
  truncation(1);
  barrier();
  truncation(3);
  barrier();
  for (int i = 0; i < 4; ++i) OK(PtlMEUnlink(made[i]));

  // An entry of which more must be free than it has: it takes one message.
  ptl_me_t local = entry_at(guarded + room, room, PTL_ME_MANAGE_LOCAL, 5);
  local.min_free = huge;
  ptl_handle_me_t handle;
  OK(PtlMEAppend(ni, index_, &local, PTL_PRIORITY_LIST, NULL, &handle));
  barrier();
  OK(PtlPut(md, 0, 8, PTL_ACK_REQ, peer, index_, 5, huge, NULL, 0));
  CHECK(next(answers).mlength == 8);
  CHECK(next(arrivals).mlength == 8);
  CHECK(next(arrivals).type == PTL_EVENT_AUTO_UNLINK);
  barrier();
  OK(PtlPut(md, 0, 8, PTL_ACK_REQ, peer, index_, 5, 0, NULL, 0));
  CHECK(next(answers).ni_fail_type == PTL_NI_DROPPED);
  expect_guards();
}

static void queues_and_counters(void) {
  const ptl_size_t counts[] = {huge, huge - 62, huge - 63, huge - 64, half, (ptl_size_t)1 << 40};
  ptl_handle_eq_t eq;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) EXPECT(PtlEQAlloc(ni, counts[i], &eq), PTL_NO_SPACE);
  ptl_handle_eq_t no_eqs[] = {PTL_EQ_NONE};
  ptl_handle_ct_t no_cts[] = {PTL_CT_NONE};
  ptl_size_t tests[] = {huge};
  ptl_event_t event;
  ptl_ct_event_t count;
  unsigned which;
  REFUSED(PtlEQPoll(no_eqs, UINT_MAX, 0, &event, &which));
  REFUSED(PtlCTPoll(no_cts, tests, UINT_MAX, 0, &count, &which));
  EXPECT(PtlCTPoll(&ct, tests, 1, 1, &count, &which), PTL_CT_NONE_REACHED);

  // Thresholds at the end of what a counter can say, and counts beyond, which go on from 0.
  OK(PtlTriggeredCTInc(ct, (ptl_ct_event_t){1, 0}, never, huge));
  OK(PtlCTSet(never, (ptl_ct_event_t){huge - 1, 0}));
  OK(PtlCTGet(ct, &count));
  CHECK(count.success == 0);
  OK(PtlCTInc(never, (ptl_ct_event_t){1, 0}));
  OK(PtlCTWait(ct, 1, &count));
  CHECK(count.success == 1);
  OK(PtlCTInc(never, (ptl_ct_event_t){2, 0}));
  OK(PtlCTGet(never, &count));
  CHECK(count.success == 1 && count.failure == 0);
  OK(PtlCTSet(never, (ptl_ct_event_t){0, 0}));
}

static void maps(void) {
  ptl_process_t map[64];
  ptl_size_t size;
  OK(PtlGetMap(ni, huge, map, &size));
  CHECK(size == (ptl_size_t)ranks);
  REFUSED(PtlSetMap(ni, huge, map));
  REFUSED(PtlSetMap(ni, (ptl_size_t)ranks + 1, map));
  REFUSED(PtlSetMap(ni, half, map));
}

// Interfaces with limits at the ends of their types, and processes whose numbers do not fit.
static void interfaces(void) {
  ptl_ni_limits_t wanted, got;
  int* whole[] = {&wanted.max_entries,      &wanted.max_unexpected_headers, &wanted.max_mds,    &wanted.max_cts,
                  &wanted.max_eqs,          &wanted.max_pt_index,           &wanted.max_iovecs, &wanted.max_list_size,
                  &wanted.max_triggered_ops};
  ptl_size_t* sizes[] = {&wanted.max_msg_size,         &wanted.max_atomic_size,      &wanted.max_fetch_atomic_size,
                         &wanted.max_waw_ordered_size, &wanted.max_war_ordered_size, &wanted.max_volatile_size};
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i) *whole[i] = round == 0 ? INT_MAX : INT_MIN;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) *sizes[i] = round == 0 ? huge : 0;
    wanted.features = 0;
    ptl_handle_ni_t physical_ni;
    OK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_PHYSICAL | (round == 0 ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING), PTL_PID_ANY,
                 &wanted, &got, &physical_ni));
    CHECK(got.max_msg_size < half && got.max_entries >= 0 && got.max_entries < INT_MAX && got.max_pt_index >= 1);
    ptl_md_t bound = {own, sizeof own, 0, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_handle_md_t handle;
    if (round == 1) {
      EXPECT(PtlMDBind(physical_ni, &bound, &handle), PTL_NO_SPACE);
    } else {
      OK(PtlMDBind(physical_ni, &bound, &handle));
      ptl_process_t self, far;
      OK(PtlGetPhysId(physical_ni, &self));
      OK(PtlPut(handle, 0, 8, PTL_NO_ACK_REQ, self, 0, 0, 0, NULL, 0));
      const unsigned steps[] = {1u << 12, 1u << 16, 1u << 24, 1u << 28, 1u << 31};
      for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        far = self;
        far.phys.nid += steps[i];
        REFUSED(PtlPut(handle, 0, 8, PTL_NO_ACK_REQ, far, 0, 0, 0, NULL, 0));
        far = self;
        far.phys.pid += steps[i];
        REFUSED(PtlPut(handle, 0, 8, PTL_NO_ACK_REQ, far, 0, 0, 0, NULL, 0));
      }
    }
    OK(PtlNIFini(physical_ni));
  }
}

int main(void) {
  know_ranks();
  OK(PtlInit());
  open_barrier();
  OK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &ni));
  map_ranks(ni);
  peer = rank_of((my_rank + 1) % ranks);
  OK(PtlEQAlloc(ni, 64, &arrivals));
  OK(PtlEQAlloc(ni, 64, &answers));
  OK(PtlCTAlloc(ni, &ct));
  OK(PtlCTAlloc(ni, &never));
  OK(PtlPTAlloc(ni, 0, arrivals, 3, &index_));
  ptl_md_t bound = {own, sizeof own, PTL_MD_EVENT_SEND_DISABLE, answers, PTL_CT_NONE};
  OK(PtlMDBind(ni, &bound, &md));
  ptl_md_t everything = {NULL, huge, PTL_MD_EVENT_SEND_DISABLE, answers, PTL_CT_NONE};
  OK(PtlMDBind(ni, &everything, &all));
  descriptors();
  entries();
  ranges();
  queues_and_counters();
  maps();
  interfaces();
  messages();
  barrier();
  OK(PtlNIFini(ni));
  PtlFini();
  return 0;
}
