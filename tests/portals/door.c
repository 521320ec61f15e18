// SPDX-License-Identifier: Apache-2.0
// The door as a program meets it: all four interfaces, every kind of operation, codes for what is wrong.
#include <pthread.h>
#include <unistd.h>

#include "harness.h"

// As in the reference: a program that was compiled against its header has these in it.
_Static_assert(sizeof(ptl_process_t) == 8 && sizeof(ptl_md_t) == 32 && sizeof(ptl_le_t) == 32 && sizeof(ptl_me_t) == 64,
               "layout");
_Static_assert(sizeof(ptl_event_t) == 80 && sizeof(ptl_ni_limits_t) == 96 && sizeof(ptl_iovec_t) == 16, "layout");
_Static_assert(PTL_EVENT_SEARCH == 15 && PTL_ABORTED == 15 && PTL_MSWAP == 17 && PTL_ME_LOCAL_INC_UH_RLENGTH == 1 << 18,
               "values");

static int right(void) { return (my_rank + 1) % ranks; }
static int left(void) { return (my_rank + ranks - 1) % ranks; }

static void before_init(void) {
  ptl_handle_ni_t ni;
  ptl_handle_ct_t ct;
  ptl_ct_event_t count;
  EXPECT(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni), PTL_NO_INIT);
  EXPECT(PtlCTAlloc(0, &ct), PTL_NO_INIT);
  EXPECT(PtlCTGet(PTL_CT_NONE, &count), PTL_NO_INIT);
}

