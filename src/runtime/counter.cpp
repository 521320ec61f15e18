// SPDX-License-Identifier: Apache-2.0
// Counters and triggered operations. A trigger is queued by its owner and carried out by whoever bumps the counter.
// The two cannot miss each other: the owner stores the threshold and then loads the value, a bumper changes the value
// and then loads the threshold, all sequentially consistent. A PE of another node bumps by asking: the message is handled
// in the owner's process without the owner's help, behind what was put there before it.
#include <sched.h>

#include <cstring>

#include "atoll/runtime/context.hpp"
#include "post.hpp"

namespace atl::runtime {
namespace {

// | offset | bytes | field | valid when                                                                    |
// |--------|-------|-------|-------------------------------------------------------------------------------|
// |   0    |   4   | pe    | owner of the counter: the PE that gets this, or another that it is to ask     |
// |   4    |   4   | id    | of the counter, below counters_per_pe                                         |
// |   8    |   8   | by    |                                                                               |
struct BumpRequest {
  std::uint32_t pe;
  std::uint32_t id;
  std::uint64_t by;
};
static_assert(sizeof(BumpRequest) == 16);

// What only the queuing PE can do: its functions, and what reaches memory of its own.
bool is_for_owner(std::uint32_t kind) {
  return kind == static_cast<std::uint32_t>(TriggerKind::call) || kind == static_cast<std::uint32_t>(TriggerKind::get);
}

}  // namespace

TriggerArea& Context::area_of(PeId pe) const {
  return *reinterpret_cast<TriggerArea*>(endpoint_.address(pe, HeapOffset(0), sizeof(TriggerArea)));
}

void Context::lock_area(TriggerArea& area) {
  for (int attempt = 0;; ++attempt) {
    // Acquire: the lists. Partner: unlock_area.
    if (area.lock.load(std::memory_order_relaxed) == 0 && area.lock.exchange(1, std::memory_order_acquire) == 0) return;
    if (attempt < 64) {
      cpu_relax();
    } else {
      ::sched_yield();
      check();  // its holder may have died
    }
  }
}

void Context::unlock_area(TriggerArea& area) { area.lock.store(0, std::memory_order_release); }

CounterId Context::allocate_counter() {
  lock_area(*area_);
  for (std::uint32_t id = 0; id < counters_per_pe; ++id) {
    CounterCell& cell = area_->counters[id];
    if (cell.in_use != 0) continue;
    cell.in_use = 1;
    cell.value.store(0, std::memory_order_relaxed);
    unlock_area(*area_);
    return CounterId(id);
  }
  unlock_area(*area_);
  throw MemoryError(fmt::format("all {} counters of this PE are in use", counters_per_pe));
}

void Context::release_counter(CounterId id) {
  ATOLL_EXPECT(id.value() < counters_per_pe);
  cancel_triggers(id);
  lock_area(*area_);
  area_->counters[id.value()].in_use = 0;
  unlock_area(*area_);
}

void Context::reset_counter(CounterId id, std::uint64_t value) {
  ATOLL_EXPECT(id.value() < counters_per_pe);
  area_->counters[id.value()].value.store(value, std::memory_order_release);  // partner: counter()
}

void Context::bump(CounterRef counter, std::uint64_t by) {
  if (count_up(counter, by)) fire(counter);
}

void Context::bump_behind(PeId target, CounterRef counter) {
  if (count_up_behind(target, counter, 1)) fire(counter);
}

// Counts up when what was put to `target` before is there. A target on another node counts, or asks the owner to, so that
// nobody waits for an answer.
bool Context::count_up_behind(PeId target, CounterRef counter, std::uint64_t by) {
  if (endpoint_.maps(target)) [[likely]] return count_up(counter, by);
  post_bump(target, counter, by);
  return false;
}

void Context::post_bump(PeId pe, CounterRef counter, std::uint64_t by) {
  BumpRequest request{counter.pe.value(), counter.id.value(), by};
  endpoint_.post(pe, static_cast<std::uint16_t>(PostKind::bump), std::as_bytes(std::span(&request, 1)));
}

void Context::hear_post(PeId source, std::uint16_t kind, std::span<const std::byte> payload) {
  if (kind == static_cast<std::uint16_t>(PostKind::room_request)) return hear_room_request(source, payload);
  if (kind == static_cast<std::uint16_t>(PostKind::room_answer)) return hear_room_answer(source, payload);
  BumpRequest request{};
  ATOLL_VALIDATE(kind == static_cast<std::uint16_t>(PostKind::bump) && payload.size() == sizeof(request), Error,
                 "PE {} has posted something unknown (kind {}). Run one version of Atoll on all nodes", source.value(), kind);
  std::memcpy(&request, payload.data(), sizeof(request));
  bump({PeId(request.pe), CounterId(request.id)}, request.by);
}

// Returns whether triggers may be due, and are ours to carry out.
bool Context::count_up(CounterRef counter, std::uint64_t by) {
  ATOLL_EXPECT(counter.id.value() < counters_per_pe);
  if (!endpoint_.maps(counter.pe)) [[unlikely]] {
    post_bump(counter.pe, counter, by);
    return false;
  }
  CounterCell& cell = area_of(counter.pe).counters[counter.id.value()];
  // Sequentially consistent with trigger(): see the top. Also publishes our puts to who waits for the counter.
  std::uint64_t value = cell.value.fetch_add(by, std::memory_order_seq_cst) + by;
  std::uint64_t threshold = cell.threshold.load(std::memory_order_seq_cst);
  fabric::ring_bell(job_->record(counter.pe));
  return threshold != 0 && value >= threshold;
}

void Context::trigger(CounterId on, std::uint64_t threshold, TriggeredOp operation) {
  ATOLL_EXPECT(on.value() < counters_per_pe);
  ATOLL_VALIDATE(threshold >= 1, ValueError, "a trigger's threshold must be at least 1");
  bool writes = operation.kind == TriggerKind::put || operation.kind == TriggerKind::put_inline;
  bool atomic = operation.kind == TriggerKind::add || operation.kind == TriggerKind::set;
  if (writes) (void)endpoint_.address(operation.pe, operation.to, operation.bytes);
  if (operation.kind == TriggerKind::get) (void)endpoint_.address(operation.pe, operation.from, operation.bytes);
  if (operation.kind == TriggerKind::put) (void)endpoint_.address(pe_, operation.from, operation.bytes);
  if (atomic) (void)endpoint_.address(operation.pe, operation.to, 8);
  ATOLL_VALIDATE(!atomic || operation.to.value() % 8 == 0, ValueError, "a triggered atomic at offset {} is not aligned",
                 operation.to.value());
  ATOLL_VALIDATE(operation.kind != TriggerKind::put_inline || operation.bytes <= inline_bytes, ValueError,
                 "a trigger keeps at most {} bytes inside, not {}. Use a put from the segment", inline_bytes,
                 operation.bytes);
  std::uint64_t call = 0;
  if (operation.kind == TriggerKind::call) {
    std::lock_guard lock(calls_mutex_);
    call = next_call_++;
    calls_.emplace(call, std::move(operation.function));
  }

  lock_area(*area_);
  std::uint32_t number = area_->free;
  if (number != 0) {
    area_->free = area_->triggers[number - 1].next;
  } else if (area_->touched < triggers_per_pe) {
    number = ++area_->touched;
  } else {
    unlock_area(*area_);
    if (call != 0) {
      std::lock_guard lock(calls_mutex_);
      calls_.erase(call);
    }
    throw MemoryError(fmt::format("more than {} triggered operations are queued on this PE", triggers_per_pe));
  }
  TriggerCell& cell = area_->triggers[number - 1];
  cell.threshold = threshold;
  cell.kind = static_cast<std::uint32_t>(operation.kind);
  cell.pe = operation.pe.value();
  cell.then_pe = operation.then.pe.value();
  cell.then_id = operation.then.id.value();
  cell.to = operation.kind == TriggerKind::get ? reinterpret_cast<std::uint64_t>(operation.into) : operation.to.value();
  cell.from = operation.kind == TriggerKind::call ? call : atomic ? operation.value : operation.from.value();
  cell.bytes = operation.bytes;
  if (operation.kind == TriggerKind::put_inline) std::memcpy(cell.data, operation.data, operation.bytes);

  // In ascending thresholds; equal ones in the order they were queued.
  CounterCell& counter = area_->counters[on.value()];
  std::uint32_t before = 0;
  std::uint32_t after = counter.first.load(std::memory_order_relaxed);
  while (after != 0 && area_->triggers[after - 1].threshold <= cell.threshold) {
    before = after;
    after = area_->triggers[after - 1].next;
  }
  cell.next = after;
  if (before != 0) area_->triggers[before - 1].next = number;
  else counter.first.store(number, std::memory_order_relaxed);
  std::uint64_t lowest = area_->triggers[counter.first.load(std::memory_order_relaxed) - 1].threshold;
  counter.threshold.store(lowest, std::memory_order_seq_cst);
  std::uint64_t value = counter.value.load(std::memory_order_seq_cst);
  unlock_area(*area_);
  if (value >= lowest) {
    fire({pe_, on});
  }
}

// Takes the counter's first trigger that is due off its list. What its owner runs goes there on the way.
bool Context::take_due(CounterRef counter, TriggerCell& taken) {
  TriggerArea& area = area_of(counter.pe);
  CounterCell& cell = area.counters[counter.id.value()];
  for (;;) {
    lock_area(area);
    std::uint32_t number = cell.first.load(std::memory_order_relaxed);
    if (number == 0 || area.triggers[number - 1].threshold > cell.value.load(std::memory_order_seq_cst)) {
      unlock_area(area);
      return false;
    }
    TriggerCell& queued = area.triggers[number - 1];
    std::uint32_t next = queued.next;
    cell.first.store(next, std::memory_order_relaxed);
    cell.threshold.store(next == 0 ? 0 : area.triggers[next - 1].threshold, std::memory_order_seq_cst);
    if (!is_for_owner(queued.kind)) {
      std::memcpy(static_cast<void*>(&taken), &queued, sizeof(taken));
      queued.next = area.free;
      area.free = number;
      unlock_area(area);
      return true;
    }
    // In the order in which they were due.
    queued.next = 0;
    std::uint32_t last = area.ready.load(std::memory_order_relaxed);
    if (last == 0) {
      area.ready.store(number, std::memory_order_relaxed);
    } else {
      while (area.triggers[last - 1].next != 0) last = area.triggers[last - 1].next;
      area.triggers[last - 1].next = number;
    }
    unlock_area(area);
    fabric::ring_bell(job_->record(counter.pe));
  }
}

// What is carried out may bump counters whose triggers are then due, and so on: a chain round all PEs must not need
// a stack as deep as it is long.
void Context::fire(CounterRef counter) {
  std::array<CounterRef, 32> due;
  std::size_t count = 0;
  due[count++] = counter;
  while (count != 0) {
    CounterRef current = due[--count];
    TriggerCell cell;
    while (take_due(current, cell)) {
      carry_out(current.pe, cell);
      CounterRef then{PeId(cell.then_pe), CounterId(cell.then_id)};
      if (then.id == no_counter) continue;
      bool moved = cell.kind != static_cast<std::uint32_t>(TriggerKind::nothing);
      if (!(moved ? count_up_behind(PeId(cell.pe), then, 1) : count_up(then, 1))) continue;
      if (count < due.size()) due[count++] = then;
      else fire(then);
    }
  }
}

void Context::carry_out(PeId owner, const TriggerCell& cell) {
  PeId pe(cell.pe);
  HeapOffset to(cell.to);
  switch (static_cast<TriggerKind>(cell.kind)) {
    case TriggerKind::nothing:
    case TriggerKind::call:
    case TriggerKind::get: break;
    case TriggerKind::put:
      endpoint_.put(pe, to, endpoint_.address(owner, HeapOffset(cell.from), cell.bytes), cell.bytes);
      break;
    case TriggerKind::put_inline: endpoint_.put(pe, to, cell.data, cell.bytes); break;
    case TriggerKind::add: endpoint_.add<std::uint64_t>(pe, to, cell.from); break;
    case TriggerKind::set: endpoint_.set<std::uint64_t>(pe, to, cell.from); break;
  }
}

bool Context::run_ready_triggers() {
  bool any = false;
  while (area_->ready.load(std::memory_order_relaxed) != 0) {
    lock_area(*area_);
    std::uint32_t number = area_->ready.load(std::memory_order_relaxed);
    if (number == 0) {
      unlock_area(*area_);
      break;
    }
    TriggerCell& queued = area_->triggers[number - 1];
    area_->ready.store(queued.next, std::memory_order_relaxed);
    TriggerCell cell;
    std::memcpy(static_cast<void*>(&cell), &queued, sizeof(cell));
    queued.next = area_->free;
    area_->free = number;
    unlock_area(*area_);
    CounterRef then{PeId(cell.then_pe), CounterId(cell.then_id)};
    if (cell.kind == static_cast<std::uint32_t>(TriggerKind::get)) {
      endpoint_.get(reinterpret_cast<void*>(cell.to), PeId(cell.pe), HeapOffset(cell.from), cell.bytes);
    } else {
      std::function<void(Context&)> function;
      {
        std::lock_guard lock(calls_mutex_);
        auto at = calls_.find(cell.from);
        function = std::move(at->second);
        calls_.erase(at);
      }
      function(*this);
    }
    if (then.id != no_counter) bump(then);
    any = true;
  }
  return any;
}

std::size_t Context::cancel_triggers(CounterId on) {
  ATOLL_EXPECT(on.value() < counters_per_pe);
  CounterCell& counter = area_->counters[on.value()];
  std::size_t dropped = 0;
  lock_area(*area_);
  while (std::uint32_t number = counter.first.load(std::memory_order_relaxed)) {
    TriggerCell& cell = area_->triggers[number - 1];
    counter.first.store(cell.next, std::memory_order_relaxed);
    if (cell.kind == static_cast<std::uint32_t>(TriggerKind::call)) {
      std::lock_guard lock(calls_mutex_);
      calls_.erase(cell.from);
    }
    cell.next = area_->free;
    area_->free = number;
    ++dropped;
  }
  counter.threshold.store(0, std::memory_order_seq_cst);
  unlock_area(*area_);
  return dropped;
}

}  // namespace atl::runtime
