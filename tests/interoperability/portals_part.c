/* SPDX-License-Identifier: Apache-2.0
 * Portals for a program that has it as one of several doors: a put to another process. Built as a library of its own.
 */
#include <portals4.h>
#include <stddef.h>
#include <stdint.h>

static ptl_handle_ni_t ni;
static ptl_handle_ct_t landed;
static ptl_handle_le_t entry;
static ptl_pt_index_t index_of_entry;
static int64_t landing, leaving;

int begin(void) { return PtlInit(); }

/* Where others find this process. */
int show(int64_t* here) {
  ptl_process_t me;
  int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni);
  if (code == PTL_OK) code = PtlGetPhysId(ni, &me);
  if (code == PTL_OK) code = PtlCTAlloc(ni, &landed);
  if (code == PTL_OK) code = PtlPTAlloc(ni, 0, PTL_EQ_NONE, 2, &index_of_entry);
  ptl_le_t le = {&landing, sizeof(landing), landed, PTL_UID_ANY, PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM};
  if (code == PTL_OK) code = PtlLEAppend(ni, index_of_entry, &le, PTL_PRIORITY_LIST, NULL, &entry);
  if (code == PTL_OK) *here = (int64_t)me.phys.nid << 32 | me.phys.pid;
  return code;
}

int put_right(int64_t there, int64_t value) {
  ptl_process_t target;
  target.phys.nid = (ptl_nid_t)(there >> 32);
  target.phys.pid = (ptl_pid_t)there;
  leaving = value;
  ptl_handle_ct_t done;
  ptl_handle_md_t memory;
  ptl_ct_event_t count;
  int code = PtlCTAlloc(ni, &done);
  ptl_md_t md = {&leaving, sizeof(leaving), PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, done};
  if (code == PTL_OK) code = PtlMDBind(ni, &md, &memory);
  if (code == PTL_OK) code = PtlPut(memory, 0, sizeof(leaving), PTL_CT_ACK_REQ, target, index_of_entry, 0, 0, NULL, 0);
  if (code == PTL_OK) code = PtlCTWait(done, 1, &count);
  if (code == PTL_OK) code = PtlMDRelease(memory);
  if (code == PTL_OK) code = PtlCTFree(done);
  return code;
}

int wait_for_left(int64_t* value) {
  ptl_ct_event_t count;
  int code = PtlCTWait(landed, 1, &count);
  *value = landing;
  return code;
}

int end(void) {
  PtlFini();
  return PTL_OK;
}
