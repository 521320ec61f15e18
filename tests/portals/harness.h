// SPDX-License-Identifier: Apache-2.0
// Shared code of the programs in this folder: checks that report their line, identities of PEs, a barrier.
#pragma once

#include <inttypes.h>
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, my_rank, #condition); \
      exit(1); \
    } \
  } while (0)
#define EXPECT(call, code) \
  do { \
    int got_ = (call); \
    if (got_ != (code)) { \
      fprintf(stderr, "%s:%d: rank %d: %s is %d, not %s\n", __FILE__, __LINE__, my_rank, #call, got_, #code); \
      exit(1); \
    } \
  } while (0)
#define OK(call) EXPECT(call, PTL_OK)

static int my_rank = 0, ranks = 1, ranks_per_node = 1 << 20;

// A PE's node is its number, its process the place among those of its node, unless it asks for another.
static void know_ranks(void) {
  const char *pe = getenv("ATOLL_PE"), *npes = getenv("ATOLL_NPES"), *per_node = getenv("TEST_RANKS_PER_NODE");
  // Under launchers of others, which number processes by variables of their own.
  if (pe == NULL) pe = getenv("PMI_RANK");
  if (pe == NULL) pe = getenv("PMIX_RANK");
  if (npes == NULL) npes = getenv("TEST_RANKS");
  if (pe != NULL) my_rank = atoi(pe);
  if (npes != NULL) ranks = atoi(npes);
  if (per_node != NULL) ranks_per_node = atoi(per_node);
}

static ptl_process_t physical(int rank) {
  ptl_process_t process;
  process.phys.nid = (ptl_nid_t)(rank / ranks_per_node);
  process.phys.pid = (ptl_pid_t)(rank % ranks_per_node);
  return process;
}

static void map_ranks(ptl_handle_ni_t ni) {
  ptl_process_t map[64];
  for (int rank = 0; rank < ranks; ++rank) map[rank] = physical(rank);
  OK(PtlSetMap(ni, (ptl_size_t)ranks, map));
}

static ptl_process_t rank_of(int rank) {
  ptl_process_t process;
  process.rank = (ptl_rank_t)rank;
  return process;
}

// A barrier over a logical interface without matching: rank 0 counts all, then tells all.
static struct {
  ptl_handle_ni_t ni;
  ptl_handle_ct_t ct;
  ptl_handle_eq_t eq;
  ptl_handle_md_t md;
  ptl_size_t round;
} barrier_;

static void open_barrier(void) {
  OK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &barrier_.ni));
  map_ranks(barrier_.ni);
  ptl_pt_index_t index;
  OK(PtlPTAlloc(barrier_.ni, 0, PTL_EQ_NONE, 7, &index));
  OK(PtlCTAlloc(barrier_.ni, &barrier_.ct));
  ptl_le_t le = {NULL, 0, barrier_.ct, PTL_UID_ANY, PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM};
  ptl_handle_le_t handle;
  OK(PtlLEAppend(barrier_.ni, 7, &le, PTL_PRIORITY_LIST, NULL, &handle));
  OK(PtlEQAlloc(barrier_.ni, 16, &barrier_.eq));
  ptl_md_t md = {NULL, 0, PTL_MD_EVENT_SEND_DISABLE, barrier_.eq, PTL_CT_NONE};
  OK(PtlMDBind(barrier_.ni, &md, &barrier_.md));
}

static void barrier(void) {
  ptl_ct_event_t count;
  ++barrier_.round;
  ptl_size_t others = (ptl_size_t)ranks - 1;
  if (my_rank != 0) {
    // Until rank 0 has opened its portal, it refuses.
    ptl_event_t event;
    do {
      OK(PtlPut(barrier_.md, 0, 0, PTL_ACK_REQ, rank_of(0), 7, 0, 0, NULL, 0));
      OK(PtlEQWait(barrier_.eq, &event));
    } while (event.ni_fail_type != PTL_NI_OK);
    OK(PtlCTWait(barrier_.ct, barrier_.round, &count));
    return;
  }
  OK(PtlCTWait(barrier_.ct, barrier_.round * others, &count));
  for (int rank = 1; rank < ranks; ++rank)
    OK(PtlPut(barrier_.md, 0, 0, PTL_NO_ACK_REQ, rank_of(rank), 7, 0, 0, NULL, 0));
}

// Opens portal table entry 1 for a put of no bytes, whose header data is a number. Returns its event queue when all
// ranks have opened theirs.
static inline ptl_handle_eq_t open_for_number(ptl_handle_ni_t ni) {
  ptl_pt_index_t index;
  ptl_handle_eq_t eq;
  OK(PtlEQAlloc(ni, 4, &eq));
  OK(PtlPTAlloc(ni, 0, eq, 1, &index));
  ptl_me_t entry = {
      NULL, 0, PTL_CT_NONE, PTL_UID_ANY, PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE, {.rank = PTL_RANK_ANY}, 0, 0, 0};
  ptl_handle_me_t handle;
  OK(PtlMEAppend(ni, 1, &entry, PTL_PRIORITY_LIST, NULL, &handle));
  barrier();
  return eq;
}