// Put, get, atomic, fetch, swap to the right neighbour through one entry, on any interface.
static void moves(int matching, int logical) {
  ptl_handle_ni_t ni;
  unsigned options = (matching ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING) | (logical ? PTL_NI_LOGICAL : PTL_NI_PHYSICAL);
  OK(PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, NULL, NULL, &ni));
  if (logical) map_ranks(ni);
  ptl_process_t me, target = logical ? rank_of(right()) : physical(right());
  OK(PtlGetId(ni, &me));
  if (logical) CHECK(me.rank == (ptl_rank_t)my_rank);
  else CHECK(me.phys.nid == physical(my_rank).phys.nid && me.phys.pid == physical(my_rank).phys.pid);
  ptl_handle_eq_t eq;
  OK(PtlEQAlloc(ni, 64, &eq));
  ptl_pt_index_t pt;
  OK(PtlPTAlloc(ni, 0, eq, 3, &pt));
  CHECK(pt == 3);
  uint64_t landing[4] = {0, 0, 1000, 0};
  ptl_handle_ct_t landed, done;
  OK(PtlCTAlloc(ni, &landed));
  OK(PtlCTAlloc(ni, &done));
  ptl_handle_me_t entry;
  unsigned entry_options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_LINK_DISABLE;
  if (matching) {
    ptl_me_t me_entry = {landing, sizeof(landing), landed, PTL_UID_ANY, entry_options, {0}, 0xab0, 0xf, 0};
    me_entry.match_id = logical ? rank_of(left()) : physical(left());
    OK(PtlMEAppend(ni, pt, &me_entry, PTL_PRIORITY_LIST, landing, &entry));
  } else {
    ptl_le_t le = {landing, sizeof(landing), landed, PTL_UID_ANY, entry_options};
    OK(PtlLEAppend(ni, pt, &le, PTL_PRIORITY_LIST, landing, &entry));
  }
  uint64_t out[2] = {100 + (uint64_t)my_rank, 5}, in[2] = {0, 0};
  ptl_md_t md = {out, sizeof(out), PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, done};
  ptl_handle_md_t from, into;
  OK(PtlMDBind(ni, &md, &from));
  md.start = in;
  OK(PtlMDBind(ni, &md, &into));
  barrier();
  ptl_ct_event_t count;
  OK(PtlPut(from, 0, 8, PTL_CT_ACK_REQ, target, pt, 0xab1, 0, NULL, 7));
  OK(PtlCTWait(done, 1, &count));
  OK(PtlGet(into, 8, 8, target, pt, 0xab2, 0, NULL));
  OK(PtlCTWait(done, 2, &count));
  CHECK(in[1] == 100 + (uint64_t)my_rank);
  OK(PtlAtomic(from, 8, 8, PTL_OC_ACK_REQ, target, pt, 0xab3, 16, NULL, 0, PTL_SUM, PTL_UINT64_T));
  OK(PtlFetchAtomic(into, 0, from, 8, 8, target, pt, 0xab4, 16, NULL, 0, PTL_MAX, PTL_UINT64_T));
  OK(PtlCTWait(done, 4, &count));
  CHECK(in[0] == 1005);
  uint64_t operand = 1005;
  OK(PtlSwap(into, 0, from, 0, 8, target, pt, 0xab5, 16, NULL, 0, &operand, PTL_CSWAP, PTL_UINT64_T));
  OK(PtlCTWait(done, 5, &count));
  CHECK(count.failure == 0 && in[0] == 1005);
  OK(PtlCTWait(landed, 5, &count));
  CHECK(count.success == 5 && landing[0] == 100 + (uint64_t)left() && landing[2] == 100 + (uint64_t)left());
  static const ptl_event_kind_t kinds[] = {PTL_EVENT_PUT, PTL_EVENT_GET, PTL_EVENT_ATOMIC, PTL_EVENT_FETCH_ATOMIC,
                                           PTL_EVENT_FETCH_ATOMIC};
  for (int i = 0; i < 5; ++i) {
    ptl_event_t event;
    OK(PtlEQWait(eq, &event));
    CHECK(event.type == kinds[i] && event.user_ptr == landing && event.mlength == 8 && event.pt_index == pt);
    if (logical) CHECK(event.initiator.rank == (ptl_rank_t)left());
    else
      CHECK(event.initiator.phys.nid == physical(left()).phys.nid &&
            event.initiator.phys.pid == physical(left()).phys.pid);
    if (i == 0) CHECK(event.hdr_data == 7 && event.start == landing && event.match_bits == 0xab1);
    if (i == 2)
      CHECK(event.atomic_operation == PTL_SUM && event.atomic_type == PTL_UINT64_T && event.start == landing + 2);
  }
  barrier();
  OK(PtlMDRelease(from));
  OK(PtlMDRelease(into));
  EXPECT(PtlMDRelease(into), PTL_ARG_INVALID);
  EXPECT(PtlPTFree(ni, pt), PTL_PT_IN_USE);
  OK(matching ? PtlMEUnlink(entry) : PtlLEUnlink(entry));
  EXPECT(matching ? PtlMEUnlink(entry) : PtlLEUnlink(entry), PTL_ARG_INVALID);
  OK(PtlPTFree(ni, pt));
  OK(PtlCTFree(landed));
  EXPECT(PtlCTFree(landed), PTL_ARG_INVALID);
  OK(PtlCTFree(done));
  OK(PtlEQFree(eq));
  OK(PtlNIFini(ni));
}

