// SPDX-License-Identifier: Apache-2.0
#include "event.hpp"

#include <atomic>

#include "atoll/runtime/one_sided.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

// Operations over the network are numbered; quiet() completes all that were started before it. Bit 1 of an event means
// that the bits above it are such a number.
constexpr std::uintptr_t far_bit = 2;
std::atomic<std::uint64_t> started{0}, completed{0};

bool is_far(gex_Event_t event) { return (reinterpret_cast<std::uintptr_t>(event) & 3) == far_bit; }
std::uint64_t number_of(gex_Event_t event) { return reinterpret_cast<std::uintptr_t>(event) >> 2; }
gex_Event_t event_of(std::uint64_t number) { return reinterpret_cast<gex_Event_t>(number << 2 | far_bit); }

void complete_far(Library& here, std::uint64_t number) {
  if (completed.load(std::memory_order_acquire) >= number) return;
  const std::uint64_t all = started.load(std::memory_order_relaxed);
  here.one_sided().quiet_far();
  std::uint64_t before = completed.load(std::memory_order_relaxed);
  while (before < all && !completed.compare_exchange_weak(before, all, std::memory_order_acq_rel)) {}
}

// The last implicit operation of this thread over the network; 0: none.
struct Implicit {
  std::uint64_t last = 0;
  std::uint64_t last_of_region = 0;
  bool in_region = false;
};
thread_local Implicit implicit;

void check_not_handling(Call call, Library& here) {
  if (here.is_handling()) fail(call, "a handler may not wait or test. Reply, and let the requester wait?");
}

// Consumes the event when it is complete.
bool take_if_over(Library& here, gex_Event_t event) {
  if (event == GEX_EVENT_INVALID) return true;
  if (is_far(event)) {
    complete_far(here, number_of(event));
    return true;
  }
  if (!event->is_over()) return false;
  delete event;
  return true;
}

// Counts of completed events: those completed now, and those completed before.
struct Seen {
  std::size_t over = 0;
  std::size_t open = 0;
};
Seen look(Library& here, gex_Event_t* events, std::size_t count) {
  Seen seen;
  for (std::size_t i = 0; i < count; ++i) {
    if (events[i] == GEX_EVENT_INVALID) continue;
    if (take_if_over(here, events[i])) {
      events[i] = GEX_EVENT_INVALID;
      ++seen.over;
    } else {
      ++seen.open;
    }
  }
  return seen;
}

void validate(Call call, gex_Event_t event) {
  if (event == GEX_EVENT_NO_OP)
    fail(call, "argument 'event': GEX_EVENT_NO_OP is no event (the operation was not started). Start it again?");
}

void validate(Call call, const gex_Event_t* events, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) validate(call, events[i]);
}

}  // namespace

gex_Event_t far_event() { return event_of(started.fetch_add(1, std::memory_order_relaxed) + 1); }

void note_far_implicit() {
  const std::uint64_t number = started.fetch_add(1, std::memory_order_relaxed) + 1;
  (implicit.in_region ? implicit.last_of_region : implicit.last) = number;
}

int test(Call call, gex_Event_t event) {
  Library& here = library(call);
  validate(call, event);
  check_not_handling(call, here);
  return take_if_over(here, event) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void wait(Call call, gex_Event_t event) {
  Library& here = library(call);
  validate(call, event);
  check_not_handling(call, here);
  if (is_far(event)) return complete_far(here, number_of(event));
  here.wait([&] { return event->is_over(); });
  delete event;
}

int test_some(Call call, gex_Event_t* events, std::size_t count) {
  Library& here = library(call);
  validate(call, events, count);
  check_not_handling(call, here);
  const Seen seen = look(here, events, count);
  return seen.over != 0 || seen.open == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void wait_some(Call call, gex_Event_t* events, std::size_t count) {
  Library& here = library(call);
  validate(call, events, count);
  check_not_handling(call, here);
  here.wait([&] {
    const Seen seen = look(here, events, count);
    return seen.over != 0 || seen.open == 0;
  });
}

int test_all(Call call, gex_Event_t* events, std::size_t count) {
  Library& here = library(call);
  validate(call, events, count);
  check_not_handling(call, here);
  return look(here, events, count).open == 0 ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void wait_all(Call call, gex_Event_t* events, std::size_t count) {
  Library& here = library(call);
  validate(call, events, count);
  check_not_handling(call, here);
  here.wait([&] { return look(here, events, count).open == 0; });
}

int test_implicit(Call call) {
  wait_implicit(call);  // the rest depends on the network alone
  return GASNET_OK;
}

void wait_implicit(Call call) {
  Library& here = library(call);
  if (implicit.last == 0) return;
  complete_far(here, implicit.last);
  implicit.last = 0;
}

void begin_region(Call call) {
  (void)library(call);
  if (implicit.in_region)
    fail(call, "this thread is in an access region (regions do not nest). End it with gex_NBI_EndAccessRegion?");
  implicit.in_region = true;
  implicit.last_of_region = 0;
}

gex_Event_t end_region(Call call) {
  (void)library(call);
  if (!implicit.in_region) fail(call, "this thread is in no access region. Begin one with gex_NBI_BeginAccessRegion?");
  implicit.in_region = false;
  return implicit.last_of_region == 0 ? GEX_EVENT_INVALID : event_of(implicit.last_of_region);
}

}  // namespace atl::gasnet
