// SPDX-License-Identifier: Apache-2.0
// What arrives: completions of our own operations, and messages of other nodes, carried out by whichever thread looks.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"
#include "path.hpp"

namespace atl::fabric::ofi {
namespace {

// Active messages that may be taken before their sender must be told.
constexpr std::uint32_t most_untold = 16;
// Likewise operations carried out.
constexpr std::uint32_t most_untold_operations = 64;
// Looks by which nothing came, each time after which the agent may be put off: a third of a microsecond each, tens when
// a long message is under way.
constexpr unsigned looks_per_put_off = 16;
// Messages handled in one go, so that the polling thread gets back to its own work.
constexpr int most_at_once = 64;

template <class T>
void store_word(std::byte* at, std::uint64_t value) {
  // Release: what was put before it. Partner: acquire loads in waits.
  std::atomic_ref<T>(*reinterpret_cast<T*>(at)).store(static_cast<T>(value), std::memory_order_release);
}
template <class T>
void load_word(std::byte* to, std::byte* at) {
  T value = std::atomic_ref<T>(*reinterpret_cast<T*>(at)).load(std::memory_order_acquire);  // partner: store_word
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace

// A header of that peer was handled, and its slot, if it came by one, can be written again.
inline void Path::count_arrival(Peer& from, Came came) {
  ++from.handled;
  from.used = from.heard = true;
  if (came == Came::written && ++from.read - from.told_read >= slots_per_peer / 2) owe(from);
}

// One of its operations on this memory was carried out.
inline void Path::count_done(Peer& from, Acknowledge acknowledge) {
  changed_memory_ = true;
  if (acknowledge == Acknowledge::never) return;
  ++from.done;
  if (acknowledge == Acknowledge::at_once || from.done - from.told_done >= most_untold_operations) owe(from);
}

bool Path::poll() {
  collect_receive();  // before: the next long message then comes into the same buffer, which is in the cache
  bool any = take_completions();
  if (!any) {
    device_->replenish();  // not before: the receiver of what came answers first
    if (++vain_looks_ % looks_per_put_off == 0) [[unlikely]]
      put_off_agent();
  } else if (!is_used()) {
    used_.store(true, std::memory_order_relaxed);
  }
  if (handling_) return any;  // further up this stack, messages are being handled
  bool wakes = any && sleepers_ != 0;
  if (!chores_ && !changed_memory_ && !wakes) [[likely]]
    return any;
  if (has_arrivals() && handle_arrivals()) any = true;
  if (!parked_.empty() && place_parked()) any = true;
  if (!waiting_.empty() && send_waiting()) any = true;
  if (!backlogged_.empty() && advance_backlogs()) any = true;
  bool answers_soon = hand_ == Hand::full;  // most often, and its answer tells the same
  if (!owed_.empty() && !has_arrivals() && !answers_soon) send_owed();
  // A thread of the PE may sleep until this. A thread that sleeps for another reason is not woken: the agent goes on
  // without it.
  if (std::exchange(changed_memory_, false) || (any && sleepers_ != 0)) ring_bell(job_.record(self_));
  chores_ = has_arrivals() || !parked_.empty() || !waiting_.empty() || !backlogged_.empty() || !owed_.empty();
  return any;
}

inline bool Path::take_completions() {
  auto finished = device_->completions();
  for (const Completion& one : finished) {
    Arrival arrival{static_cast<Operation*>(one.op_context), one.len};
    bool sent = (one.flags & (FI_REMOTE_WRITE | operation_failed | peer_failed)) == 0 &&
                arrival.operation->kind == Operation::Kind::receive;
    if (sent) [[likely]]
      device_->note_filled(*arrival.operation);
    else if (!take_other(one)) continue;
    else arrival = {nullptr, one.data};
    take_arrival(arrival, &one == &finished.back());
  }
  return !finished.empty();
}

// What is no message: returns whether it is a write that brings a header.
bool Path::take_other(const Completion& one) {
  if ((one.flags & FI_REMOTE_WRITE) != 0) {
    changed_memory_ = true;
    return one.data != 0 && !take_signal(one.data);
  }
  if ((one.flags & peer_failed) != 0) {
    note_failure(peers_[one.data], static_cast<int>(one.len));
    return false;
  }
  auto& operation = *static_cast<Operation*>(one.op_context);
  if ((one.flags & operation_failed) != 0) fail_operation(operation, static_cast<int>(one.data));
  else finish(operation);
  return false;
}

// One of ours is complete.
inline void Path::finish(Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::receive: break;  // is no such
    case Operation::Kind::send:
      if (operation.pending != nullptr) --operation.pending->left;
      peers_[operation.peer].transferring -= operation.bytes;
      --peers_[operation.peer].buffers;
      device_->give_back_send(operation);
      break;
    case Operation::Kind::transfer:
      count_off(*operation.pending);
      peers_[operation.peer].transferring -= operation.bytes;
      peers_[operation.peer].heard = true;
      device_->give_back_transfer(operation);
      break;
    case Operation::Kind::put:
      --peers_[operation.peer].putting;
      --peers_[operation.peer].buffers;
      peers_[operation.peer].heard = true;
      note_arrived(peers_[operation.peer], operation.number);
      device_->give_back_send(operation);
      break;
    case Operation::Kind::fetch:
      if (operation.to != nullptr) std::memcpy(operation.to, operation.buffer, operation.bytes);
      count_off(*operation.pending);
      peers_[operation.peer].transferring -= operation.bytes;
      peers_[operation.peer].heard = true;
      --peers_[operation.peer].buffers;
      note_arrived(peers_[operation.peer], operation.number);
      device_->give_back_send(operation);
      break;
  }
}

// Nothing came into it that anybody wants.
void Path::repost(Operation& operation) {
  device_->note_receive(0, Device::From::another);
  device_->give_back_receive(operation);
}

void Path::fail_operation(Operation& operation, int error) {
  // Of a peer that broke off in the middle of a message; its death is told by others.
  if (operation.kind == Operation::Kind::receive) {
    device_->note_filled(operation);
    return repost(operation);
  }
  Peer& to = peers_[operation.peer];
  note_failure(to, error);
  to.transferring -= operation.bytes;
  if (operation.kind != Operation::Kind::transfer) --to.buffers;
  // A put stays counted: quiet() waits for it, until the peer is known to have left or to have died.
  if (operation.kind == Operation::Kind::send && operation.pending != nullptr) --operation.pending->left;
  if (operation.kind == Operation::Kind::send || operation.kind == Operation::Kind::put)
    return device_->give_back_send(operation);
  // A caller that waits for it is told of the peer's death. Data for a peer that has left is dropped.
  if (to.gone) count_off(*operation.pending);
  else if (is_for_quiet(operation.pending)) to.lost.push_back(operation.pending);
  if (operation.kind == Operation::Kind::fetch) device_->give_back_send(operation);
  else device_->give_back_transfer(operation);
}

// The last of a look, behind nothing that waits, is handled at once; what is sent meanwhile may look again.
inline void Path::take_arrival(Arrival arrival, bool last) {
  if (!last || handling_ || has_arrivals()) [[unlikely]] {
    chores_ = true;
    return arrivals_.push_back(arrival);
  }
  Meanwhile now(handling_, true);
  handle_arrival(arrival);
}

bool Path::handle_arrivals() {
  Meanwhile now(handling_, true);
  int handled = 0;
  for (; has_arrivals() && handled < most_at_once; ++handled) handle_arrival(arrivals_[next_arrival_++]);
  if (!has_arrivals()) {
    arrivals_.clear();
    next_arrival_ = 0;
  }
  return handled != 0;
}

inline void Path::handle_arrival(Arrival arrival) {
  for (;;) {
    Header of_note;
    const Header& header = read_header(arrival, of_note);
    if (header.tag != device_->tag()) [[unlikely]]
      return drop(arrival);
    if (!is_next(header)) [[unlikely]]
      return early_.push_back(arrival);
    handle_next(header, arrival);
    if (early_.empty()) [[likely]]
      return;
    auto next = take_early();
    if (!next) return;
    arrival = *next;
  }
}

// Sent, or written into a slot.
inline Path::Bytes Path::message_of(Arrival arrival) const {
  if (arrival.operation != nullptr) return Bytes(arrival.operation->buffer, arrival.what);
  ATOLL_VALIDATE(arrival.what <= device_->slots(), Error, "slot {} was written to by the network, of {}", arrival.what,
                 device_->slots());
  return device_->header_in(arrival.what - 1);
}

// Of what it does not say, its source has told the same before.
Header Path::header_of_note(const Note& note) const {
  ATOLL_VALIDATE(is_far(note.source), Error,
                 "protocol error: a write names PE {} as its source, which is not in this job", note.source);
  const Peer& from = peers_[note.source];
  Header header = header_of(note.flush ? MessageType::flush : MessageType::put_signal);
  header.op = from.signalled_by;
  header.signal = from.signalled;
  header.operand = note.operand;
  header.acknowledge = note.acknowledge;
  header.source = note.source;
  header.place = note.place_near(from.handled);
  header.done = from.complete;
  header.taken = from.messages_taken;
  header.read = from.written_read;
  header.tag = device_->tag();
  return header;
}

// Where it lies, not copied: to read what was just written in other pieces takes as long as many instructions. A note's
// is made.
inline const Header& Path::read_header(Arrival arrival, Header& of_note) const {
  bool by_note = arrival.operation == nullptr && Note::is_in(arrival.what);
  if (by_note) return of_note = header_of_note(Note::from(arrival.what));
  Bytes message = message_of(arrival);
  ATOLL_VALIDATE(message.size() >= sizeof(Header), Error,
                 "a message of {} bytes came from the network: it is not Atoll's", message.size());
  const Header& header = *reinterpret_cast<const Header*>(message.data());
  ATOLL_VALIDATE(is_far(header.source) || header.tag != device_->tag(), Error,
                 "a message came from the network that says it is from PE {}", header.source);
  return header;
}

// It was for another process, which had this address before.
void Path::drop(Arrival arrival) {
  log(LogLevel::info, "a message came from the network that is not for this process: it is dropped");
  if (arrival.operation != nullptr) repost(*arrival.operation);
}

// Whether all that its peer has sent before has been handled.
inline bool Path::is_next(const Header& header) const {
  auto ahead = static_cast<std::int32_t>(header.place - peers_[header.source].handled);
  ATOLL_VALIDATE(ahead >= 0, Error, "message {} of PE {} came from the network once more: {} had been handled",
                 header.place, header.source, peers_[header.source].handled);
  return ahead == 0;
}

inline void Path::handle_next(const Header& header, Arrival arrival) {
  Peer& from = peers_[header.source];
  auto sender =
      std::exchange(last_source_, header.source) == header.source ? Device::From::same : Device::From::another;
  bool written = arrival.operation == nullptr;
  count_arrival(from, written ? Came::written : Came::sent);
  // In the order they were sent, so that these never go back.
  from.complete = header.done;
  from.messages_taken = header.taken;
  from.written_read = header.read;
  if (from.complete == from.sent) note_arrived(from, from.counted);
  Bytes payload = written ? Bytes() : message_of(arrival).subspan(sizeof(Header));  // of a write, it is in its place
  bool in_hand = false;
  if (header.type == MessageType::message) [[likely]]
    in_hand = take_message(header, payload, arrival.operation);
  else handle(header, payload);
  if (written) return;
  device_->note_receive(arrival.what, sender);
  if (!in_hand) device_->give_back_receive(*arrival.operation);
}

// Most that come by notes: a signal, behind nothing that waits. Carried out without the header in between; the first of
// a peer is looked at more closely.
bool Path::take_signal(std::uint64_t told) {
  if (!Note::is_in(told) || handling_ || has_arrivals() || !early_.empty()) return false;
  Note note = Note::from(told);
  if (note.flush || note.source >= peers_end()) return false;
  Peer& from = peers_[note.source];
  if (from.handled == 0 || note.place_near(from.handled) != from.handled) return false;
  last_source_ = note.source;
  count_arrival(from, Came::written);
  (void)apply_atomic(static_cast<AtomicOp>(from.signalled_by), 8, own(from.signalled, 8), note.operand, 0);
  count_done(from, note.acknowledge);
  return true;
}

// What its peer has sent next, if it has come. Not inlined: it is the exception where it is called.
[[gnu::noinline]] std::optional<Path::Arrival> Path::take_early() {
  Header of_note;
  auto next =
      std::find_if(early_.begin(), early_.end(), [&](Arrival one) { return is_next(read_header(one, of_note)); });
  if (next == early_.end()) return std::nullopt;
  Arrival arrival = *next;
  early_.erase(next);
  return arrival;
}

void Path::handle(const Header& header, Bytes payload) {
  Peer& from = peers_[header.source];
  if (header.type == MessageType::put_signal) from.signalled = header.signal, from.signalled_by = header.op;
  PeId source(header.source);
  switch (header.type) {
    case MessageType::put:
    case MessageType::put_word:
    case MessageType::put_signal:
    case MessageType::update:
    case MessageType::flush:
    case MessageType::post:
    case MessageType::ring:
    case MessageType::bye:
      carry_out(header, payload);
      count_done(from, header.acknowledge);
      break;
    case MessageType::message: break;  // taken before
    case MessageType::atomic: {
      std::uint64_t expected = 0;
      if (payload.size() == sizeof(expected)) std::memcpy(&expected, payload.data(), sizeof(expected));
      Header answer = header_of(MessageType::answer);
      answer.request = header.request;
      answer.operand = apply_atomic(static_cast<AtomicOp>(header.op), header.width, own(header.offset, header.width),
                                    header.operand, expected);
      changed_memory_ = true;
      send(source, answer, {}, {});
      break;
    }
    case MessageType::get: answer_get(header, source); break;
    case MessageType::answer: finish_request(header, payload); break;
    case MessageType::ack: break;
    case MessageType::news: take_news(payload); break;
    case MessageType::ping: send(source, header_of(MessageType::pong), {}, {}); break;
    case MessageType::pong: break;
  }
}

std::byte* Path::own(std::uint64_t offset, std::size_t bytes) const {
  ATOLL_VALIDATE(offset <= segment_bytes_ && bytes <= segment_bytes_ - offset, Error,
                 "a message from the network is for {} bytes at offset {}, outside the segment", bytes, offset);
  return segment_ + offset;
}

void Path::carry_out(const Header& header, Bytes payload) {
  switch (header.type) {
    case MessageType::put: std::memcpy(own(header.offset, payload.size()), payload.data(), payload.size()); break;
    case MessageType::put_word: {
      std::byte* at = own(header.offset, header.width);
      if (header.width == 8) store_word<std::uint64_t>(at, header.operand);
      else if (header.width == 4) store_word<std::uint32_t>(at, header.operand);
      else if (header.width == 2) store_word<std::uint16_t>(at, header.operand);
      else store_word<std::uint8_t>(at, header.operand);
      break;
    }
    case MessageType::put_signal:
      if (!payload.empty()) std::memcpy(own(header.offset, payload.size()), payload.data(), payload.size());
      (void)apply_atomic(static_cast<AtomicOp>(header.op), 8, own(header.signal, 8), header.operand, 0);
      break;
    case MessageType::update:
      (void)apply_atomic(static_cast<AtomicOp>(header.op), header.width, own(header.offset, header.width),
                         header.operand, 0);
      break;
    case MessageType::post:
      job_.hear_post(self_, PeId(header.source), static_cast<std::uint16_t>(header.number), payload);
      break;
    case MessageType::bye: take_leave_of(PeId(header.source)); break;
    default: break;
  }
}

void Path::answer_get(const Header& header, PeId to) {
  ATOLL_VALIDATE(header.number <= most_payload, Error, "PE {} asks for {} bytes at once", to.value(), header.number);
  std::byte* at = own(header.offset, header.number);
  Header answer = header_of(MessageType::answer);
  answer.request = header.request;
  std::size_t bytes = header.number;
  bool aligned = header.offset % std::max<std::size_t>(bytes, 1) == 0;
#if defined(__SANITIZE_THREAD__)
  // A get of a block while words of it are stored may return old and new words; the sanitizer accepts that only of
  // atomic words.
  std::vector<std::uint64_t> words(bytes / 8);
  if (header.offset % 8 == 0 && bytes % 8 == 0) {
    for (std::size_t i = 0; i < words.size(); ++i)
      load_word<std::uint64_t>(reinterpret_cast<std::byte*>(&words[i]), at + i * 8);
    return send(to, answer, std::as_bytes(std::span(words)), {});
  }
#endif
  if (!aligned || (bytes != 8 && bytes != 4 && bytes != 2 && bytes != 1)) return send(to, answer, Bytes(at, bytes), {});
  std::byte word[8];
  if (bytes == 8) load_word<std::uint64_t>(word, at);
  else if (bytes == 4) load_word<std::uint32_t>(word, at);
  else if (bytes == 2) load_word<std::uint16_t>(word, at);
  else load_word<std::uint8_t>(word, at);
  send(to, answer, Bytes(word, bytes), {});
}

// An atomic's old value is in the header, what was got is in the payload.
void Path::finish_request(const Header& header, Bytes payload) {
  ATOLL_VALIDATE(header.request < requests_.size() && requests_[header.request].active &&
                     requests_[header.request].bytes >= payload.size(),
                 Error, "PE {} answers a request that was not made", header.source);
  Request& request = requests_[header.request];
  if (request.to != nullptr) {
    if (payload.empty()) std::memcpy(request.to, &header.operand, request.bytes);
    else std::memcpy(request.to, payload.data(), payload.size());
  }
  count_off(*request.pending);
  note_arrived(peers_[request.peer], request.number);
  --peers_[request.peer].answers_due;
  request.active = false;
  free_requests_.push_back(header.request);
}

// No more messages come from it, and messages under way to it are of no use.
void Path::take_leave_of(PeId pe) {
  Peer& left = peer(pe);
  left.gone = true;
  for (Pending* count : left.lost) count_off(*count);
  left.lost.clear();
  drop_backlog(left);
  for (std::uint32_t number = 0; number < requests_.size(); ++number) {
    Request& request = requests_[number];
    if (!request.active || request.peer != pe.value() || !is_for_quiet(request.pending)) continue;
    request.active = false;
    --left.answers_due;
    count_off(*request.pending);
    free_requests_.push_back(number);
  }
  job_.note_far_departure();
}

// What it came in, when there is another buffer for the next to come, so that nothing is copied; else a copy.
Inbox::Payload Path::keep(Bytes payload, std::uint32_t source, Operation& arrived) {
  if (std::byte* fresh = device_->spares().take()) {
    std::byte* data = std::exchange(arrived.buffer, fresh) + sizeof(Header);
    auto give_back = [](void* spares, std::byte* at) { static_cast<Spares*>(spares)->give_back(at - sizeof(Header)); };
    return {data, payload.size(), give_back, &device_->spares()};
  }
  auto* copy = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(payload.size(), 1)));
  ATOLL_VALIDATE(copy != nullptr, MemoryError, "no memory for a message of {} bytes from PE {}", payload.size(),
                 source);
  if (!payload.empty()) std::memcpy(copy, payload.data(), payload.size());
  return {copy, payload.size(), [](void*, std::byte* at) { std::free(at); }, nullptr};
}