// What is wrong gets its code, and nothing happens.
static void codes(void) {
  ptl_handle_ni_t ni, same;
  ptl_ni_limits_t desired, limits;
  memset(&desired, 0, sizeof(desired));
  desired.max_entries = desired.max_mds = desired.max_cts = desired.max_eqs = desired.max_list_size = 2;
  desired.max_pt_index = 1;
  desired.max_iovecs = 4;
  desired.max_msg_size = 64;
  desired.max_atomic_size = 16;
  unsigned options = PTL_NI_MATCHING | PTL_NI_PHYSICAL;
  EXPECT(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING, PTL_PID_ANY, NULL, NULL, &ni), PTL_ARG_INVALID);
  EXPECT(PtlNIInit(PTL_IFACE_DEFAULT, options | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &ni), PTL_ARG_INVALID);
  EXPECT(PtlNIInit(5, options, PTL_PID_ANY, NULL, NULL, &ni), PTL_ARG_INVALID);
  EXPECT(PtlNIInit(PTL_IFACE_DEFAULT, options, physical(my_rank).phys.pid + 1, NULL, NULL, &ni), PTL_PID_IN_USE);
  OK(PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, &desired, &limits, &ni));
  CHECK(limits.max_entries == 2 && limits.max_pt_index == 1 && limits.max_msg_size == 64);
  OK(PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, NULL, NULL, &same));
  CHECK(PtlHandleIsEqual(ni, same) && !PtlHandleIsEqual(ni, barrier_.ni));
  OK(PtlNIFini(same));

  ptl_pt_index_t pt, second;
  ptl_handle_eq_t eq, eqs[2];
  OK(PtlEQAlloc(ni, 4, &eq));
  OK(PtlEQAlloc(ni, 4, &eqs[0]));
  EXPECT(PtlEQAlloc(ni, 4, &eqs[1]), PTL_NO_SPACE);
  OK(PtlEQFree(eqs[0]));
  EXPECT(PtlPTAlloc(ni, PTL_PT_FLOWCTRL, PTL_EQ_NONE, PTL_PT_ANY, &pt), PTL_PT_EQ_NEEDED);
  EXPECT(PtlPTAlloc(ni, 0x100, eq, PTL_PT_ANY, &pt), PTL_ARG_INVALID);
  EXPECT(PtlPTAlloc(ni, 0, eq, 2, &pt), PTL_ARG_INVALID);
  EXPECT(PtlPTAlloc(ni, 0, eqs[0], PTL_PT_ANY, &pt), PTL_ARG_INVALID);
  OK(PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &pt));
  EXPECT(PtlPTAlloc(ni, 0, eq, pt, &second), PTL_PT_IN_USE);
  OK(PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &second));
  EXPECT(PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &second), PTL_PT_FULL);
  EXPECT(PtlPTFree(ni, 9), PTL_ARG_INVALID);

  char memory[128];
  ptl_me_t me = {memory, sizeof(memory), PTL_CT_NONE, PTL_UID_ANY, PTL_ME_OP_PUT, {0}, 0, 0, 0};
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  ptl_handle_me_t entries[3];
  OK(PtlMEAppend(ni, pt, &me, PTL_PRIORITY_LIST, NULL, &entries[0]));
  OK(PtlMEAppend(ni, pt, &me, PTL_PRIORITY_LIST, NULL, &entries[1]));
  EXPECT(PtlMEAppend(ni, pt, &me, PTL_PRIORITY_LIST, NULL, &entries[2]), PTL_NO_SPACE);
  OK(PtlMEUnlink(entries[1]));
  me.options = 1u << 30;
  EXPECT(PtlMEAppend(ni, pt, &me, PTL_PRIORITY_LIST, NULL, &entries[2]), PTL_ARG_INVALID);
  me.options = PTL_IOVEC | PTL_ME_OP_PUT;
  me.length = 5;
  EXPECT(PtlMEAppend(ni, pt, &me, PTL_PRIORITY_LIST, NULL, &entries[2]), PTL_ARG_INVALID);
  EXPECT(PtlLEAppend(ni, pt, &(ptl_le_t){memory, 8, PTL_CT_NONE, PTL_UID_ANY, PTL_LE_OP_PUT}, PTL_PRIORITY_LIST, NULL,
                     &entries[2]),
         PTL_ARG_INVALID);

  ptl_handle_ct_t ct, freed;
  OK(PtlCTAlloc(ni, &ct));
  OK(PtlCTAlloc(ni, &freed));
  OK(PtlCTFree(freed));
  ptl_md_t md = {memory, sizeof(memory), 0, eq, freed};
  ptl_handle_md_t mdh;
  EXPECT(PtlMDBind(ni, &md, &mdh), PTL_ARG_INVALID);
  md.ct_handle = ct;
  OK(PtlMDBind(ni, &md, &mdh));
  ptl_process_t self = physical(my_rank), unknown = self;
  unknown.phys.pid = 900;
  EXPECT(PtlPut(mdh, 0, 8, PTL_NO_ACK_REQ, unknown, pt, 0, 0, NULL, 0), PTL_ARG_INVALID);
  EXPECT(PtlPut(mdh, 0, 65, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0), PTL_ARG_INVALID);
  EXPECT(PtlPut(mdh, 125, 8, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0), PTL_ARG_INVALID);
  EXPECT(PtlPut(mdh, 0, 8, 4, self, pt, 0, 0, NULL, 0), PTL_ARG_INVALID);
  EXPECT(PtlPut(PTL_INVALID_HANDLE, 0, 8, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0), PTL_ARG_INVALID);
  EXPECT(PtlAtomic(mdh, 0, 8, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0, PTL_BAND, PTL_DOUBLE), PTL_ARG_INVALID);
  EXPECT(PtlAtomic(mdh, 0, 8, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0, PTL_SWAP, PTL_DOUBLE), PTL_ARG_INVALID);
  EXPECT(PtlAtomic(mdh, 0, 24, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0, PTL_SUM, PTL_DOUBLE), PTL_ARG_INVALID);
  EXPECT(PtlAtomic(mdh, 0, 7, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0, PTL_SUM, PTL_DOUBLE), PTL_ARG_INVALID);
  EXPECT(PtlSwap(mdh, 0, mdh, 0, 8, self, pt, 0, 0, NULL, 0, NULL, PTL_CSWAP, PTL_DOUBLE), PTL_ARG_INVALID);
  EXPECT(PtlTriggeredPut(mdh, 0, 8, PTL_NO_ACK_REQ, self, pt, 0, 0, NULL, 0, freed, 1), PTL_ARG_INVALID);
  EXPECT(PtlTriggeredCTInc(freed, (ptl_ct_event_t){1, 0}, ct, 1), PTL_ARG_INVALID);
  EXPECT(PtlCTInc(ct, (ptl_ct_event_t){1, 1}), PTL_ARG_INVALID);
  EXPECT(PtlCTGet(PTL_CT_NONE, &(ptl_ct_event_t){0, 0}), PTL_ARG_INVALID);
  ptl_event_t event;
  unsigned which;
  ptl_ct_event_t count;
  ptl_size_t test = 1;
  EXPECT(PtlEQGet(mdh, &event), PTL_ARG_INVALID);
  EXPECT(PtlEQPoll(&eq, 0, 1, &event, &which), PTL_ARG_INVALID);
  EXPECT(PtlCTPoll(&ct, &test, 1, 1, &count, &which), PTL_CT_NONE_REACHED);
  ptl_handle_ni_t owner;
  OK(PtlNIHandle(mdh, &owner));
  CHECK(PtlHandleIsEqual(owner, ni));
  EXPECT(PtlNIHandle(freed, &owner), PTL_ARG_INVALID);
  EXPECT(PtlSetMap(ni, 1, &self), PTL_ARG_INVALID);
  OK(PtlStartBundle(ni));
  OK(PtlEndBundle(ni));
  OK(PtlAtomicSync());

  // A put that the entry does not allow, and one that no entry takes: both sides hear.
  while (PtlEQGet(eq, &event) == PTL_OK) continue;
  me = (ptl_me_t){memory, 8, PTL_CT_NONE, PTL_UID_ANY, PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE, me.match_id, 1, 0, 0};
  OK(PtlMEUnlink(entries[0]));
  OK(PtlMEAppend(ni, pt, &me, PTL_PRIORITY_LIST, NULL, &entries[0]));
  for (ptl_match_bits_t bits = 1; bits <= 2; ++bits) {
    OK(PtlPut(mdh, 0, 8, PTL_ACK_REQ, self, pt, bits, 0, NULL, 0));
    OK(PtlEQWait(eq, &event));
    CHECK(event.type == PTL_EVENT_SEND);
    OK(PtlEQWait(eq, &event));
    CHECK(event.type == PTL_EVENT_ACK && event.ni_fail_type == (bits == 1 ? PTL_NI_OP_VIOLATION : PTL_NI_DROPPED));
  }
  ptl_sr_value_t drops, violations;
  OK(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &drops));
  OK(PtlNIStatus(ni, PTL_SR_OPERATION_VIOLATIONS, &violations));
  CHECK(drops == 1 && violations == 1);
  OK(PtlNIFini(ni));
  EXPECT(PtlNIFini(ni), PTL_ARG_INVALID);
}

