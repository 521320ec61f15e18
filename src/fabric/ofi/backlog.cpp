// SPDX-License-Identifier: Apache-2.0
// Operations that never wait for their target. Each is handed to the network while the peer's window has room: at most
// most_under_way uncounted operations, most_transferring bytes of writes and reads, most_answers answers. The rest
// waits in the peer's backlog as descriptors, without a copy of its data, and poll() hands it over as room becomes
// available. While the peer makes progress, a call waits for a backlog that is long, so that it stays in the cache.
#include <rdma/fi_errno.h>

#include <algorithm>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "path.hpp"

namespace atl::fabric::ofi {
namespace {

// Answers that a peer owes, of up to most_payload and of 8 bytes: it may have to queue them.
constexpr std::uint32_t most_gets = 16, most_answers = 256;
// Operations in a backlog for which a call does not wait.
constexpr std::size_t short_backlog = 1024;
// A call that adds to a backlog polls each time that this many have been added.
constexpr std::uint64_t calls_per_poll = 16;
// Rounds without progress of the peer, after which a call no longer waits for it.
constexpr int most_rounds = 64;

}  // namespace

void Path::queue_put(PeId pe, HeapOffset to, const void* from, std::size_t bytes, QueuedCompletion* completion) {
  start_or_queue(
      pe, {.kind = QueuedOperation::Kind::put, .at = to, .from = static_cast<const std::byte*>(from), .bytes = bytes},
      completion);
}

void Path::queue_put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                            std::uint64_t value, AtomicOp how) {
  start_or_queue(pe, {.kind = QueuedOperation::Kind::put_signal,
                      .at = to,
                      .from = static_cast<const std::byte*>(from),
                      .bytes = bytes,
                      .atomic = {how, 8, signal, value}});
}

void Path::queue_get(void* to, PeId pe, HeapOffset from, std::size_t bytes, QueuedCompletion* completion) {
  start_or_queue(pe,
                 {.kind = QueuedOperation::Kind::get, .at = from, .to = static_cast<std::byte*>(to), .bytes = bytes},
                 completion);
}

void Path::queue_update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) {
  start_or_queue(
      pe, {.kind = QueuedOperation::Kind::update, .atomic = {op, static_cast<std::uint8_t>(width), at, operand}});
}

void Path::queue_atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                        std::uint64_t expected, void* old) {
  start_or_queue(pe, {.kind = QueuedOperation::Kind::atomic,
                      .to = static_cast<std::byte*>(old),
                      .atomic = {op, static_cast<std::uint8_t>(width), at, operand, expected}});
}

void Path::start_or_queue(PeId pe, QueuedOperation&& operation, QueuedCompletion* completion) {
  Hold hold(*this);
  const Peer& to = peer(pe);
  bool expects_answer = operation.to != nullptr;
  if (expects_answer && to.gone) throw_gone(pe);
  if (completion != nullptr) track(pe, operation, *completion);
  bool is_first = to.backlog == nullptr || to.backlog->waiting.empty();
  if (!is_first || !start(pe, operation)) [[unlikely]]
    enqueue(hold, pe, operation);
}

// Not inlined: it is the exception where it is called.
[[gnu::noinline]] void Path::enqueue(Hold& hold, PeId pe, QueuedOperation& operation) {
  Peer& to = peer(pe);
  if (to.backlog == nullptr) to.backlog = std::make_unique<Backlog>();
  Backlog& backlog = *to.backlog;
  if (!handling_ && backlog.last() % calls_per_poll == 0) {
    count_poll();
    (void)poll();
    check();
  }
  if (!handling_ && backlog.waiting.size() >= short_backlog) {
    wait_while_progressing(hold, to, [&] { return backlog.waiting.size() < short_backlog; });
    wait(hold, [&] { return queued_operations_ < most_queued_; });
  }
  if (to.gone) return note_started(operation);
  if (backlog.waiting.empty() && start(pe, operation)) return;
  if (backlog.waiting.empty()) backlogged_.push_back(pe.value());
  backlog.waiting.push_back(operation);
  ++queued_operations_;
  chores_ = true;
  lent_.store(true, std::memory_order_relaxed);  // as in lent()
}

// Waits until the peer has made no progress for most_rounds. A peer that has not made progress since is not waited for.
template <class Ready>
void Path::wait_while_progressing(Hold& hold, const Peer& peer, Ready&& ready) {
  Backlog& backlog = *peer.backlog;
  std::uint64_t before = progress_of(peer);
  if (backlog.stuck_at == before) return;
  for (int rounds = 0; rounds < most_rounds && !ready(); ++rounds) {
    if (!poll()) {
      check();
      hold.rest(rounds);
    }
    std::uint64_t now = progress_of(peer);
    if (std::exchange(before, now) != now) rounds = 0;
  }
  backlog.stuck_at = ready() ? 0 : before;
}