// A message is in the inbox, or in hand: its sender may send another.
inline void Path::note_taken(PeId source, std::size_t bytes) {
  Peer& from = peer(source);
  from.taken += weight_of(bytes);
  if (from.taken - from.told_taken >= most_untold) owe(from);
}

// Into the hand of a taker, when it comes behind nothing. Returns whether it is there.
inline bool Path::take_message(const Header& header, Bytes payload, Operation* arrived) {
  ATOLL_VALIDATE(arrived != nullptr, Error, "PE {} has written an active message into a slot", header.source);
  MessageLabel label{PeId(header.source), handler_of(header.number), kind_of(header.number)};
  if (hand_ != Hand::free) [[unlikely]] {
    keep_message(label, payload, *arrived);
    return false;
  }
  hand_ = Hand::full;
  in_hand_ = {{label, payload}, arrived};
  note_taken(label.source, payload.size());
  return true;
}

void Path::keep_message(MessageLabel label, Bytes payload, Operation& arrived) {
  if (!parked_.empty() || inbox_.is_full()) [[unlikely]] {
    chores_ = true;
    parked_.push_back({label, keep(payload, label.source.value(), arrived)});
    return;
  }
  if (payload.size() <= message_bytes) inbox_.push(label, payload);
  else inbox_.push(label, keep(payload, label.source.value(), arrived));
  changed_memory_ = true;
  note_taken(label.source, payload.size());
}

