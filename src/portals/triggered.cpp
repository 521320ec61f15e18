// SPDX-License-Identifier: Apache-2.0
#include "triggered.hpp"

#include "memory.hpp"

namespace atl::portals {
namespace {

// The counter of this interface, or null.
const runtime::CounterId* counter_of(const Interface* interface, ptl_handle_ct_t handle) {
  Interface* owner = is_of(handle, Kind::counter) ? interface_of(handle) : nullptr;
  if (owner == nullptr || owner != interface) return nullptr;
  return owner->counters().find(number_in(handle));
}

int no_such() { return library() == nullptr ? PTL_NO_INIT : PTL_ARG_INVALID; }

}  // namespace

int queue(const Prepared& prepared, ptl_handle_ct_t counter, ptl_size_t threshold) {
  if (prepared.interface == nullptr) return prepared.code;
  const runtime::CounterId* on = counter_of(prepared.interface, counter);
  if (on == nullptr) return PTL_ARG_INVALID;
  return code_of(prepared.interface->portals().trigger(*on, threshold, prepared.operation));
}

int triggered_ct_inc(ptl_handle_ct_t handle, ptl_ct_event_t by, ptl_handle_ct_t counter, ptl_size_t threshold) {
  Interface* interface = interface_of(handle);
  const runtime::CounterId* changed = counter_of(interface, handle);
  const runtime::CounterId* on = counter_of(interface, counter);
  if (changed == nullptr || on == nullptr) return no_such();
  if (by.success != 0 && by.failure != 0) return PTL_ARG_INVALID;
  return code_of(interface->portals().trigger_count(*on, threshold, *changed, {by.success, by.failure}));
}

int triggered_ct_set(ptl_handle_ct_t handle, ptl_ct_event_t value, ptl_handle_ct_t counter, ptl_size_t threshold) {
  Interface* interface = interface_of(handle);
  const runtime::CounterId* changed = counter_of(interface, handle);
  const runtime::CounterId* on = counter_of(interface, counter);
  if (changed == nullptr || on == nullptr) return no_such();
  return code_of(interface->portals().trigger_set(*on, threshold, *changed, {value.success, value.failure}));
}

int triggered_me_append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, ptl_me_t* me, ptl_list_t list, void* user,
                        ptl_handle_me_t* handle, ptl_handle_ct_t counter, ptl_size_t threshold) {
  Interface* interface = is_of(ni_handle, Kind::interface) ? interface_of(ni_handle) : nullptr;
  const runtime::CounterId* on = counter_of(interface, counter);
  if (on == nullptr || me == nullptr || handle == nullptr) return no_such();
  auto append = [=, entry = *me] { (void)me_append(ni_handle, index, &entry, list, user, handle); };
  return code_of(interface->portals().trigger_call(*on, threshold, append));
}

int triggered_me_unlink(ptl_handle_me_t handle, ptl_handle_ct_t counter, ptl_size_t threshold) {
  Interface* interface = is_of(handle, Kind::entry) ? interface_of(handle) : nullptr;
  const runtime::CounterId* on = counter_of(interface, counter);
  if (on == nullptr) return no_such();
  return code_of(interface->portals().trigger_call(*on, threshold, [handle] { (void)me_unlink(handle); }));
}

}  // namespace atl::portals