// A peer occupies at most as many send buffers as it leaves to others, so that one that is stopped does not stop them.
bool Path::has_buffer(const Peer& to, std::size_t payload_bytes) const {
  return sizeof(Header) + payload_bytes <= device_->inject_bytes() || to.buffers < device_->free_sends() || to.gone;
}

void Path::track(PeId pe, QueuedOperation& operation, QueuedCompletion& completion) {
  Pending& in_quiet = lent(operation.to != nullptr ? gets_ : writes_);
  ++in_quiet.left;
  completion.add_part();
  operation.tracked = &tracked_.take(completion, pe.value(), in_quiet);
}

void Path::finish_tracked(Tracked& operation) {
  --operation.in_quiet->left;
  if (QueuedCompletion* completion = std::exchange(operation.completion, nullptr))
    completion->finish_part(peers_[operation.peer].gone ? QueuedCompletion::Outcome::dropped
                                                        : QueuedCompletion::Outcome::done);
  tracked_.give_back(operation);
}

bool Path::start(PeId pe, QueuedOperation& operation) {
  if (!advance(pe, operation)) return false;
  note_started(operation);
  return true;
}

// Hands over as much of the operation as there is room for, without waiting. True: that was all of it.
bool Path::advance(PeId pe, QueuedOperation& operation) {
  switch (operation.kind) {
    case QueuedOperation::Kind::put: return advance_put(pe, operation);
    case QueuedOperation::Kind::put_signal: return advance_put_signal(pe, operation);
    case QueuedOperation::Kind::get: return advance_get(pe, operation);
    case QueuedOperation::Kind::update:
      if (!has_window(peer(pe)) || !has_buffer(peer(pe), 0)) return false;
      send_update(pe, operation.atomic);
      return true;
    case QueuedOperation::Kind::atomic: return advance_atomic(pe, operation);
  }
  return true;
}

// False: there is no room for all of it just now.
bool Path::advance_by_writes(PeId pe, QueuedOperation& put) {
  Peer& target = peer(pe);
  auto until = device_->writes_in_order() ? Device::Until::reusable : Device::Until::delivered;
  while (put.left() != 0) {
    std::size_t part = std::min(put.left(), device_->most_transfer());
    bool went = try_transfer(target, part, transfers_of(put, writes_), [&](Operation& operation) {
      return device_->write(put.from + put.done, part, target.memory, put.next().value(), until, operation);
    });
    if (!went) return false;
    put.done += part;
    note_written(target);
  }
  return true;
}

// Whether the rest may be written by the network. A write could overtake messages from before a fence.
bool Path::may_write_rest(Peer& target, const QueuedOperation& put, Registrations::Loan& loan) {
  if (target.fenced && settled(target)) target.fenced = false;
  return !target.fenced && put.left() > most_payload && may_write(target, put.from + put.done, put.left(), loan);
}

bool Path::advance_put(PeId pe, QueuedOperation& put) {
  if (put.bytes == 0) return true;
  Peer& target = peer(pe);
  if (put.done == 0 && may_put_directly(target, put.bytes) && put_directly(pe, put.at, put.from, put.bytes))
    return true;
  Registrations::Loan loan;
  if (may_write_rest(target, put, loan)) return advance_by_writes(pe, put);
  return advance_by_messages(pe, put, 0);
}

// By messages, until at most `rest` bytes are left. False: there is no room just now.
bool Path::advance_by_messages(PeId pe, QueuedOperation& put, std::size_t rest) {
  while (put.left() > rest) {
    std::size_t part = std::min(put.left(), most_payload);
    if (!has_window(peer(pe)) || !has_buffer(peer(pe), part)) return false;
    put_by_message(pe, put.next(), put.from + put.done, part);
    put.done += part;
  }
  return true;
}

bool Path::advance_put_signal(PeId pe, QueuedOperation& put) {
  Peer& target = peer(pe);
  if (!has_window(target) || !has_buffer(target, put.left())) return false;
  Header header = header_of(MessageType::put_signal);
  header.acknowledge = acknowledgement(target, MessageType::put_signal);
  header.op = static_cast<std::uint8_t>(put.atomic.op);
  header.operand = put.atomic.operand;
  header.signal = put.atomic.at.value();
  header.offset = put.at.value();
  if (put.done == 0 && put_with_signal_by_write(pe, header, Bytes(put.from, put.bytes), lent(writes_))) return true;
  Registrations::Loan loan;
  // In order, the signal's message arrives after the data.
  bool by_writes = device_->writes_in_order() && may_write_rest(target, put, loan);
  if (!(by_writes ? advance_by_writes(pe, put) : advance_by_messages(pe, put, most_payload))) return false;
  if (!has_window(target) || !has_buffer(target, put.left())) return false;
  header.offset = put.next().value();
  send(pe, header, Bytes(put.from + put.done, put.left()), {});
  return true;
}