// The one that was in hand last, before another may be.
inline void Path::collect_receive() {
  // Acquire: it has been read. Partner: progress().
  Operation* operation = given_back_.load(std::memory_order_acquire);
  if (operation == nullptr) return;
  given_back_.store(nullptr, std::memory_order_relaxed);
  device_->give_back_receive(*operation);
}

bool Path::place_parked() {
  bool any = false;
  for (; !parked_.empty() && !inbox_.is_full(); any = true) {
    Parked& next = parked_.front();
    std::size_t bytes = next.payload.bytes().size();
    inbox_.push(next.label, std::move(next.payload));
    changed_memory_ = true;
    note_taken(next.label.source, bytes);
    parked_.pop_front();
  }
  return any;
}

void Path::take_news(Bytes payload) {
  NewsRecord record;
  ATOLL_VALIDATE(payload.size() == sizeof(record), Error, "news of {} bytes came from the network", payload.size());
  std::memcpy(&record, payload.data(), sizeof(record));
  ATOLL_VALIDATE(record.pe < peers_end() && record.bytes <= sizeof(record.text), Error,
                 "protocol error: a failure notice has an invalid PE or length");
  const News news{.kind = static_cast<News::Kind>(record.kind),
                  .pe = PeId(record.pe),
                  .pid = record.pid,
                  .status = record.status,
                  .text = std::string(record.text, record.bytes)};
  // Another host has lost a PE of this one, which may end as soon as that is noted: the launcher hears the cause first.
  if (news.kind == News::Kind::failed && job_.is_local(news.pe) && !job_.has_died(news.pe) &&
      job_.survival() == Survival::none)
    (void)job_.report_loss(news.pe, news.text);
  job_.hear(news);
}

