// SPDX-License-Identifier: Apache-2.0
// Puts, gets and atomics return, whatever their target does: the last PE starts far more of them than rings and
// networks hold, while PE 0 is stopped.
#include <signal.h>
#include <unistd.h>

#include "harness.h"

enum { MANY = 4000, SOME = 3000, LONG = 8192 };

static ptl_handle_ni_t ni;
static ptl_handle_md_t md;
static ptl_handle_ct_t answered, landed, trigger;
static ptl_pt_index_t portal;
static uint64_t words[MANY], sources[MANY];
static unsigned char blocks[SOME][LONG], texts[SOME + LONG];
static pid_t target;
static volatile uint64_t go;  // at PE 0: 1 + the kind whose operations have all been started
static uint64_t goes;

static char state_of(pid_t process) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
  FILE* file = fopen(path, "r");
  CHECK(file != NULL && fgets(text, sizeof text, file) != NULL);
  fclose(file);
  return strrchr(text, ')')[2];
}

static void stop_it(void) {
  CHECK(kill(target, SIGSTOP) == 0);
  while (state_of(target) != 'T') usleep(100);
}

// PE 0 tells all others its process id.
static void learn_target(void) {
  ptl_handle_eq_t eq = open_for_number(ni);
  if (my_rank == 0) {
    for (int rank = 1; rank < ranks; ++rank)
      OK(PtlPut(md, 0, 0, PTL_NO_ACK_REQ, rank_of(rank), 1, 0, 0, NULL, (ptl_hdr_data_t)getpid()));
    return;
  }
  ptl_event_t event;
  OK(PtlEQWait(eq, &event));
  target = (pid_t)event.hdr_data;
}

static void start(int kind) {
  for (int i = 0; i < (kind == 1 ? SOME : MANY); ++i) {
    const ptl_size_t from = (ptl_size_t)i * 8, to = from;
    switch (kind) {
      case 0: OK(PtlPut(md, from, 8, PTL_CT_ACK_REQ, rank_of(0), portal, 0, to, NULL, 0)); break;
      case 1:
        OK(PtlPut(md, sizeof sources + (ptl_size_t)i, LONG, PTL_CT_ACK_REQ, rank_of(0), portal, 1, (ptl_size_t)i * LONG,
                  NULL, 0));
        break;
      case 2:
        OK(PtlAtomic(md, from, 8, PTL_CT_ACK_REQ, rank_of(0), portal, 0, to, NULL, 0, PTL_SUM, PTL_UINT64_T));
        break;
      case 3: OK(PtlTriggeredPut(md, from, 8, PTL_CT_ACK_REQ, rank_of(0), portal, 0, to, NULL, 0, trigger, 1)); break;
      case 4: OK(PtlGet(md, from, 8, rank_of(0), portal, 2, to, NULL)); break;
    }
  }
  if (kind == 3) OK(PtlCTInc(trigger, (ptl_ct_event_t){1, 0}));
}

static void expect_all(int kind) {
  for (int i = 0; i < MANY && kind != 1 && kind != 4; ++i) CHECK(words[i] == (uint64_t)i + 1);
  for (int i = 0; i < SOME && kind == 1; ++i) CHECK(memcmp(blocks[i], texts + i, LONG) == 0);
}

int main(void) {
  know_ranks();
  OK(PtlInit());
  open_barrier();
  OK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &ni));
  map_ranks(ni);
  OK(PtlCTAlloc(ni, &answered));
  OK(PtlCTAlloc(ni, &landed));
  OK(PtlCTAlloc(ni, &trigger));
  for (int i = 0; i < MANY; ++i) sources[i] = (uint64_t)i + 1;
  for (int i = 0; i < SOME + LONG; ++i) texts[i] = (unsigned char)(i * 31 + i / 256 + 1);
  ptl_iovec_t from[] = {{sources, sizeof sources}, {texts, sizeof texts}, {&goes, sizeof goes}};
  ptl_md_t bound = {from, 3, PTL_IOVEC | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, answered};
  OK(PtlMDBind(ni, &bound, &md));
  OK(PtlPTAlloc(ni, 0, PTL_EQ_NONE, 2, &portal));
  void* memory[] = {words, blocks, sources, (void*)&go};
  const ptl_size_t bytes[] = {sizeof words, sizeof blocks, sizeof sources, sizeof go};
  for (int i = 0; i < 4; ++i) {
    ptl_me_t entry = {memory[i],
                      bytes[i],
                      i < 3 ? landed : PTL_CT_NONE,
                      PTL_UID_ANY,
                      PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_CT_COMM,
                      {.rank = PTL_RANK_ANY},
                      (ptl_match_bits_t)i,
                      0,
                      0};
    ptl_handle_me_t handle;
    OK(PtlMEAppend(ni, portal, &entry, PTL_PRIORITY_LIST, NULL, &handle));
  }
  learn_target();
  ptl_size_t done = 0;
  for (int kind = 0; kind < 5; ++kind) {
    memset(words, 0, sizeof words);
    barrier();
    done += kind == 1 ? SOME : MANY;
    ptl_ct_event_t count;
    if (my_rank == ranks - 1) {
      stop_it();
      start(kind);
      CHECK(kill(target, SIGCONT) == 0);
      goes = (uint64_t)kind + 1;
      OK(PtlPut(md, sizeof sources + sizeof texts, sizeof goes, PTL_NO_ACK_REQ, rank_of(0), portal, 3, 0, NULL, 0));
      OK(PtlCTWait(answered, done, &count));
      CHECK(count.success == done && count.failure == 0);
    }
    if (my_rank == 0) {
      while (go != (uint64_t)kind + 1) usleep(100);
      OK(PtlCTWait(landed, done, &count));
      expect_all(kind);
    }
    barrier();
  }
  OK(PtlNIFini(ni));
  PtlFini();
  return 0;
}
