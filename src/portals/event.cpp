// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "interface.hpp"

namespace atl::portals {
namespace {

using runtime::EventQueue;

// Greatest size of a queue: 1.5 GiB.
constexpr ptl_size_t most_events = ptl_size_t{1} << 24;

struct Counter {
  Interface* interface = nullptr;
  std::uint32_t number = 0;
  runtime::CounterId id = runtime::no_counter;
};

// Returns false for an unknown counter.
bool find(ptl_handle_ct_t handle, Counter& counter) {
  counter.interface = is_of(handle, Kind::counter) ? interface_of(handle) : nullptr;
  const runtime::CounterId* id =
      counter.interface == nullptr ? nullptr : counter.interface->counters().find(number_in(handle));
  if (id == nullptr) return false;
  counter.number = number_in(handle);
  counter.id = *id;
  return true;
}

struct Source {
  Interface* interface = nullptr;
  EventQueue* queue = nullptr;
};

bool find(ptl_handle_eq_t handle, Source& source) {
  source.interface = is_of(handle, Kind::queue) ? interface_of(handle) : nullptr;
  auto* queue = source.interface == nullptr ? nullptr : source.interface->queues().find(number_in(handle));
  if (queue == nullptr) return false;
  source.queue = *queue;
  return true;
}

int no_such() { return library() == nullptr ? PTL_NO_INIT : PTL_ARG_INVALID; }

// A wait for a counter that another thread frees returns a failure.
ptl_ct_event_t value_of(const Counter& counter) {
  if (counter.interface->counters().find(counter.number) == nullptr) return {0, 1};
  runtime::Count count = counter.interface->counting().count(counter.id);
  return {count.success, count.failure};
}

bool has_come(const Counter& counter, ptl_size_t test) {
  auto reached = [&] {
    ptl_ct_event_t now = value_of(counter);
    return now.success >= test || now.failure != 0;
  };
  if (reached()) return true;
  counter.interface->portals().settle_departures();
  return reached();
}

Deadline deadline_of(ptl_time_t timeout) {
  return timeout == PTL_TIME_FOREVER ? Deadline::never() : Deadline::after_ns(std::int64_t{timeout} * 1'000'000);
}

ptl_event_t translated(const Interface& interface, const runtime::Event& from) {
  ptl_event_t event{};
  event.start = from.start;
  event.user_ptr = from.user;
  event.hdr_data = from.header;
  event.match_bits = from.match_bits;
  event.rlength = from.requested;
  event.mlength = from.moved;
  event.remote_offset = from.offset;
  event.initiator = interface.process(from.initiator);
  event.uid = from.uid;
  event.pt_index = from.portal;
  event.type = static_cast<ptl_event_kind_t>(from.kind);
  event.ptl_list = static_cast<ptl_list_t>(from.list);
  event.ni_fail_type = static_cast<ptl_ni_fail_t>(from.failure);
  event.atomic_operation = from.operation;
  event.atomic_type = from.type;
  return event;
}
static_assert(static_cast<int>(runtime::EventKind::search) == PTL_EVENT_SEARCH &&
              static_cast<int>(runtime::EventKind::ack) == PTL_EVENT_ACK &&
              static_cast<int>(runtime::Failure::segment) == PTL_NI_SEGV &&
              static_cast<int>(runtime::ListKind::overflow) == PTL_OVERFLOW_LIST);

int take(const Source& source, ptl_event_t* event) {
  runtime::Event taken;
  EventQueue::Taken how = source.queue->take(taken);
  if (how == EventQueue::Taken::nothing) {
    source.interface->portals().settle_departures();
    how = source.queue->take(taken);
  }
  if (how == EventQueue::Taken::nothing) return PTL_EQ_EMPTY;
  *event = translated(*source.interface, taken);
  return how == EventQueue::Taken::event_after_loss ? PTL_EQ_DROPPED : PTL_OK;
}

}  // namespace

int ct_alloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t* handle) {
  Interface* interface = is_of(ni_handle, Kind::interface) ? interface_of(ni_handle) : nullptr;
  if (interface == nullptr || handle == nullptr) return no_such();
  std::uint32_t number = interface->counters().take();
  if (number == runtime::Pool<runtime::CounterId>::nothing) return PTL_NO_SPACE;
  try {
    interface->counters()[number] = interface->counting().allocate_counter();
  } catch (const MemoryError&) {
    interface->counters().give_back(number);
    return PTL_NO_SPACE;
  }
  *handle = interface->handle(Kind::counter, number);
  return PTL_OK;
}

int ct_free(ptl_handle_ct_t handle) {
  Counter counter;
  if (!find(handle, counter)) return no_such();
  counter.interface->free_counter(number_in(handle));
  return PTL_OK;
}

int ct_cancel_triggered(ptl_handle_ct_t handle) {
  Counter counter;
  if (!find(handle, counter)) return no_such();
  counter.interface->portals().cancel(counter.id);
  return PTL_OK;
}