bool Path::send_waiting() {
  bool any = false;
  for (std::size_t i = 0; i < waiting_.size();) {
    Peer& to = peers_[waiting_[i]];
    while (!to.outbox.empty()) {
      Packet& next = to.outbox.front();
      if (!to.gone && !try_transmit(to, next.header, {next.payload})) break;
      if (is_counted(next.header)) --to.held_back;
      to.outbox.pop_front();
      any = true;
    }
    if (!to.outbox.empty()) {
      ++i;
      continue;
    }
    to.queued = false;
    waiting_[i] = waiting_.back();
    waiting_.pop_back();
  }
  return any;
}

// Not inlined: it is the exception where it is called.
[[gnu::noinline]] void Path::owe(Peer& to) {
  if (!to.owed) owed_.push_back(to.number);
  to.owed = chores_ = true;
}

// Sends owed acknowledgements, except to PEs that got them with a later message.
void Path::send_owed() {
  for (std::uint32_t pe : owed_) {
    Peer& to = peers_[pe];
    to.owed = false;
    if (to.told_done == to.done && to.told_taken == to.taken && to.told_read == to.read) continue;
    send(PeId(pe), header_of(MessageType::ack), {}, {});
  }
  owed_.clear();
}

}  // namespace atl::fabric::ofi
