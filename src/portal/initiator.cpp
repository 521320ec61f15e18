// SPDX-License-Identifier: Apache-2.0
// An initiator: operations on their way, those that wait for a counter, and answers.
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "state.hpp"

namespace atl::runtime {

using portal::Answer;
using portal::Demand;
using portal::Leaving;
using portal::Pending;
using portal::Triggered;

namespace {

bool fetches(OperationKind kind) { return kind == OperationKind::fetch_atomic || kind == OperationKind::swap; }

bool contains(const Region& region, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= region.bytes() && bytes <= region.bytes() - offset;
}

Leaving leaving_of(const Operation& operation, const Descriptor& source) {
  Leaving leaving;
  leaving.user = operation.user;
  if ((source.options & (descriptor_option::no_success_event | descriptor_option::no_send_event)) == 0)
    leaving.queue = source.queue;
  if ((source.options & descriptor_option::count_send) != 0) leaving.counter = source.counter;
  leaving.count = (source.options & descriptor_option::count_bytes) != 0 ? operation.bytes : 1;
  return leaving;
}

}  // namespace

bool PortalInterface::check(const Operation& operation) const {
  const Descriptor* descriptor = descriptors_.find(operation.descriptor);
  if (descriptor == nullptr || operation.pe.value() >= pe_.one_sided.npes()) return false;
  if (!contains(descriptor->region, operation.offset, operation.bytes)) return false;
  if (operation.acknowledge == Acknowledge::full && descriptor->queue == nullptr) return false;
  if (operation.acknowledge == Acknowledge::counted && descriptor->counter == no_counter) return false;
  if (operation.kind == OperationKind::put || operation.kind == OperationKind::get) return true;
  if (!is_defined(operation.arithmetic, operation.type) || operation.bytes > limits_.atomic_bytes) return false;
  bool swaps = operation.arithmetic >= Arithmetic::swap;
  if (swaps != (operation.kind == OperationKind::swap)) return false;
  if (operation.bytes % bytes_of(operation.type) != 0) return false;
  if (swaps && operation.arithmetic != Arithmetic::swap && operation.bytes != bytes_of(operation.type)) return false;
  if (!fetches(operation.kind)) return true;
  const Descriptor* into = descriptors_.find(operation.get_descriptor);
  return into != nullptr && contains(into->region, operation.get_offset, operation.bytes);
}

Refusal PortalInterface::start(const Operation& operation) {
  const Descriptor* source = descriptors_.find(operation.descriptor);
  const Descriptor* into = fetches(operation.kind) ? descriptors_.find(operation.get_descriptor) : source;
  if (source == nullptr || into == nullptr) return Refusal::invalid;  // released while it waited for its counter
  const Leaving leaving = leaving_of(operation, *source);
  std::uint32_t cookie = Pool<Pending>::nothing;
  if (operation.acknowledge != Acknowledge::none || fetches(operation.kind) || operation.kind == OperationKind::get) {
    cookie = pending_->take();
    if (cookie == Pool<Pending>::nothing) return Refusal::no_space;
    Pending& pending = (*pending_)[cookie];
    pending.kind = operation.kind;
    pending.acknowledge = operation.acknowledge;
    pending.pe = operation.pe;
    pending.user = operation.user;
    pending.queue = into->queue;
    pending.counter = into->counter;
    pending.options = into->options;
    pending.bytes = operation.bytes;
    pending.starter = operation.kind == OperationKind::get ? nullptr : &leaving;
    pending.leaving = leaving;
    if (operation.kind != OperationKind::put && operation.kind != OperationKind::atomic) {
      pending.into = into->region;
      pending.offset = operation.kind == OperationKind::get ? operation.offset : operation.get_offset;
    }
  }
  try {
    send_request(operation, source->region, cookie);
  } catch (...) {
    SpinGuard guard(lock_);
    if (cookie != Pool<Pending>::nothing) pending_->give_back(cookie);
    throw;
  }
  if (cookie != Pool<Pending>::nothing && has_left(operation.pe)) [[unlikely]]
    departures_settled_.store(0, std::memory_order_relaxed);  // the next wait fails it
  if (operation.kind == OperationKind::get) return Refusal::none;
  if (cookie == Pool<Pending>::nothing) {
    note_sent(leaving);
    return Refusal::none;
  }
  SpinGuard guard(lock_);
  Pending* pending = pending_->find(cookie);
  if (pending == nullptr || pending->starter != &leaving) return Refusal::none;  // the answer has
  pending->starter = nullptr;
  note_sent(leaving);
  return Refusal::none;
}

void PortalInterface::send_request(const Operation& operation, const Region& source, std::uint32_t cookie) {
  Demand demand;
  demand.interface = number_;
  demand.operation = operation.kind;
  demand.acknowledge = operation.acknowledge;
  demand.arithmetic = operation.arithmetic;
  demand.type = operation.type;
  demand.portal = operation.portal;
  demand.uid = uid_;
  demand.cookie = cookie;
  demand.match_bits = operation.match_bits;
  demand.remote_offset = operation.remote_offset;
  demand.bytes = operation.bytes;
  demand.header = operation.header;
  portal::DemandText text(demand, operation.operand);
  std::span<const std::byte> head = text.bytes();
  if (operation.kind == OperationKind::get || operation.bytes == 0) return send(operation.pe, head);
  if (!source.in_pieces()) return send(operation.pe, head, {source.at(operation.offset), operation.bytes});
  std::vector<std::byte> gathered(operation.bytes);
  source.copy_out(operation.offset, gathered.data(), operation.bytes);
  send(operation.pe, head, gathered);
}

void PortalInterface::send(PeId pe, std::span<const std::byte> head, std::span<const std::byte> data) {
  if (has_left(pe)) [[unlikely]]
    return;
  try {
    pe_.messenger.send(pe, handler_, head, data);
  } catch (const PeFailedError&) { throw; } catch (const Error&) {
    if (!has_left(pe)) throw;  // it has left meanwhile
  }
}

// The data have left: they were copied.
void PortalInterface::note_sent(const Leaving& leaving) {
  if (leaving.queue != nullptr) {
    Event event;
    event.kind = EventKind::send;
    event.user = leaving.user;
    leaving.queue->push(event);
  }
  if (leaving.counter != no_counter) count(leaving.counter, {leaving.count, 0});
}

void PortalInterface::on_answer(const Answer& answer, std::span<const std::byte> payload) {
  Pending pending;
  {
    SpinGuard guard(lock_);
    Pending* found = pending_->find(answer.cookie);
    if (found == nullptr) return;  // given up: its target was thought to be dead
    pending = std::move(*found);
    pending_->give_back(answer.cookie);
  }
  finish(pending, answer, payload);
}

void PortalInterface::finish(const Pending& pending, const Answer& answer, std::span<const std::byte> payload) {
  if (pending.starter != nullptr) note_sent(pending.leaving);
  bool put = pending.kind == OperationKind::put || pending.kind == OperationKind::atomic;
  if (!put && answer.failure == Failure::none)
    pending.into.copy_in(pending.offset, payload.data(),
                         std::min<std::uint64_t>({payload.size(), answer.moved, pending.bytes}));
  bool tells = pending.queue != nullptr && (!put || pending.acknowledge == Acknowledge::full) &&
               (answer.failure != Failure::none || (pending.options & descriptor_option::no_success_event) == 0);
  if (tells) {
    Event event;
    event.kind = put ? EventKind::ack : EventKind::reply;
    event.user = pending.user;
    event.moved = answer.moved;
    event.offset = answer.offset;
    event.list = answer.list;
    event.failure = answer.failure;
    pending.queue->push(event);
  }
  unsigned counts = put ? descriptor_option::count_ack : descriptor_option::count_reply;
  if ((pending.options & counts) == 0 || pending.counter == no_counter) return;
  std::uint64_t by = (pending.options & descriptor_option::count_bytes) != 0 ? answer.moved : 1;
  count(pending.counter, answer.failure == Failure::none ? Count{by, 0} : Count{0, 1});
}

// One load where none has.
bool PortalInterface::has_left(PeId pe) const {
  return pe_.job.departures() != 0 && pe_.one_sided.endpoint().has_left(pe);
}

bool PortalInterface::is_lost(const Pending& pending) const {
  return pe_.job.has_died(pending.pe) || has_left(pending.pe);
}

void PortalInterface::fail_lost() {
  // Before the look at what is pending, so that start() is not overlooked: it stores 0 after it has made its operation
  // pending.
  departures_settled_.store(pe_.job.departures(), std::memory_order_relaxed);
  pe_.messenger.settle_departures();
  std::vector<std::uint32_t> cookies;
  {
    SpinGuard guard(lock_);
    pending_->visit([&](std::uint32_t cookie, const Pending& pending) {
      if (is_lost(pending)) cookies.push_back(cookie);
    });
  }
  if (cookies.empty()) return;
  // A PE that has left has sent its answers before.
  pe_.messenger.take_arrived();
  std::vector<Pending> lost;
  {
    SpinGuard guard(lock_);
    for (std::uint32_t cookie : cookies) {
      Pending* pending = pending_->find(cookie);
      if (pending == nullptr || !is_lost(*pending)) continue;
      lost.push_back(std::move(*pending));
      pending_->give_back(cookie);
    }
  }
  Answer answer;
  answer.failure = Failure::undeliverable;
  for (const Pending& pending : lost) finish(pending, answer, {});
}

// All are run by their owner, one after the other: so equal thresholds keep their order, whatever they do.
template <class Fill>
Refusal PortalInterface::queue(CounterId on, std::uint64_t threshold, Fill&& fill) {
  std::uint32_t number = triggered_->take();
  if (number == Pool<Triggered>::nothing) return Refusal::no_space;
  Triggered& triggered = (*triggered_)[number];
  fill(triggered);
  triggered.interface = this;
  triggered.number = number;
  if (threshold == 0) {
    carry_out(triggered);
    return Refusal::none;
  }
  try {
    pe_.counters.trigger(on, threshold, TriggeredOp::make_run(&PortalInterface::run, &triggered));
  } catch (const MemoryError&) {
    triggered_->give_back(number);
    return Refusal::no_space;
  }
  pe_.progress.progress();  // it may be due
  return Refusal::none;
}

Refusal PortalInterface::trigger(CounterId on, std::uint64_t threshold, const Operation& operation) {
  return queue(on, threshold, [&](Triggered& triggered) {
    triggered.what = Triggered::What::operation;
    triggered.operation = operation;
  });
}

Refusal PortalInterface::trigger_count(CounterId on, std::uint64_t threshold, CounterId counter, Count by) {
  return queue(on, threshold, [&](Triggered& triggered) {
    triggered.what = Triggered::What::count;
    triggered.counter = counter;
    triggered.count = by;
  });
}

Refusal PortalInterface::trigger_set(CounterId on, std::uint64_t threshold, CounterId counter, Count to) {
  return queue(on, threshold, [&](Triggered& triggered) {
    triggered.what = Triggered::What::set;
    triggered.counter = counter;
    triggered.count = to;
  });
}

Refusal PortalInterface::trigger_call(CounterId on, std::uint64_t threshold, std::function<void()> function) {
  return queue(on, threshold, [&](Triggered& triggered) {
    triggered.what = Triggered::What::call;
    triggered.function = std::move(function);
  });
}

void PortalInterface::run(Context&, void* argument) {
  Triggered& triggered = *static_cast<Triggered*>(argument);
  triggered.interface->carry_out(triggered);
}

void PortalInterface::carry_out(Triggered& triggered) {
  switch (triggered.what) {
    case Triggered::What::operation:
      (void)start(triggered.operation);
      break;  // a descriptor may have been released: then nothing happens
    case Triggered::What::count: count(triggered.counter, triggered.count); break;
    case Triggered::What::set:
      pe_.counters.set_counter({pe_.one_sided.pe(), triggered.counter}, triggered.count);
      break;
    case Triggered::What::call: std::exchange(triggered.function, nullptr)(); break;
  }
  triggered_->give_back(triggered.number);
}

void PortalInterface::finish_triggered() {
  while (triggered_->used() != 0) {
    pe_.progress.progress();
    ::sched_yield();
  }
}

void PortalInterface::cancel(CounterId on) {
  pe_.counters.cancel_triggers(on, [](void* argument) {
    auto& triggered = *static_cast<Triggered*>(argument);
    triggered.function = nullptr;
    triggered.interface->triggered_->give_back(triggered.number);
  });
}

}  // namespace atl::runtime