// A target that computes and does not call the library, triggered operations in chains, equal thresholds in order.
static void without_help(void) {
  static volatile uint64_t cells[2];
  ptl_handle_ni_t ni = barrier_.ni;
  ptl_pt_index_t pt;
  ptl_handle_ct_t landed;
  ptl_handle_le_t entry;
  OK(PtlPTAlloc(ni, 0, PTL_EQ_NONE, 11, &pt));
  OK(PtlCTAlloc(ni, &landed));
  ptl_le_t le = {(void*)cells, sizeof(cells), landed, PTL_UID_ANY, PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM};
  OK(PtlLEAppend(ni, pt, &le, PTL_PRIORITY_LIST, NULL, &entry));
  uint64_t value = 1;
  ptl_md_t md = {&value, 8, 0, PTL_EQ_NONE, PTL_CT_NONE};
  ptl_handle_md_t mdh;
  OK(PtlMDBind(ni, &md, &mdh));
  // What lands in the first cell sends on to the second of the neighbour: twice, in this order.
  OK(PtlTriggeredPut(mdh, 0, 8, PTL_NO_ACK_REQ, rank_of(right()), pt, 0, 8, NULL, 0, landed, 1));
  OK(PtlTriggeredCTInc(landed, (ptl_ct_event_t){100, 0}, landed, 2));
  value = 41;  // what it is when they start
  barrier();
  OK(PtlPut(mdh, 0, 8, PTL_NO_ACK_REQ, rank_of(right()), pt, 0, 0, NULL, 0));
  while (cells[0] != 41 || cells[1] != 41) usleep(10);
  ptl_ct_event_t count;
  OK(PtlCTWait(landed, 102, &count));
  CHECK(count.success == 102);
  // What was cancelled never comes.
  OK(PtlTriggeredCTInc(landed, (ptl_ct_event_t){1000, 0}, landed, 103));
  OK(PtlCTCancelTriggered(landed));
  OK(PtlCTInc(landed, (ptl_ct_event_t){1, 0}));
  OK(PtlCTGet(landed, &count));
  CHECK(count.success == 103);
  OK(PtlCTSet(landed, (ptl_ct_event_t){7, 2}));
  OK(PtlCTGet(landed, &count));
  CHECK(count.success == 7 && count.failure == 2);
  barrier();
  OK(PtlLEUnlink(entry));
  OK(PtlPTFree(ni, pt));
  OK(PtlMDRelease(mdh));
  OK(PtlCTFree(landed));
}

