// SPDX-License-Identifier: Apache-2.0
// Triggered operations. A trigger is queued by its owner and carried out by the thread that increments the counter. The
// two cannot miss each other: the owner stores the threshold and then loads the counter, a bumper changes the counter
// and then loads the threshold, all sequentially consistent.
#include <array>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"

namespace atl::runtime {
namespace {

// What only the queuing PE can do: its functions, and what reaches memory of its own.
bool is_for_owner(std::uint32_t kind) { return kind >= static_cast<std::uint32_t>(TriggerKind::get); }

// Whether the trigger changes its counter by itself.
bool is_of_counters(const TriggerCell& cell) {
  return cell.kind == static_cast<std::uint32_t>(TriggerKind::count) ||
         cell.kind == static_cast<std::uint32_t>(TriggerKind::reset);
}

// How far a counter has come. Sequentially consistent: see the top.
std::uint64_t reached(const CounterCell& cell) {
  return cell.value.load(std::memory_order_seq_cst) + cell.failures.load(std::memory_order_seq_cst);
}

// Throws IndexError if the operation reaches outside a segment, ValueError if it is malformed.
void check_operation(const fabric::Endpoint& endpoint, PeId self, const TriggeredOp& operation) {
  bool writes = operation.kind == TriggerKind::put || operation.kind == TriggerKind::put_inline;
  bool atomic =
      operation.kind == TriggerKind::add || operation.kind == TriggerKind::set || operation.kind == TriggerKind::fetch;
  if (writes) (void)endpoint.address(operation.pe, operation.to, operation.bytes);
  if (operation.kind == TriggerKind::get) (void)endpoint.address(operation.pe, operation.from, operation.bytes);
  if (operation.kind == TriggerKind::put) (void)endpoint.address(self, operation.from, operation.bytes);
  if (atomic) (void)endpoint.address(operation.pe, operation.to, 8);
  ATOLL_VALIDATE(!atomic || operation.to.value() % 8 == 0, ValueError, "a triggered atomic at offset {} is not aligned",
                 operation.to.value());
  ATOLL_VALIDATE(operation.kind != TriggerKind::put_inline || operation.bytes <= inline_bytes, ValueError,
                 "a trigger keeps at most {} bytes inside, not {}. Use a put from the segment", inline_bytes,
                 operation.bytes);
}

// All of a cell but its threshold and its place in the list. `call`: the number of the function to call.
void write_operation(TriggerCell& cell, const TriggeredOp& operation, std::uint64_t call) {
  cell.kind = static_cast<std::uint32_t>(operation.kind);
  cell.pe = operation.pe.value();
  cell.then_pe = operation.then.pe.value();
  cell.then_id = operation.then.id.value();
  cell.to = operation.to.value();
  cell.from = operation.from.value();
  cell.bytes = operation.bytes;
  switch (operation.kind) {
    case TriggerKind::nothing:
    case TriggerKind::put: break;
    case TriggerKind::put_inline:
      if (operation.bytes != 0) std::memcpy(cell.data, operation.data, operation.bytes);
      break;
    case TriggerKind::add:
    case TriggerKind::set: cell.from = operation.value; break;
    case TriggerKind::count:
    case TriggerKind::reset:
      cell.from = operation.counts.success;
      cell.bytes = operation.counts.failure;
      break;
    case TriggerKind::get: cell.to = reinterpret_cast<std::uint64_t>(operation.into); break;
    case TriggerKind::fetch:
      cell.how = static_cast<std::uint32_t>(operation.how);
      cell.from = operation.value;
      cell.bytes = reinterpret_cast<std::uint64_t>(operation.into);
      cell.expected = operation.expected;
      break;
    case TriggerKind::call: cell.from = call; break;
    case TriggerKind::run:
      cell.to = reinterpret_cast<std::uint64_t>(operation.plain);
      cell.from = reinterpret_cast<std::uint64_t>(operation.data);
      break;
  }
}

// In ascending thresholds; equal ones in the order they were queued. Most come behind all that are there.
void insert_by_threshold(TriggerArea& area, CounterCell& counter, std::uint32_t number) {
  const std::uint64_t threshold = trigger_cell(area, number).threshold;
  std::uint32_t before = 0;
  std::uint32_t after = counter.first.load(std::memory_order_relaxed);
  if (after != 0 && trigger_cell(area, counter.last).threshold <= threshold) {
    before = counter.last;
    after = 0;
  }
  while (after != 0 && trigger_cell(area, after).threshold <= threshold) {
    before = after;
    after = trigger_cell(area, after).next;
  }
  trigger_cell(area, number).next = after;
  if (after == 0) counter.last = number;
  if (before != 0) trigger_cell(area, before).next = number;
  else counter.first.store(number, std::memory_order_relaxed);
}

}  // namespace

// Under the lock: the number of a free cell, or 0.
std::uint32_t Counters::take_cell() {
  std::uint32_t number = area_->free;
  if (number != 0) {
    area_->free = trigger_cell(*area_, number).next;
    return number;
  }
  std::size_t blocks = 0;
  while (blocks < trigger_blocks && area_->more[blocks] != 0) ++blocks;
  if (area_->touched == triggers_per_pe * ((std::size_t{2} << blocks) - 1)) return 0;
  return ++area_->touched;
}

// More cells, unless another thread has made them. The lock is taken.
void Counters::add_cells() {
  std::size_t block = 0;
  while (block < trigger_blocks && area_->more[block] != 0) ++block;
  unlock_area(*area_);
  std::size_t cells = triggers_per_pe << (block + 1);
  ATOLL_VALIDATE(block < trigger_blocks, MemoryError, "more than {} triggered operations are queued on this PE",
                 most_triggers);
  void* memory = memory_.heap().allocate(cells * sizeof(TriggerCell));  // throws MemoryError
  lock_area(*area_);
  if (area_->more[block] == 0) {
    area_->more[block] = one_sided_.offset_of(memory).value();
    return;
  }
  unlock_area(*area_);
  memory_.heap().release(memory);
  lock_area(*area_);
}

void Counters::trigger(CounterId on, std::uint64_t threshold, TriggeredOp operation) {
  ATOLL_EXPECT(on.value() < counters_per_pe);
  ATOLL_VALIDATE(threshold >= 1, ValueError, "a trigger's threshold must be at least 1");
  check_operation(endpoint_, one_sided_.pe(), operation);
  std::uint64_t call = 0;
  if (operation.kind == TriggerKind::call) {
    std::lock_guard lock(calls_mutex_);
    call = next_call_++;
    calls_.emplace(call, std::move(operation.function));
  }

  lock_area(*area_);
  std::uint32_t number;
  while ((number = take_cell()) == 0) {
    try {
      add_cells();
    } catch (...) {
      std::lock_guard lock(calls_mutex_);
      calls_.erase(call);
      throw;
    }
  }
  TriggerCell& cell = trigger_cell(*area_, number);
  cell.threshold = threshold;
  write_operation(cell, operation, call);
  CounterCell& counter = area_->counters[on.value()];
  insert_by_threshold(*area_, counter, number);
  std::uint64_t lowest = trigger_cell(*area_, counter.first.load(std::memory_order_relaxed)).threshold;
  counter.threshold.store(lowest, std::memory_order_seq_cst);
  bool due = reached(counter) >= lowest;
  unlock_area(*area_);
  if (due) fire({one_sided_.pe(), on});
}

void Counters::trigger_send(CounterId on, std::uint64_t threshold, PeId pe, HandlerId handler,
                            std::span<const std::byte> payload, CounterRef then) {
  auto send_it = [=, this](Context&) { messenger_.send(pe, handler, payload); };
  trigger(on, threshold, TriggeredOp::make_call(send_it, then));
}

// Takes the counter's first trigger that is due off its list. What its owner runs goes there on the way.
bool Counters::take_due(CounterRef counter, TriggerCell& taken) {
  TriggerArea& area = area_of(counter.pe);
  CounterCell& cell = area.counters[counter.id.value()];
  bool for_owner = false, found = false;
  lock_area(area);
  while (std::uint32_t number = cell.first.load(std::memory_order_relaxed)) {
    TriggerCell& queued = trigger_cell(area, number);
    if (queued.threshold > reached(cell)) break;
    std::uint32_t next = queued.next;
    cell.first.store(next, std::memory_order_relaxed);
    // A bumper that still sees the threshold before looks for nothing.
    cell.threshold.store(next == 0 ? 0 : trigger_cell(area, next).threshold, std::memory_order_relaxed);
    if (!is_for_owner(queued.kind)) {
      std::memcpy(static_cast<void*>(&taken), &queued, sizeof(taken));
      queued.next = area.free;
      area.free = number;
      found = true;
      break;
    }
    // In the order in which they were due.
    queued.next = 0;
    if (area.ready.load(std::memory_order_relaxed) == 0) area.ready.store(number, std::memory_order_relaxed);
    else trigger_cell(area, area.ready_last).next = number;
    area.ready_last = number;
    for_owner = true;
  }
  unlock_area(area);
  if (for_owner) fabric::ring_bell(job_.record(counter.pe));
  return found;
}

// What is carried out may bump counters whose triggers are then due, and so on: a chain round all PEs must not need
// a stack as deep as it is long.
void Counters::fire(CounterRef counter) {
  std::array<CounterRef, 32> due;
  std::size_t count = 0;
  due[count++] = counter;
  while (count != 0) {
    CounterRef current = due[--count];
    TriggerCell cell;
    while (take_due(current, cell)) {
      carry_out(current.pe, cell);
      CounterRef then{PeId(cell.then_pe), CounterId(cell.then_id)};
      if (then.id == no_counter || !count_after(cell, then)) continue;
      if (count < due.size()) due[count++] = then;
      else fire(then);
    }
  }
}

// Counts an operation that has been carried out. Returns whether triggers of that counter may be due.
bool Counters::count_after(const TriggerCell& cell, CounterRef then) {
  if (is_of_counters(cell)) {
    Count count{cell.from, cell.bytes};
    return cell.kind == static_cast<std::uint32_t>(TriggerKind::count) ? count_all(then, count) : set_all(then, count);
  }
  bool moved = cell.kind != static_cast<std::uint32_t>(TriggerKind::nothing);
  return moved ? count_up_behind(PeId(cell.pe), then, 1) : count_up(then, 1);
}

void Counters::carry_out(PeId owner, const TriggerCell& cell) {
  PeId pe(cell.pe);
  HeapOffset to(cell.to);
  switch (static_cast<TriggerKind>(cell.kind)) {
    case TriggerKind::nothing:
    case TriggerKind::count:
    case TriggerKind::reset:
    case TriggerKind::get:
    case TriggerKind::fetch:
    case TriggerKind::call:
    case TriggerKind::run: break;
    case TriggerKind::put:
      endpoint_.put(pe, to, endpoint_.address(owner, HeapOffset(cell.from), cell.bytes), cell.bytes);
      break;
    case TriggerKind::put_inline: endpoint_.put(pe, to, cell.data, cell.bytes); break;
    case TriggerKind::add: endpoint_.add<std::uint64_t>(pe, to, cell.from); break;
    case TriggerKind::set: endpoint_.set<std::uint64_t>(pe, to, cell.from); break;
  }
}

bool Counters::run_ready_triggers() {
  bool any = false;
  while (area_->ready.load(std::memory_order_relaxed) != 0) {
    lock_area(*area_);
    std::uint32_t number = area_->ready.load(std::memory_order_relaxed);
    if (number == 0) {
      unlock_area(*area_);
      break;
    }
    TriggerCell& queued = trigger_cell(*area_, number);
    area_->ready.store(queued.next, std::memory_order_relaxed);
    TriggerCell cell;
    std::memcpy(static_cast<void*>(&cell), &queued, sizeof(cell));
    queued.next = area_->free;
    area_->free = number;
    unlock_area(*area_);
    CounterRef then{PeId(cell.then_pe), CounterId(cell.then_id)};
    if (run_ready(cell) && then.id != no_counter) bump(then);
    any = true;
  }
  return any;
}

// False: the fetch never completes, as its target PE has died. Waits for it are notified of the death.
bool Counters::run_ready(const TriggerCell& cell) {
  switch (static_cast<TriggerKind>(cell.kind)) {
    case TriggerKind::run:
      reinterpret_cast<void (*)(Context&, void*)>(cell.to)(context_, reinterpret_cast<void*>(cell.from));
      return true;
    case TriggerKind::get:
    case TriggerKind::fetch:
      try {
        fetch_for(cell);
        return true;
      } catch (const PeFailedError&) {
        if (job_.is_ending()) throw;
        return false;
      }
    default: break;
  }
  std::function<void(Context&)> function;
  {
    std::lock_guard lock(calls_mutex_);
    auto at = calls_.find(cell.from);
    function = std::move(at->second);
    calls_.erase(at);
  }
  function(context_);
  return true;
}

void Counters::fetch_for(const TriggerCell& cell) {
  const PeId pe(cell.pe);
  if (static_cast<TriggerKind>(cell.kind) == TriggerKind::get)
    return endpoint_.get(reinterpret_cast<void*>(cell.to), pe, HeapOffset(cell.from), cell.bytes);
  std::uint64_t old =
      fetch_by(static_cast<fabric::AtomicOp>(cell.how), pe, HeapOffset(cell.to), cell.from, cell.expected);
  std::memcpy(reinterpret_cast<void*>(cell.bytes), &old, sizeof(old));
}

std::uint64_t Counters::fetch_by(fabric::AtomicOp how, PeId pe, HeapOffset word, std::uint64_t value,
                                 std::uint64_t expected) {
  using fabric::AtomicOp;
  switch (how) {
    case AtomicOp::fetch: return endpoint_.fetch<std::uint64_t>(pe, word);
    case AtomicOp::add: return endpoint_.fetch_add(pe, word, value);
    case AtomicOp::bit_and: return endpoint_.fetch_and(pe, word, value);
    case AtomicOp::bit_or: return endpoint_.fetch_or(pe, word, value);
    case AtomicOp::bit_xor: return endpoint_.fetch_xor(pe, word, value);
    case AtomicOp::set:
    case AtomicOp::swap: return endpoint_.swap(pe, word, value);
    case AtomicOp::compare_swap: return endpoint_.compare_swap(pe, word, expected, value);
  }
  return 0;
}

std::size_t Counters::cancel_triggers(CounterId on, const std::function<void(void*)>& dropped_run) {
  ATOLL_EXPECT(on.value() < counters_per_pe);
  CounterCell& counter = area_->counters[on.value()];
  std::size_t dropped = 0;
  std::vector<void*> runs;  // to be given back without the lock
  lock_area(*area_);
  while (std::uint32_t number = counter.first.load(std::memory_order_relaxed)) {
    TriggerCell& cell = trigger_cell(*area_, number);
    counter.first.store(cell.next, std::memory_order_relaxed);
    if (cell.kind == static_cast<std::uint32_t>(TriggerKind::run)) runs.push_back(reinterpret_cast<void*>(cell.from));
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
  for (void* argument : runs)
    if (dropped_run) dropped_run(argument);
  return dropped;
}

}  // namespace atl::runtime
