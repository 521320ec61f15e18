// SPDX-License-Identifier: Apache-2.0
// What is sent to a PE that has left the job ends as undeliverable: with the first argument "fini" it leaves by PtlFini
// and exit, with "exit" by exit alone. Run with 2 PEs and ATOLL_PEER_TIMEOUT=1.
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "harness.h"

enum { long_bytes = 1 << 17, flood = 2000 };

static ptl_handle_ni_t ni;
static double small[2];
static char large[long_bytes];

// The other PE tells its process id in the header of a put, and leaves. Returns when its process is no more, if that
// can be seen.
static void let_the_other_leave(const char* how) {
  ptl_handle_eq_t eq = open_for_number(ni);
  if (my_rank == 1) {
    ptl_md_t source = {NULL, 0, PTL_MD_EVENT_SEND_DISABLE, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_handle_md_t md;
    OK(PtlMDBind(ni, &source, &md));
    OK(PtlPut(md, 0, 0, PTL_NO_ACK_REQ, rank_of(0), 1, 0, 0, NULL, (ptl_hdr_data_t)getpid()));
    if (strcmp(how, "fini") == 0) {
      PtlNIFini(ni);
      PtlFini();
    }
    exit(0);
  }
  ptl_event_t event;
  OK(PtlEQWait(eq, &event));
  // On several nodes PtlFini, and so the exit, waits for this PE.
  if (ranks_per_node > 1 || strcmp(how, "exit") == 0)
    while (kill((pid_t)event.hdr_data, 0) == 0 || errno != ESRCH) usleep(1000);
}

static void start(int kind, ptl_handle_md_t md, ptl_handle_md_t into, ptl_size_t bytes) {
  switch (kind) {
    case 0: OK(PtlPut(md, 0, bytes, PTL_ACK_REQ, rank_of(1), 1, 0, 0, NULL, 0)); break;
    case 1: OK(PtlGet(md, 0, bytes, rank_of(1), 1, 0, 0, NULL)); break;
    case 2: OK(PtlAtomic(md, 0, 8, PTL_ACK_REQ, rank_of(1), 1, 0, 0, NULL, 0, PTL_SUM, PTL_DOUBLE)); break;
    case 3: OK(PtlFetchAtomic(into, 0, md, 0, 8, rank_of(1), 1, 0, 0, NULL, 0, PTL_SUM, PTL_DOUBLE)); break;
    case 4: OK(PtlSwap(into, 0, md, 0, 8, rank_of(1), 1, 0, 0, NULL, 0, NULL, PTL_SWAP, PTL_DOUBLE)); break;
  }
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  know_ranks();
  OK(PtlInit());
  open_barrier();
  OK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &ni));
  map_ranks(ni);
  ptl_handle_ct_t ct, trigger, never;
  ptl_handle_eq_t eq;
  ptl_handle_md_t md;
  OK(PtlCTAlloc(ni, &ct));
  OK(PtlCTAlloc(ni, &trigger));
  OK(PtlCTAlloc(ni, &never));
  OK(PtlEQAlloc(ni, 64, &eq));
  ptl_md_t source = {large, sizeof large, PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY, eq,
                     ct};
  OK(PtlMDBind(ni, &source, &md));
  let_the_other_leave(argv[1]);

  ptl_ct_event_t count;
  ptl_event_t event;
  ptl_size_t failures = 0;
  for (int kind = 0; kind < 5; ++kind)
    for (ptl_size_t bytes = 8; bytes <= long_bytes; bytes *= long_bytes / 8) {
      if (kind > 1 && bytes > 8) continue;
      ptl_md_t target = {small, sizeof small, PTL_MD_EVENT_CT_REPLY, eq, ct};
      ptl_handle_md_t into;
      OK(PtlMDBind(ni, &target, &into));
      start(kind, md, into, bytes);
      OK(PtlEQWait(eq, &event));
      CHECK(event.ni_fail_type == PTL_NI_UNDELIVERABLE);
      OK(PtlCTWait(ct, 1, &count));
      CHECK(count.success == 0 && count.failure == ++failures);
    }

  // More than a ring holds, also from triggers.
  ptl_md_t counted = {small, sizeof small, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, ct};
  ptl_handle_md_t many;
  OK(PtlMDBind(ni, &counted, &many));
  for (int i = 0; i < flood; ++i)
    OK(PtlTriggeredPut(many, 0, 8, PTL_CT_ACK_REQ, rank_of(1), 1, 0, 0, NULL, 0, trigger, 1));
  OK(PtlCTInc(trigger, (ptl_ct_event_t){1, 0}));
  for (int i = 0; i < flood; ++i) OK(PtlPut(many, 0, 8, PTL_CT_ACK_REQ, rank_of(1), 1, 0, 0, NULL, 0));
  for (failures += 2 * flood; count.failure < failures;) OK(PtlCTGet(ct, &count));
  CHECK(count.success == 0);

  // No PE is left that could make this true. On several nodes PtlFini waits for the other PE.
  if (ranks_per_node > 1) EXPECT(PtlCTWait(never, 1, &count), PTL_FAIL);
  OK(PtlNIFini(ni));
  PtlFini();
  return 0;
}