bool Path::advance_get(PeId pe, QueuedOperation& get) {
  Peer& source = peer(pe);
  if (source.gone) return true;
  Registrations::Loan loan;
  if (get.bytes > most_payload && source.memory.reachable && !handling_ &&
      device_->lend(get.to, get.bytes, FI_READ, loan))
    return advance_by_reads(pe, get);
  if (get.bytes <= most_message && may_fetch(source) && !has_buffer(source, most_message)) return false;
  if (get.bytes <= most_message && try_fetch(pe, get.to, get.at, get.bytes, transfers_of(get, gets_))) return true;
  while (get.left() != 0) {
    if (source.queued || source.answers_due >= most_gets || !has_buffer(source, 0)) return false;
    std::size_t part = std::min(get.left(), most_payload);
    ask_for_part(pe, get.to + get.done, get.next(), part, transfers_of(get, gets_));
    get.done += part;
  }
  return true;
}

bool Path::advance_atomic(PeId pe, const QueuedOperation& atomic) {
  const Peer& target = peer(pe);
  if (target.gone) return true;
  if (target.queued || target.answers_due >= most_answers || !has_buffer(target, sizeof(atomic.atomic.expected)))
    return false;
  ask_for_atomic(pe, atomic.atomic, atomic.to, atomic.atomic.width, lent(gets_));
  return true;
}

bool Path::advance_by_reads(PeId pe, QueuedOperation& get) {
  Peer& source = peer(pe);
  // What this PE has put there before is read, too.
  if (!std::exchange(get.asked, true)) {
    if (!settled(source) || (source.unflushed && !device_->reads_behind_writes())) ask_for_all(pe);
    get.before = sent_to(pe);
  }
  if (!settled(get.before)) return false;
  source.used = true;
  while (get.left() != 0) {
    std::size_t part = device_->next_read(source.memory, get.at.value(), get.done, get.bytes);
    bool went = try_transfer(source, part, transfers_of(get, gets_), [&](Operation& operation) {
      return device_->read(get.to + get.done, part, source.memory, get.next().value(), operation);
    });
    if (!went) return false;
    get.done += part;
  }
  return true;
}

// ---- backlogs ----

bool Path::advance_backlogs() {
  bool any = false;
  for (std::size_t i = 0; i < backlogged_.size();) {
    PeId pe(backlogged_[i]);
    Backlog& backlog = *peer(pe).backlog;
    for (; !backlog.waiting.empty() && start(pe, backlog.waiting.front()); any = true) {
      backlog.waiting.pop_front();
      ++backlog.started;
      --queued_operations_;
    }
    if (!backlog.waiting.empty()) {
      ++i;
      continue;
    }
    backlogged_[i] = backlogged_.back();
    backlogged_.pop_back();
  }
  return any;
}

void Path::drop_backlog(Peer& of) {
  Backlog* backlog = of.backlog.get();
  if (backlog == nullptr || backlog->waiting.empty()) return;
  queued_operations_ -= backlog->waiting.size();
  backlog->started = backlog->last();
  for (const QueuedOperation& operation : backlog->waiting) note_started(operation);
  backlog->waiting.clear();
  std::erase(backlogged_, of.number);
}

// Waits until all operations that are in the peer's backlog now have started.
void Path::start_backlog(Hold& hold, const Peer& of) {
  const Backlog* backlog = of.backlog.get();
  if (backlog == nullptr || backlog->waiting.empty()) [[likely]]
    return;
  wait(hold, [backlog, last = backlog->last()] { return backlog->started >= last; });
}

void Path::start_backlogs(Hold& hold) {
  if (backlogged_.empty()) [[likely]]
    return;
  std::vector<std::pair<const Backlog*, std::uint64_t>> last;
  for (std::uint32_t pe : backlogged_) last.emplace_back(peers_[pe].backlog.get(), peers_[pe].backlog->last());
  wait(hold, [&] {
    std::erase_if(last, [](const auto& one) { return one.first->started >= one.second; });
    return last.empty();
  });
}

}  // namespace atl::fabric::ofi
