// SPDX-License-Identifier: Apache-2.0
// How long 8 bytes take from one PE to the next and back: each PE's put is triggered by the counter that the other's
// put bumps. usage: latency [ROUNDS]
#include <time.h>

#include "harness.h"

static double now_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  know_ranks();
  const ptl_size_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000, batch = 500;
  OK(PtlInit());
  open_barrier();
  if (my_rank > 1 || ranks < 2) return 0;
  ptl_handle_ni_t ni = barrier_.ni;
  ptl_pt_index_t pt;
  ptl_handle_ct_t landed;
  ptl_handle_le_t entry;
  ptl_handle_md_t md;
  uint64_t in = 0, out = 0;
  OK(PtlPTAlloc(ni, 0, PTL_EQ_NONE, 5, &pt));
  OK(PtlCTAlloc(ni, &landed));
  ptl_le_t le = {&in, 8, landed, PTL_UID_ANY, PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM};
  OK(PtlLEAppend(ni, pt, &le, PTL_PRIORITY_LIST, NULL, &entry));
  OK(PtlMDBind(ni, &(ptl_md_t){&out, 8, 0, PTL_EQ_NONE, PTL_CT_NONE}, &md));
  ptl_process_t other = rank_of(1 - my_rank);
  ptl_ct_event_t count;
  double best = 1e9, best_plain = 1e9;
  for (ptl_size_t done = 0; done < rounds; done += batch) {
    OK(PtlCTSet(landed, (ptl_ct_event_t){0, 0}));
    for (ptl_size_t i = 1; i <= batch; ++i)
      if (my_rank == 1 || i < batch) OK(PtlTriggeredPut(md, 0, 8, PTL_NO_ACK_REQ, other, pt, 0, 0, NULL, 0, landed, i));
    barrier();
    double begin = now_s();
    if (my_rank == 0) OK(PtlPut(md, 0, 8, PTL_NO_ACK_REQ, other, pt, 0, 0, NULL, 0));
    OK(PtlCTWait(landed, batch, &count));
    double each = (now_s() - begin) / (double)(2 * batch);
    if (each < best) best = each;
    barrier();
    // The same by hand: wait, then put.
    OK(PtlCTSet(landed, (ptl_ct_event_t){0, 0}));
    barrier();
    begin = now_s();
    for (ptl_size_t i = 1; i <= batch; ++i) {
      out = i;
      if (my_rank == 0) OK(PtlPut(md, 0, 8, PTL_NO_ACK_REQ, other, pt, 0, 0, NULL, 0));
      OK(PtlCTWait(landed, i, &count));
      CHECK(in == i && count.failure == 0);
      if (my_rank == 1) OK(PtlPut(md, 0, 8, PTL_NO_ACK_REQ, other, pt, 0, 0, NULL, 0));
    }
    each = (now_s() - begin) / (double)(2 * batch);
    if (each < best_plain) best_plain = each;
    barrier();
  }
  if (my_rank == 0) printf("triggered put: %.0f ns one way, put after a wait: %.0f ns\n", best * 1e9, best_plain * 1e9);
  OK(PtlNIFini(ni));
  PtlFini();
  return 0;
}
