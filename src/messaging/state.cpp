// SPDX-License-Identifier: Apache-2.0
// What sends and receives do: under one lock, and past it what the ring and the lists let them do at once.
#include "state.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::runtime::matching {
namespace {

// With the ring and the lists to oneself: some 1 us.
constexpr int looks_at_once = 400;

// A line takes as long to come as some messages take to be matched.
constexpr std::uint64_t lines_ahead = 3;

// Of messages, in one header.
constexpr std::uint32_t most_credit = UINT16_MAX;

// Of an operation's id; the generation above it tells what has ended from what uses its memory now.
constexpr int index_bits = 32;

Status fit(std::size_t bytes, const Target& into) { return bytes > into.bytes ? Status::truncated : Status::ok; }

// Looks at memory first: scatter lies in a third line.
Target target_of(const Operation& receive) {
  const bool in_a_row = receive.memory != nullptr || receive.scatter == nullptr;
  return in_a_row ? Target(receive.memory, receive.bytes) : Target(*receive.scatter, receive.bytes);
}

}  // namespace

State::State(Context& context, const MatcherOptions& options)
    : context_(context), pe_(context), options_(options), peers_(pe_.job.npes()) {
  ATOLL_VALIDATE(options.eager_bytes <= (std::size_t{1} << 20), ValueError,
                 "messages of {} bytes cannot be eager: at most 1 MiB", options.eager_bytes);
  // The same for guests.
  const std::uint32_t npes = pe_.job.npes();
  window_bytes_ = std::min<std::uint64_t>(options.unexpected_bytes / npes, std::uint64_t{1} << 30);
  window_messages_ = std::max(options.unexpected_messages / npes, 2u);
  for (Peer& peer : peers_) peer = fresh_peer();
  if (pe_.job.is_guest()) cohort_peers_.resize(pe_.one_sided.npes());
  for (Peer& peer : cohort_peers_) peer = fresh_peer();
  // Where only a parent may look into a process, every PE of the node may look into this one.
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

void State::listen(std::shared_ptr<State> self) {
  // Under the lock: a message may come at once, and its handler must know by which id to answer.
  std::lock_guard lock(lock_);
  handler_ = pe_.messenger.register_handler(
      [self = std::move(self)](Context&, PeId source, std::span<const std::byte> payload) {
        self->take_in(source, payload);
      });
}

void State::close() {
  for (Lane& lane : lanes_) {
    pe_.counters.release_counter(lane.ready);
    pe_.counters.release_counter(lane.arrived);
  }
  for (std::byte* block : staging_) pe_.memory.heap().release(block);
  for (const LeftStaging& left : left_staging_) pe_.memory.heap().release(left.staging);
  staging_.clear();
  left_staging_.clear();
  if (shared_copies_ != nullptr) pe_.memory.heap().release(std::exchange(shared_copies_, nullptr));
}

// ---- the pool of operations ---------------------------------------------------------------------------------------

Operation* State::allocate() {
  // The operation that was allocated first is likely to be free. A few that are not are skipped, so that long-lived
  // ones do not block the search.
  constexpr std::size_t most_looks = 8;
  for (std::size_t look = std::min(most_looks, pool_.size()); look > 0; --look) {
    Operation* operation = pool_[oldest_];
    oldest_ = oldest_ + 1 == pool_.size() ? 0 : oldest_ + 1;
    if (!operation->taken_back.load(std::memory_order_acquire)) continue;  // partner: release()
    operation->taken_back.store(false, std::memory_order_relaxed);
    operation->complete.store(false, std::memory_order_relaxed);
    operation->stage = Stage::moving;
    if (std::exchange(operation->known, false)) [[unlikely]] {
      operation->id += std::uint64_t{1} << index_bits;
      operation->lane = Operation::no_lane;
      operation->without_room = operation->awaits_put = false;
      operation->holds = 0;
      operation->told = Status::ok;
      operation->staged = operation->taken = operation->length = 0;
      operation->scatter = nullptr;
      operation->row.reset();
    }
    return operation;
  }
  Operation& fresh = operations_.emplace_back();
  pool_.push_back(&fresh);
  fresh.id = pool_.size();  // from 1: 0 is no operation
  fresh.part = this;
  return &fresh;
}

// Null: it has ended meanwhile (see fail).
Operation* State::operation_of(std::uint64_t id) {
  std::uint64_t index = id & ((std::uint64_t{1} << index_bits) - 1);
  ATOLL_EXPECT(index >= 1 && index <= pool_.size());
  Operation& operation = *pool_[index - 1];
  return operation.id == id && operation.stage == Stage::moving && !operation.complete.load(std::memory_order_relaxed)
             ? &operation
             : nullptr;
}

// Null also for one that is to end as soon as no thread holds it.
Operation* State::wanted_operation(std::uint64_t id) {
  Operation* operation = operation_of(id);
  return operation != nullptr && operation->told == Status::ok ? operation : nullptr;
}

// A thread is about to use it without the lock, until let_go(). Null: it has ended meanwhile.
Operation* State::hold(std::uint64_t id) {
  Operation* operation = operation_of(id);
  if (operation != nullptr) ++operation->holds;
  return operation;
}

void State::let_go(std::uint64_t id) {
  std::vector<Operation*> next;
  {
    std::lock_guard lock(lock_);
    Operation* operation = operation_of(id);
    if (operation == nullptr || --operation->holds != 0 || operation->told == Status::ok) [[likely]]
      return;
    end(*operation, operation->told, next);
  }
  pe_.one_sided.notify(pe_.one_sided.pe());
  for (Operation* waiting : next) go_on(*waiting);
}

void State::finish(Operation& operation, Status status) {
  operation.outcome.status = status;
  operation.complete.store(true, std::memory_order_release);  // data and outcome; partner: Matcher::test and wait
}

Outcome State::release(Operation& operation) {
  Outcome outcome = operation.outcome;
  operation.taken_back.store(true, std::memory_order_release);  // partner: allocate()
  return outcome;
}

// A receive and its message have met: from here on this thread ends it, or lets it go.
void State::take_up(Operation& receive, const Envelope& envelope, bool announced) {
  receive.outcome.envelope = envelope;
  if (!announced) [[likely]] {
    receive.stage = Stage::landing;
    return;
  }
  receive.stage = Stage::moving;
  receive.known = true;
  receive.holds = 1;
}

void State::count_received(const Envelope& envelope, std::uint64_t room) {
  ++received_messages_;
  received_bytes_ += std::min(envelope.bytes, room);
}

MatcherStats State::stats() {
  std::lock_guard lock(lock_);
  return {
      unexpected_bytes_, unexpected_.count(), posted_.count(), withheld_,       sent_messages_,
      sent_bytes_,       received_messages_,  received_bytes_, early_messages_, waits_.load(std::memory_order_relaxed)};
}

// ---- credit: what each message needs of it, to be inlined here; the rest is in credit.cpp ---------------------------

Header State::header_for(PeId pe, Kind kind) {
  Peer& peer = peer_of(pe);
  Header header;
  header.kind = kind;
  header.credit_bytes = static_cast<std::uint32_t>(std::exchange(peer.returned_bytes, 0));
  header.credit_messages = static_cast<std::uint16_t>(std::min(peer.returned_messages, most_credit));
  peer.returned_messages -= header.credit_messages;
  if (header.credit_messages != 0 && std::exchange(peer.withholds, false)) --withholding_;
  return header;
}

// A receive took a message. Returns whether it is time to return the credit.
bool State::taken(PeId source, std::uint64_t payload) {
  Peer& peer = peer_of(source);
  peer.returned_bytes += payload;
  if (peer.lent != 0) --peer.lent;
  else ++peer.returned_messages;
  return peer.returned_messages >= std::clamp(window_messages_ / 2, 1u, most_credit / 2) ||
         peer.returned_bytes > window_bytes_ / 2;
}

void State::credit(PeId source, const Header& header) {
  if (header.credit_messages == 0 && header.credit_bytes == 0) return;
  Peer& peer = peer_of(source);
  peer.bytes += header.credit_bytes;
  peer.messages += header.credit_messages;
  drain(source);
}

// ---- sending ------------------------------------------------------------------------------------------------------

void State::tell(PeId pe, const Header& header, std::span<const std::byte> payload) {
  const std::size_t bytes = header.kind == Kind::eager      ? eager_header
                            : header.kind == Kind::labelled ? labelled_header
                                                            : sizeof(header);
  pe_.messenger.send(pe, handler_, std::as_bytes(std::span(&header, 1)).first(bytes), payload);
}

Header State::eager_header_for(PeId pe, std::uint64_t tag, std::uint64_t label) {
  Header header = header_for(pe, label == 0 ? Kind::eager : Kind::labelled);
  header.tag = tag;
  header.bytes = label;
  return header;
}

Header State::announcement(Operation& send) {
  send.known = true;
  Header header = header_for(send.outcome.envelope.source, Kind::announce);
  header.tag = send.outcome.envelope.tag;
  header.bytes = send.bytes;
  header.operation = send.id;
  header.label = send.outcome.envelope.label;
  header.place = place_of(send.memory, send.bytes);
  if (header.place == no_place && pe_.job.is_local(send.outcome.envelope.source))
    header.place = private_place | reinterpret_cast<std::uintptr_t>(send.memory);
  return header;
}

void State::check_peer(PeId pe) const {
  const std::uint32_t places = pe_.job.places();
  ATOLL_VALIDATE(pe.value() < places, IndexError, "there is no PE {}: the job has PEs 0 to {}", pe.value(), places - 1);
}

bool State::send_now(PeId to, std::uint64_t tag, std::span<const std::byte> data, std::uint64_t label) {
  check_peer(to);
  if (data.size() > options_.eager_bytes) return false;
  Header header;
  {
    std::lock_guard lock(lock_);
    Peer& peer = peer_of(to);
    if (peer.messages == 0 || peer.bytes < data.size() || (peer.waiting && !peer.waiting->empty())) [[unlikely]]
      return false;
    ++sent_messages_;
    sent_bytes_ += data.size();
    --peer.messages;
    peer.bytes -= data.size();
    header = eager_header_for(to, tag, label);
  }
  try {
    tell(to, header, data);
  } catch (const MemoryError&) {  // no room in our heap: nothing was sent
    std::lock_guard lock(lock_);
    Peer& peer = peer_of(to);
    ++peer.messages;
    peer.bytes += data.size();
    peer.returned_bytes += header.credit_bytes;
    peer.returned_messages += header.credit_messages;
    throw;
  }
  return true;
}

std::optional<PeId> State::receiver_without_room(const Operation& send) const {
  std::lock_guard lock(lock_);
  if (!send.without_room || send.complete.load(std::memory_order_relaxed)) return std::nullopt;
  return send.outcome.envelope.source;
}

Operation* State::send(PeId to, std::uint64_t tag, std::span<const std::byte> data, SendMode mode,
                       std::uint64_t label) {
  if (mode == SendMode::standard && send_now(to, tag, data, label)) [[likely]]
    return nullptr;
  check_peer(to);
  Operation* send = nullptr;
  Header header;
  {
    std::lock_guard lock(lock_);
    ++sent_messages_;
    sent_bytes_ += data.size();
    Peer& peer = peer_of(to);
    bool behind = peer.waiting && !peer.waiting->empty();
    send = allocate();
    send->memory = const_cast<std::byte*>(data.data());
    send->bytes = data.size();
    send->outcome.envelope = {to, tag, data.size(), label};
    send->mode = mode;
    const bool withheld = behind || peer.messages == 0;
    send->known = send->without_room = mode == SendMode::standard && (withheld || data.size() <= options_.eager_bytes);
    if (!withheld) {
      --peer.messages;
      send->stage = Stage::moving;
      header = announcement(*send);
    } else {
      if (!peer.waiting) peer.waiting = std::make_unique<List<Operation>>();
      peer.waiting->append(send->link);
      send->stage = Stage::withheld;
      ++withheld_;
      if (std::exchange(peer.said_withheld, true)) return send;
      header = header_for(to, Kind::withheld);
    }
  }
  tell(to, header);
  return send;
}

// ---- receiving ----------------------------------------------------------------------------------------------------

Operation* State::receive(const Pattern& pattern, const Target& into) {
  if (pattern.source) check_peer(*pattern.source);
  Operation* receive;
  Unexpected* message;
  std::vector<std::pair<PeId, Header>> loans;
  {
    std::lock_guard lock(lock_);
    receive = allocate();
    receive->pattern = pattern;
    aim(*receive, into);
    message = unexpected_.count() == 0 ? nullptr : unexpected_.find(pattern);
    if (message != nullptr) {
      unexpected_.remove(*message);
      take_up(*receive, message->envelope, message->operation != 0);
    } else {
      posted_.append(*receive);
      receive->stage = Stage::posted;
      lend(pattern, loans);
    }
  }
  if (message != nullptr) take_from(*message, *receive);
  for (auto& [pe, header] : loans) tell(pe, header);
  return receive;
}

bool State::receive_now(const Pattern& pattern, const Target& into, Outcome& outcome) {
  if (pattern.source) check_peer(*pattern.source);
  // What comes over a network is asked for elsewhere.
  if (pe_.one_sided.endpoint().polls_network() && !(pattern.source && pe_.one_sided.endpoint().maps(*pattern.source)))
    return false;
  if (pe_.progress.has_progress_thread()) pe_.progress.note_active();
  for (int looks = std::max(pe_.progress.quick_looks(), looks_at_once);;) {
    if (receive_at_once(pattern, into, looks_at_once, outcome)) return true;
    if ((looks -= looks_at_once) <= 0) return false;
    if (std::lock_guard lock(lock_); is_unlikely(pattern)) return false;
    pe_.progress.progress();  // of what is no message
  }
}

// To come next: what was before it is still here.
bool State::is_unlikely(const Pattern& pattern) {
  return withholding_ != 0 || (unexpected_.count() != 0 && unexpected_.find(pattern) != nullptr);
}

bool State::receive_at_once(const Pattern& pattern, const Target& into, int looks, Outcome& outcome) {
  Progress::Look look(pe_.progress);
  if (!look) return false;
  std::unique_lock lock(lock_);
  if (is_unlikely(pattern)) return false;
  std::optional<fabric::Endpoint::Received> message;
  int vain_looks = 0;
  while (!(message = look.first()) && ++vain_looks < looks) look.prefetch_rest(vain_looks);
  if (!message || !Progress::Look::is_for(*message, handler_)) return false;
  Header header;
  const std::size_t header_bytes = read_header(message->payload, message->bytes, header);
  const PeId source(message->source);
  const bool is_ours =
      header.kind == Kind::eager && pattern.fits(source, header.tag) &&
      (posted_.count() == 0 || posted_.find(source, header.tag, [](const Operation&) { return true; }) == nullptr);
  if (!is_ours) return false;
  look.prefetch_next();
  if (vain_looks != 0) count_wait();
  outcome.envelope = {source, header.tag, header.bytes, header.label};
  outcome.status = copy_out(*message, header_bytes, into);
  look.take();
  credit(source, header);
  count_received(outcome.envelope, into.bytes);
  const bool answer = taken(source, header.bytes);
  if (answer) [[unlikely]]
    header = header_for(source, Kind::credit);
  lock.unlock();
  look.leave();
  if (answer) [[unlikely]]
    tell(source, header);
  return true;
}

void State::take_awaited(const Operation& wanted) {
  // What comes over a network is asked for elsewhere.
  if (pe_.one_sided.endpoint().polls_network()) return;
  if (pe_.progress.has_progress_thread()) pe_.progress.note_active();
  for (int looks = std::max(pe_.progress.quick_looks(), looks_at_once); looks > 0; looks -= looks_at_once) {
    take_posted(wanted, looks_at_once);
    if (wanted.complete.load(std::memory_order_relaxed)) return;  // the waiting thread acquires
    pe_.progress.progress();  // of what is not for one that waits
  }
}

void State::take_posted(const Operation& wanted, int looks) {
  Progress::Look look(pe_.progress);
  if (!look) return;
  std::unique_lock lock(lock_);
  int vain_looks = 0;
  for (int taken_so_far = 0;; ++taken_so_far) {
    std::optional<fabric::Endpoint::Received> message;
    for (; !(message = look.first()); look.prefetch_rest(vain_looks))
      if (wanted.complete.load(std::memory_order_relaxed) || ++vain_looks >= looks) return;
    if (!Progress::Look::is_for(*message, handler_)) return;
    Header header;
    const std::size_t header_bytes = read_header(message->payload, message->bytes, header);
    if (header.kind != Kind::eager) return;
    const PeId source(message->source);
    Operation* receive = posted_.take(source, header.tag);
    if (receive == nullptr) return;
    // As messages come that wait for a handler (runtime/message.cpp).
    pe_.one_sided.endpoint().prefetch_message(taken_so_far == 0 ? 1 : lines_ahead);
    receive->stage = Stage::moving;
    receive->outcome.envelope = {source, header.tag, header.bytes, header.label};
    credit(source, header);
    count_received(receive->outcome.envelope, receive->bytes);
    const Status status = copy_out(*message, header_bytes, target_of(*receive));
    look.take();
    finish(*receive, status);
    if (!taken(source, header.bytes)) [[likely]]
      continue;
    header = header_for(source, Kind::credit);
    lock.unlock();
    look.leave();
    return tell(source, header);
  }
}

Operation* State::receive(Unexpected& claimed, const Target& into) {
  Operation* receive;
  {
    std::lock_guard lock(lock_);
    receive = allocate();
    aim(*receive, into);
    take_up(*receive, claimed.envelope, claimed.operation != 0);
  }
  take_from(claimed, *receive);
  return receive;
}

void State::aim(Operation& receive, const Target& into) {
  receive.memory = into.memory;  // none where it is scattered
  receive.bytes = into.bytes;
  if (into.scatter == nullptr) [[likely]]
    return;
  receive.scatter = into.scatter;
  receive.known = true;
}

Status State::copy_out(const fabric::Endpoint::Received& message, std::size_t header_bytes, const Target& into) {
  fabric::Endpoint::Received::Room room;
  if (into.scatter != nullptr || message.in_a_row()) [[likely]]
    return copy_out(message.row(room).subspan(header_bytes), into);
  const std::size_t bytes = message.bytes - header_bytes;
  message.copy_out(into.memory, header_bytes, std::min<std::size_t>(bytes, into.bytes));
  return fit(bytes, into);
}

Status State::copy_out(std::span<const std::byte> payload, const Target& into) {
  std::size_t fits = std::min<std::size_t>(payload.size(), into.bytes);
  if (into.scatter == nullptr) [[likely]]
    fabric::copy_few(into.memory, payload.data(), fits);
  else if (fits != 0) into.scatter->put(0, fits, payload.data());
  return fit(payload.size(), into);
}

void State::deliver(Operation& receive, const std::byte* payload) {
  finish(receive, copy_out({payload, receive.outcome.envelope.bytes}, target_of(receive)));
}

void State::free_unexpected(Unexpected& message) {
  if (message.operation == 0) unexpected_bytes_ -= message.envelope.bytes;
  message.large.reset();
  free_messages_.append(message.in_order);
}

void State::take_from(Unexpected& message, Operation& receive) {
  PeId source = message.envelope.source;
  bool announced = message.operation != 0;
  const std::uint64_t room = receive.bytes;  // before it is complete, and perhaps another's
  if (announced) {
    receive.partner = message.operation;
    receive.place = message.place;
    start(receive);
  } else {
    deliver(receive, message.large ? message.large.get() : message.small.data());
  }
  Header header;
  {
    std::lock_guard lock(lock_);
    std::uint64_t payload = announced ? 0 : message.envelope.bytes;
    if (!announced) count_received(message.envelope, room);
    free_unexpected(message);
    if (!taken(source, payload)) return;
    header = header_for(source, Kind::credit);
  }
  tell(source, header);
}

void State::on_message(PeId source, const Header& header, const std::byte* payload) {
  bool announced = header.kind == Kind::announce;
  std::uint64_t carried = announced ? 0 : header.bytes;
  Envelope envelope{source, header.tag, header.bytes, header.label};
  Operation* receive;
  bool answer = false;
  Header reply;
  {
    std::lock_guard lock(lock_);
    credit(source, header);
    receive = posted_.take(source, header.tag);
    if (receive == nullptr) {
      store(source, header, {payload, carried});
      return;
    }
    take_up(*receive, envelope, announced);
    if (!announced) count_received(envelope, receive->bytes);
    answer = taken(source, carried);
    if (answer) reply = header_for(source, Kind::credit);
  }
  if (announced) {
    receive->partner = header.operation;
    receive->place = header.place;
    start(*receive);
  } else {
    deliver(*receive, payload);
  }
  if (answer) tell(source, reply);
}

// Of what came; a labelled message is an eager one from here on. The payload is behind the header.
std::size_t State::read_header(const std::byte* message, std::size_t bytes, Header& header) {
  ATOLL_EXPECT(bytes >= eager_header);
  std::memcpy(static_cast<void*>(&header), message, eager_header);
  if (header.kind == Kind::eager) [[likely]] {
    header.bytes = bytes - eager_header;
    return eager_header;
  }
  if (header.kind == Kind::labelled) {
    std::memcpy(&header.label, message + eager_header, sizeof(header.label));
    header.kind = Kind::eager;
    header.bytes = bytes - labelled_header;
    return labelled_header;
  }
  ATOLL_EXPECT(bytes >= sizeof(header));
  std::memcpy(&header, message, sizeof(header));
  return sizeof(header);
}

void State::take_in(PeId source, std::span<const std::byte> payload) {
  Header header;
  const std::byte* data = payload.data() + read_header(payload.data(), payload.size(), header);
  if (header.kind == Kind::eager || header.kind == Kind::announce) [[likely]]
    return on_message(source, header, data);
  {
    std::lock_guard lock(lock_);
    credit(source, header);
  }
  switch (header.kind) {
    case Kind::eager:
    case Kind::labelled:
    case Kind::announce: return;
    case Kind::proceed: return on_proceed(source, header);
    case Kind::piece: return on_piece(source, header);
    case Kind::piece_done: return on_piece_done(header);
    case Kind::finished: return on_finished(source, header);
    case Kind::confirmed: return on_confirmed(header);
    case Kind::credit: return;
    case Kind::withheld: return on_withheld(source);
    case Kind::help: return help_copy(source, header, data);
  }
}

}  // namespace atl::runtime::matching
