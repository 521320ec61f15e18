// SPDX-License-Identifier: Apache-2.0
// Messages, and headers that go with a write: how they get out, or wait for room.
#include <rdma/fi_errno.h>

#include <cstring>

#include "path.hpp"

namespace atl::fabric::ofi {
namespace {

// Slots read, messages taken and operations carried out that a peer may not have been told of, when a header could
// tell.
constexpr std::uint32_t most_told_late = slots_per_peer / 2 - 1;
constexpr std::uint32_t most_messages = 64;
// Active messages of up to this size are sent from a copy, without waiting for their source completion.
constexpr std::size_t copied_bytes = 8192;
static_assert(weight_of(copied_bytes) == weight_of(0));
// From so much on, what would be slow to send from where it lies is copied.
constexpr std::size_t worth_copying = 32768;
// As much may be sent from the stack.
constexpr std::size_t most_injected = 256;

// Made there and not copied to there: a copy in other pieces than those just written waits for all that was written
// before.
Header& header_at(std::byte* buffer) { return *new (buffer) Header{}; }

std::uint64_t first_address(const MessageParts& parts) {
  return reinterpret_cast<std::uintptr_t>(parts.first.empty() ? parts.second.data() : parts.first.data());
}

}  // namespace

void Path::note_failure(Peer& to, int error) {
  if (to.gone) return;
  if (to.failed_at == 0) to.failed_at = now_ns();
  to.failure = error_text(error);
  any_failed_ = true;
}

// `fill` writes the header, but for the counts, to where it is sent from. False: there is no room just now.
template <class Fill>
inline bool Path::transmit(Peer& to, Fill&& fill, const MessageParts& parts) {
  std::size_t bytes = sizeof(Header) + parts.size();
  if (bytes <= device_->inject_bytes() && bytes <= most_injected) {
    alignas(Header) std::byte message[most_injected];
    Header& header = header_at(message);
    fill(header);
    tell_counts(to, header);
    parts.copy_to(message + sizeof(Header));
    return went(to, device_->inject(message, bytes, to.memory.address));
  }
  Operation* operation = device_->take_send();
  if (operation == nullptr) [[unlikely]]
    return false;
  operation->peer = to.number;
  Header& header = header_at(operation->buffer);
  fill(header);
  tell_counts(to, header);
  parts.copy_to(operation->buffer + sizeof(Header));
  int status = device_->send(*operation, bytes, to.memory.address);
  if (status != 0) [[unlikely]]
    device_->give_back_send(*operation);
  else ++to.buffers;
  return went(to, status);
}

bool Path::try_transmit(Peer& to, const Header& header, const MessageParts& parts) {
  if (is_counted(header) && to.sent - to.held_back - to.complete >= most_under_way && !to.gone) return false;
  if (!transmit(to, [&](Header& at) { at = header; }, parts)) return false;
  note_sent(to, header);
  return true;
}

inline void Path::tell_counts(const Peer& to, Header& header) const {
  header.source = self_.value();
  header.done = to.done;
  header.taken = to.taken;
  header.read = to.read;
  header.place = to.headers;
  header.tag = to.memory.tag;
}

inline void Path::count_header(Peer& to, Acknowledge acknowledge) {
  to.used = true;
  ++to.headers;
  ++to.posted;
  if (acknowledge != Acknowledge::never) to.counted = to.posted;
}

// A header with counts, not a note.
inline void Path::count_full_header(Peer& to, Acknowledge acknowledge) {
  to.told_done = to.done;
  to.told_taken = to.taken;
  to.told_read = to.read;
  count_header(to, acknowledge);
}

void Path::note_sent(Peer& to, const Header& header) {
  if (header.type == MessageType::put_signal) to.signal = header.signal, to.signal_by = header.op;
  count_full_header(to, header.acknowledge);
}

// Now, or behind what waits already: for a thread that handles arrivals may not wait itself, and order is kept.
void Path::send(PeId pe, Header header, Bytes first, Bytes second) {
  Peer& to = peer(pe);
  to.used = true;
  count_operation(to, header.acknowledge);
  if (to.dead) [[unlikely]]
    return;
  if (!to.queued && try_transmit(to, header, {first, second})) return;
  Packet packet{header, {first.begin(), first.end()}};
  packet.payload.insert(packet.payload.end(), second.begin(), second.end());
  to.outbox.push_back(std::move(packet));
  if (is_counted(header)) ++to.held_back;
  if (!to.queued) waiting_.push_back(pe.value());
  to.queued = chores_ = true;
}

// One that the peer counts.
void Path::send_operation(PeId pe, Header header, Bytes payload) {
  header.acknowledge = acknowledgement(peer(pe), header.type);
  send(pe, header, payload, {});
}

void Path::count_operation(Peer& to, Acknowledge acknowledge) {
  if (acknowledge == Acknowledge::never) return;
  ++to.sent;
  if (acknowledge == Acknowledge::at_once) to.asked = to.sent;
  to.answers = true;
  to.unflushed = false;
  mark_dirty(to);
}

// Before waiting until all is complete there.
void Path::ask_for_all(PeId pe) {
  Peer& to = peer(pe);
  bool asked = to.asked == to.sent || to.complete == to.sent;
  if (!to.gone && (to.unflushed || !asked)) send_operation(pe, header_of(MessageType::flush), {});
}

// ---- active messages ----

Status Path::try_send(PeId pe, MessageLabel label, const MessageParts& parts) {
  if (parts.size() > copied_bytes) return try_send_long(pe, label, parts);
  Hold hold(*this);
  Peer& to = peer(pe);
  if (drops(to)) [[unlikely]]
    return Status::ok;
  if (!takes_message(to)) [[unlikely]]
    return Status::try_again;
  auto fill = [number = message_number(label.handler, label.kind)](Header& header) {
    header.type = MessageType::message;
    header.number = number;
  };
  if (!transmit(to, fill, parts)) [[unlikely]]
    return Status::try_again;
  count_full_header(to, Acknowledge::never);
  to.messages += weight_of(copied_bytes);
  return Status::ok;
}

Status Path::try_send_long(PeId pe, MessageLabel label, const MessageParts& parts) {
  Hold hold(*this);
  Peer& to = peer(pe);
  if (drops(to)) [[unlikely]]
    return Status::ok;
  if (!takes_message(to)) return Status::try_again;
  Header header = header_of(MessageType::message);
  header.number = message_number(label.handler, label.kind);
  if (!send_long(hold, to, header, parts)) return Status::try_again;
  to.messages += weight_of(parts.size());
  return Status::ok;
}

// Just now.
inline bool Path::takes_message(const Peer& to) {
  if (to.gone) [[unlikely]]
    throw_gone(PeId(to.number));
  auto is_full = [&] { return to.messages - to.messages_taken >= most_messages; };
  if (is_full()) [[unlikely]] {
    if (!handling_) (void)poll();
    if (is_full()) return false;
  }
  return !to.queued;
}

// From where it lies, which may be reused on return; or from a copy. False: there is no room just now.
bool Path::send_long(Hold& hold, Peer& to, Header header, const MessageParts& parts) {
  if (to.dead) [[unlikely]]
    return true;
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  bool slow = parts.size() >= worth_copying && device_->is_slow_behind(sizeof(Header), first_address(parts));
  bool in_place = device_->sends_in_place() && !handling_ && !slow;
  if (!in_place) operation->spare = device_->spares().take();
  if (!in_place && operation->spare == nullptr) {
    device_->give_back_send(*operation);
    return false;
  }
  tell_counts(to, header);
  operation->peer = to.number;
  Awaited awaited(*this);
  int status = 0;
  if (in_place) {
    operation->pending = &awaited.pending;
    header_at(operation->buffer) = header;
    status = device_->send_in_place(*operation, parts, to.memory.address);
  } else {
    header_at(operation->spare) = header;
    parts.copy_to(operation->spare + sizeof(Header));
    status = device_->send(*operation, sizeof(Header) + parts.size(), to.memory.address);
  }
  if (status != 0) device_->give_back_send(*operation);
  else ++to.buffers;
  if (!went(to, status)) return false;
  if (status == 0 && in_place) ++awaited.pending.left;
  count_operation(to, header.acknowledge);
  note_sent(to, header);
  if (in_place) wait(hold, [&] { return awaited.pending.left == 0 || to.gone; });
  return true;
}

// ---- with a write ----

// As one that brings a header, in its place in the order of things.
bool Path::may_write_now(const Peer& to, Bytes payload, Registrations::Loan& loan) {
  return to.written - to.written_read != slots_per_peer && !to.fenced && !to.queued &&
         payload.size() <= device_->most_transfer() && to.transferring + payload.size() <= most_transferring &&
         may_write(to, payload.data(), payload.size(), loan);
}

// Such a one was handed over, or not. False: there was no room.
bool Path::write_went(Peer& to, Operation& operation, int status) {
  if (status != 0) device_->give_back_send(operation);
  else ++to.buffers;
  if (status == 0 && operation.pending != nullptr) ++operation.pending->left, to.transferring += operation.bytes;
  if (!went(to, status)) return false;
  ++to.written;
  return true;
}

// The header goes into a slot. Counted in `pending` until the payload may be reused. False: not this way.
bool Path::write_with_header(PeId pe, Header header, HeapOffset to, Bytes payload, Pending& pending) {
  Peer& target = peer(pe);
  Registrations::Loan loan;
  if (!target.memory.has_slots || !may_write_now(target, payload, loan)) return false;
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  operation->peer = pe.value();
  operation->pending = &pending;
  operation->bytes = static_cast<std::uint32_t>(payload.size());
  tell_counts(target, header);
  std::memcpy(operation->buffer, &header, sizeof(Header));
  int status = device_->write_with_header(*operation, payload.data(), payload.size(), target.memory, to.value(),
                                          slot_of(self_.value(), target.written));
  if (!write_went(target, *operation, status)) return false;
  count_operation(target, header.acknowledge);
  note_sent(target, header);
  return true;
}

// Whether a header may say nothing of the peer's operations that were carried out here: it has been told of enough.
bool Path::knows_counts(const Peer& to) const {
  return device_->has_notes() && to.read - to.told_read < most_told_late && to.done - to.told_done < most_told_late &&
         to.taken - to.told_taken < most_told_late;
}

// The note says all that has changed since the last header. Counted in `pending` until the payload may be reused.
// False: not this way.
bool Path::write_with_note(PeId pe, Note note, HeapOffset to, Bytes payload, Pending& pending) {
  Peer& target = peer(pe);
  Registrations::Loan loan;
  if (!may_write_now(target, payload, loan)) return false;
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  note.place = target.headers;
  note.source = self_.value();
  operation->peer = pe.value();
  int status = 0;
  if (payload.size() < worth_writing) {
    std::memcpy(operation->buffer, payload.data(), payload.size());
    status = device_->put(*operation, payload.size(), target.memory, to.value(), Device::Until::reusable, note.data());
  } else {
    operation->pending = &pending;
    operation->bytes = static_cast<std::uint32_t>(payload.size());
    status = device_->write(payload.data(), payload.size(), target.memory, to.value(), Device::Until::reusable,
                            *operation, note.data());
  }
  if (!write_went(target, *operation, status)) return false;
  count_operation(target, note.acknowledge);
  count_header(target, note.acknowledge);
  return true;
}

}  // namespace atl::fabric::ofi
