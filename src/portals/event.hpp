// SPDX-License-Identifier: Apache-2.0
// Counters and event queues.
#pragma once

#include "portals4.h"

namespace atl::portals {

int ct_alloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t* handle);
int ct_free(ptl_handle_ct_t handle);
int ct_cancel_triggered(ptl_handle_ct_t handle);
int ct_get(ptl_handle_ct_t handle, ptl_ct_event_t* event);
int ct_wait(ptl_handle_ct_t handle, ptl_size_t test, ptl_ct_event_t* event);
int ct_poll(const ptl_handle_ct_t* handles, const ptl_size_t* tests, unsigned size, ptl_time_t timeout,
            ptl_ct_event_t* event, unsigned* which);
int ct_set(ptl_handle_ct_t handle, ptl_ct_event_t value);
int ct_inc(ptl_handle_ct_t handle, ptl_ct_event_t by);
int eq_alloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t* handle);
int eq_free(ptl_handle_eq_t handle);
int eq_get(ptl_handle_eq_t handle, ptl_event_t* event);
int eq_wait(ptl_handle_eq_t handle, ptl_event_t* event);
int eq_poll(const ptl_handle_eq_t* handles, unsigned size, ptl_time_t timeout, ptl_event_t* event, unsigned* which);

}  // namespace atl::portals