static ptl_handle_ct_t waited;

static void* wait_for_ever(void* argument) {
  ptl_ct_event_t* count = argument;
  return (void*)(intptr_t)PtlCTWait(waited, 10, count);
}

// Waits end when their counter is freed, and when somebody aborts.
static void ends_of_waits(void) {
  for (int abort_it = 0; abort_it < 2; ++abort_it) {
    ptl_ct_event_t count = {0, 0};
    pthread_t thread;
    void* code;
    OK(PtlCTAlloc(barrier_.ni, &waited));
    CHECK(pthread_create(&thread, NULL, wait_for_ever, &count) == 0);
    usleep(20000);
    if (abort_it) PtlAbort();
    else OK(PtlCTFree(waited));
    CHECK(pthread_join(thread, &code) == 0);
    CHECK((intptr_t)code == (abort_it ? PTL_ABORTED : PTL_OK) && count.failure == (abort_it ? 0u : 1u));
  }
  ptl_ct_event_t count;
  EXPECT(PtlCTWait(waited, 1, &count), PTL_ABORTED);
}

int main(void) {
  know_ranks();
  before_init();
  OK(PtlInit());
  OK(PtlInit());
  open_barrier();
  for (int kind = 0; kind < 4; ++kind) moves((kind & 1) == 0, (kind & 2) == 0);
  codes();
  without_help();
  barrier();
  ends_of_waits();
  OK(PtlNIFini(barrier_.ni));
  PtlFini();
  PtlFini();
  before_init();
  return 0;
}
