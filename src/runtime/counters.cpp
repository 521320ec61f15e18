// SPDX-License-Identifier: Apache-2.0
// Counters. A PE of another node bumps by asking: the message is handled in the owner's process without the owner's
// help, behind what was put there before it. What waits for a counter: trigger.cpp.
#include <fmt/format.h>
#include <sched.h>

#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "post.hpp"

namespace atl::runtime {
namespace {

// | offset | bytes | field | valid when                                                                    |
// |--------|-------|-------|-------------------------------------------------------------------------------|
// |   0    |   4   | pe    | owner of the counter: the PE that gets this, or another that it is to ask     |
// |   4    |   4   | id    | of the counter, below counters_per_pe                                         |
// |   8    |   8   | success | to add, or to set                                                           |
// |  16    |   8   | failure | likewise                                                                    |
struct BumpRequest {
  std::uint32_t pe;
  std::uint32_t id;
  Count count;
};
static_assert(sizeof(BumpRequest) == 24);

}  // namespace

Counters::Counters(Context& context, OneSided& one_sided, PeMemory& memory, Progress& progress,
                   FailureDetector& failures, Messenger& messenger)
    : area_(one_sided.local_pointer<TriggerArea>(HeapOffset(0))),
      endpoint_(one_sided.endpoint()),
      job_(one_sided.job()),
      context_(context),
      one_sided_(one_sided),
      memory_(memory),
      progress_(progress),
      failures_(failures),
      messenger_(messenger) {}

TriggerArea& Counters::area_of(PeId pe) const {
  return *reinterpret_cast<TriggerArea*>(endpoint_.address(pe, HeapOffset(0), sizeof(TriggerArea)));
}

void Counters::lock_area(TriggerArea& area) {
  for (int attempt = 0;; ++attempt) {
    // Acquire: the lists. Partner: unlock_area.
    if (area.lock.load(std::memory_order_relaxed) == 0 && area.lock.exchange(1, std::memory_order_acquire) == 0) return;
    if (attempt < 64) {
      cpu_relax();
    } else {
      ::sched_yield();
      failures_.check();  // its holder may have died
    }
  }
}

void Counters::unlock_area(TriggerArea& area) { area.lock.store(0, std::memory_order_release); }

CounterId Counters::allocate_counter() {
  lock_area(*area_);
  for (std::uint32_t id = 0; id < counters_per_pe; ++id) {
    CounterCell& cell = area_->counters[id];
    if (cell.in_use != 0) continue;
    cell.in_use = 1;
    cell.value.store(0, std::memory_order_relaxed);
    cell.failures.store(0, std::memory_order_relaxed);
    unlock_area(*area_);
    return CounterId(id);
  }
  unlock_area(*area_);
  raise<MemoryError>(fmt::format("all {} counters of this PE are in use", counters_per_pe));
}

void Counters::release_counter(CounterId id) {
  ATOLL_EXPECT(id.value() < counters_per_pe);
  cancel_triggers(id);
  lock_area(*area_);
  area_->counters[id.value()].in_use = 0;
  unlock_area(*area_);
}

void Counters::reset_counter(CounterId id, std::uint64_t value) {
  ATOLL_EXPECT(id.value() < counters_per_pe);
  area_->counters[id.value()].failures.store(0, std::memory_order_relaxed);
  area_->counters[id.value()].value.store(value, std::memory_order_release);  // partner: counter()
}

void Counters::bump(CounterRef counter, std::uint64_t by) {
  if (count_up(counter, by)) fire(counter);
}

void Counters::count(CounterRef counter, Count by) {
  if (by.failure != 0 ? count_all(counter, by) : count_up(counter, by.success)) fire(counter);
}

void Counters::set_counter(CounterRef counter, Count to) {
  if (set_all(counter, to)) fire(counter);
}

void Counters::bump_behind(PeId target, CounterRef counter) {
  if (count_up_behind(target, counter, 1)) fire(counter);
}

// Increments the counter after earlier puts to `target` have arrived. A target on another node increments it, or asks
// the owner to, so that this PE does not wait for an answer.
bool Counters::count_up_behind(PeId target, CounterRef counter, std::uint64_t by) {
  if (endpoint_.maps(target)) [[likely]]
    return count_up(counter, by);
  post_bump(target, counter, by);
  return false;
}

void Counters::post_bump(PeId pe, CounterRef counter, std::uint64_t by) {
  post_count(pe, static_cast<std::uint16_t>(PostKind::bump), counter, {by, 0});
}

void Counters::post_count(PeId pe, std::uint16_t kind, CounterRef counter, Count count) {
  BumpRequest request{counter.pe.value(), counter.id.value(), count};
  endpoint_.post(pe, kind, std::as_bytes(std::span(&request, 1)));
}

void Counters::hear_count(PeId source, std::uint16_t kind, std::span<const std::byte> payload) {
  BumpRequest request{};
  bool sets = kind == static_cast<std::uint16_t>(PostKind::set_counter);
  ATOLL_VALIDATE((sets || kind == static_cast<std::uint16_t>(PostKind::bump)) && payload.size() == sizeof(request),
                 Error, "PE {} has posted something unknown (kind {}). Run one version of Atoll on all nodes",
                 source.value(), kind);
  std::memcpy(&request, payload.data(), sizeof(request));
  CounterRef counter{PeId(request.pe), CounterId(request.id)};
  if (sets) return set_counter(counter, request.count);
  count(counter, request.count);
}

// Returns whether triggers may be due, and are ours to carry out.
bool Counters::count_up(CounterRef counter, std::uint64_t by) {
  ATOLL_EXPECT(counter.id.value() < counters_per_pe);
  if (!endpoint_.maps(counter.pe)) [[unlikely]] {
    post_bump(counter.pe, counter, by);
    return false;
  }
  CounterCell& cell = area_of(counter.pe).counters[counter.id.value()];
  // Sequentially consistent with trigger(): see trigger.cpp. Also publishes our puts to waiters of the counter.
  std::uint64_t value = cell.value.fetch_add(by, std::memory_order_seq_cst) + by;
  std::uint64_t threshold = cell.threshold.load(std::memory_order_seq_cst);
  std::uint64_t failures = cell.failures.load(std::memory_order_seq_cst);
  fabric::ring_bell(job_.record(counter.pe));
  return threshold != 0 && value + failures >= threshold;
}

// The same for failures, which are rare: not on the way of those that succeed.
bool Counters::count_all(CounterRef counter, Count by) {
  ATOLL_EXPECT(counter.id.value() < counters_per_pe);
  if (!endpoint_.maps(counter.pe)) {
    post_count(counter.pe, static_cast<std::uint16_t>(PostKind::bump), counter, by);
    return false;
  }
  CounterCell& cell = area_of(counter.pe).counters[counter.id.value()];
  cell.failures.fetch_add(by.failure, std::memory_order_seq_cst);  // as in count_up()
  return count_up(counter, by.success);
}

bool Counters::set_all(CounterRef counter, Count to) {
  ATOLL_EXPECT(counter.id.value() < counters_per_pe);
  if (!endpoint_.maps(counter.pe)) {
    post_count(counter.pe, static_cast<std::uint16_t>(PostKind::set_counter), counter, to);
    return false;
  }
  CounterCell& cell = area_of(counter.pe).counters[counter.id.value()];
  cell.failures.store(to.failure, std::memory_order_seq_cst);  // as in count_up()
  cell.value.store(to.success, std::memory_order_seq_cst);
  return count_up(counter, 0);
}

std::optional<std::size_t> Counters::wait_any(std::span<const CounterId> ids, std::span<const std::uint64_t> at_least,
                                              Deadline deadline) {
  ATOLL_EXPECT(ids.size() == at_least.size());
  std::optional<std::size_t> found;
  auto settled = [&] {
    for (std::size_t i = 0; i < ids.size() && !found; ++i)
      if (is_settled(ids[i], at_least[i])) found = i;
    return found.has_value();
  };
  (void)progress_.wait(settled, deadline);
  return found;
}

}  // namespace atl::runtime