int ct_get(ptl_handle_ct_t handle, ptl_ct_event_t* event) {
  Counter counter;
  if (!find(handle, counter) || event == nullptr) return no_such();
  runtime::Progress& progress = counter.interface->progress();
  progress.note_active();
  progress.progress();
  counter.interface->portals().settle_departures();
  *event = value_of(counter);
  return PTL_OK;
}

int ct_wait(ptl_handle_ct_t handle, ptl_size_t test, ptl_ct_event_t* event) {
  if (Library* here = library(); here != nullptr && here->aborted()) return PTL_ABORTED;
  Counter counter;
  if (!find(handle, counter)) return no_such();
  int code = counter.interface->library().wait([&] { return has_come(counter, test); }, Deadline::never(), PTL_FAIL);
  if (event != nullptr) *event = value_of(counter);
  return code;
}

int ct_poll(const ptl_handle_ct_t* handles, const ptl_size_t* tests, unsigned size, ptl_time_t timeout,
            ptl_ct_event_t* event, unsigned* which) {
  if (Library* here = library(); here != nullptr && here->aborted()) return PTL_ABORTED;
  if (handles == nullptr || tests == nullptr || size == 0 || which == nullptr) return no_such();
  std::vector<Counter> counters;  // grows with the valid counters, independent of `size`
  for (unsigned i = 0; i < size; ++i)
    if (!find(handles[i], counters.emplace_back())) return no_such();
  unsigned found = size;
  auto ready = [&] {
    for (unsigned i = 0; i < size && found == size; ++i)
      if (has_come(counters[i], tests[i])) found = i;
    return found != size;
  };
  int code = counters[0].interface->library().wait(ready, deadline_of(timeout), PTL_CT_NONE_REACHED);
  if (found == size) return code;
  *which = found;
  if (event != nullptr) *event = value_of(counters[found]);
  return PTL_OK;
}

int ct_set(ptl_handle_ct_t handle, ptl_ct_event_t value) {
  Counter counter;
  if (!find(handle, counter)) return no_such();
  counter.interface->counting().set_counter({counter.interface->one_sided().pe(), counter.id},
                                            {value.success, value.failure});
  counter.interface->progress().progress();  // what is due now
  return PTL_OK;
}

int ct_inc(ptl_handle_ct_t handle, ptl_ct_event_t by) {
  Counter counter;
  if (!find(handle, counter)) return no_such();
  if (by.success != 0 && by.failure != 0) return PTL_ARG_INVALID;
  counter.interface->counting().count({counter.interface->one_sided().pe(), counter.id}, {by.success, by.failure});
  counter.interface->progress().progress();  // what is due now
  return PTL_OK;
}

int eq_alloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t* handle) {
  Interface* interface = is_of(ni_handle, Kind::interface) ? interface_of(ni_handle) : nullptr;
  if (interface == nullptr || handle == nullptr) return no_such();
  if (count > most_events) return PTL_NO_SPACE;
  std::uint32_t number = interface->queues().take();
  if (number == runtime::Pool<EventQueue*>::nothing) return PTL_NO_SPACE;
  try {
    interface->queues()[number] = &interface->make_queue(count);
  } catch (...) {
    interface->queues().give_back(number);
    throw;
  }
  *handle = interface->handle(Kind::queue, number);
  return PTL_OK;
}

int eq_free(ptl_handle_eq_t handle) {
  Source source;
  if (!find(handle, source)) return no_such();
  source.interface->free_queue(number_in(handle));
  return PTL_OK;
}

int eq_get(ptl_handle_eq_t handle, ptl_event_t* event) {
  Source source;
  if (!find(handle, source) || event == nullptr) return no_such();
  runtime::Progress& progress = source.interface->progress();
  progress.note_active();
  if (source.queue->is_empty()) progress.progress();
  return take(source, event);
}

int eq_wait(ptl_handle_eq_t handle, ptl_event_t* event) {
  unsigned which;
  return eq_poll(&handle, 1, PTL_TIME_FOREVER, event, &which);
}

int eq_poll(const ptl_handle_eq_t* handles, unsigned size, ptl_time_t timeout, ptl_event_t* event, unsigned* which) {
  if (Library* here = library(); here != nullptr && here->aborted()) return PTL_ABORTED;
  if (handles == nullptr || size == 0 || event == nullptr || which == nullptr) return no_such();
  Source one;  // no allocation for a single queue
  std::vector<Source> several;
  for (unsigned i = 0; i < size; ++i)
    if (!find(handles[i], size == 1 ? one : several.emplace_back())) return no_such();
  const Source* sources = size == 1 ? &one : several.data();
  int taken = PTL_EQ_EMPTY;
  auto ready = [&] {
    for (unsigned i = 0; i < size && taken == PTL_EQ_EMPTY; ++i)
      if ((taken = take(sources[i], event)) != PTL_EQ_EMPTY) *which = i;
    return taken != PTL_EQ_EMPTY;
  };
  int code = sources[0].interface->library().wait(ready, deadline_of(timeout), PTL_EQ_EMPTY);
  return taken != PTL_EQ_EMPTY ? taken : code;
}

}  // namespace atl::portals
