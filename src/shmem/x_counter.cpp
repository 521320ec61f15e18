// SPDX-License-Identifier: Apache-2.0
#include "x_counter.hpp"

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::shmem {
using runtime::CounterId;

namespace {

CounterId own(Call call, const char* argument, shmemx_counter_t counter) {
  if (counter < 0 || static_cast<std::size_t>(counter) >= runtime::counters_per_pe) [[unlikely]]
    fail(call, "argument '{}': {} is no counter", argument, counter);
  return CounterId(static_cast<std::uint32_t>(counter));
}

PeId peer(Call call, int pe) {
  Library& here = library(call);
  if (pe < 0 || static_cast<std::uint32_t>(pe) >= here.npes()) [[unlikely]]
    fail(call, "argument 'pe': there is no PE {}: the job has PEs 0 to {}", pe, here.npes() - 1);
  return PeId(static_cast<std::uint32_t>(pe));
}

void queue(Call call, Trigger trigger, runtime::TriggeredOp operation) {
  library(call).counters().trigger(own(call, "trigger", trigger.counter), std::max<std::uint64_t>(trigger.at_least, 1),
                                   std::move(operation));
}

}  // namespace

int create_counter(Call call, shmemx_counter_t* counter) {
  Library& here = library(call);
  *counter = SHMEMX_COUNTER_INVALID;
  std::uint64_t mine = UINT64_MAX;
  try {
    mine = here.counters().allocate_counter().value();
  } catch (const Error&) {}
  // All PEs must have got the same counter.
  std::uint64_t most[2] = {mine, ~mine};
  here.world().allreduce(most, most, 2, coll::reduction_of<std::uint64_t>(coll::Op::max));
  if (most[0] == ~most[1] && mine != UINT64_MAX) {
    *counter = static_cast<shmemx_counter_t>(mine);
    return 0;
  }
  if (mine != UINT64_MAX) here.counters().release_counter(CounterId(static_cast<std::uint32_t>(mine)));
  return 1;
}

void destroy_counter(Call call, shmemx_counter_t counter) {
  Library& here = library(call);
  if (counter == SHMEMX_COUNTER_INVALID) return;
  CounterId id = own(call, "counter", counter);
  here.one_sided().quiet();
  here.world().barrier();  // after it no PE increments the counter
  here.counters().cancel_triggers(id);
  here.counters().release_counter(id);
}

std::uint64_t fetch_counter(Call call, shmemx_counter_t counter) {
  return library(call).counters().counter(own(call, "counter", counter));
}

void set_counter(Call call, shmemx_counter_t counter, std::uint64_t value) {
  library(call).counters().reset_counter(own(call, "counter", counter), value);
}

void add_counter(Call call, shmemx_counter_t counter, std::uint64_t value, int pe) {
  library(call).counters().bump({peer(call, pe), own(call, "counter", counter)}, value);
}

void wait_counter(Call call, shmemx_counter_t counter, std::uint64_t at_least) {
  library(call).counters().wait_counter(own(call, "counter", counter), at_least);
}

int test_counter(Call call, shmemx_counter_t counter, std::uint64_t at_least) {
  library(call).progress().progress();
  return fetch_counter(call, counter) >= at_least ? 1 : 0;
}

void put_counted(Call call, void* dest, const void* source, std::size_t bytes, shmemx_counter_t counter, int pe) {
  Target to = resolve(call, SHMEM_CTX_DEFAULT, "dest", dest, bytes, pe);
  library(call).counters().put_counted(to.pe, to.at, source, bytes, {to.pe, own(call, "counter", counter)});
}

void get_counted(Call call, void* dest, const void* source, std::size_t bytes, shmemx_counter_t counter, int pe) {
  Target from = resolve(call, SHMEM_CTX_DEFAULT, "source", source, bytes, pe);
  library(call).counters().get_counted(dest, from.pe, from.at, bytes,
                                       {from.one_sided.pe(), own(call, "counter", counter)});
}

void put_triggered(Call call, void* dest, const void* source, std::size_t bytes, int pe, shmemx_counter_t then,
                   Trigger trigger) {
  Target to = resolve(call, SHMEM_CTX_DEFAULT, "dest", dest, bytes, pe);
  // The PE that increments the counter reads the source, so it must be in symmetric memory.
  Target from = resolve(call, SHMEM_CTX_DEFAULT, "source", source, bytes, static_cast<int>(library(call).pe().value()));
  runtime::CounterRef bumped;
  if (then != SHMEMX_COUNTER_INVALID) bumped = {to.pe, own(call, "counter", then)};
  queue(call, trigger, runtime::TriggeredOp::make_put(to.pe, to.at, from.at, bytes, bumped));
}

void add_counter_triggered(Call call, shmemx_counter_t counter, int pe, Trigger trigger) {
  queue(call, trigger, runtime::TriggeredOp::make_bump({peer(call, pe), own(call, "counter", counter)}));
}

void set_word_triggered(Call call, std::uint64_t* dest, std::uint64_t value, int pe, Trigger trigger) {
  Target to = resolve(call, SHMEM_CTX_DEFAULT, "dest", dest, sizeof(*dest), pe);
  queue(call, trigger, runtime::TriggeredOp::make_set(to.pe, to.at, value));
}

void add_word_triggered(Call call, std::uint64_t* dest, std::uint64_t value, int pe, Trigger trigger) {
  Target to = resolve(call, SHMEM_CTX_DEFAULT, "dest", dest, sizeof(*dest), pe);
  queue(call, trigger, runtime::TriggeredOp::make_add(to.pe, to.at, value));
}

}  // namespace atl::shmem
