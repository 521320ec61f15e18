// SPDX-License-Identifier: Apache-2.0
// Messages, and headers that go with a write: how they get out, or wait for room.
#include <rdma/fi_errno.h>

#include <cstring>

#include "path.hpp"

namespace atl::fabric::ofi {
namespace {

// Slots read, messages taken and operations carried out that a peer may not have been told of, when a header could tell.
constexpr std::uint32_t most_told_late = slots_per_peer / 2 - 1;

}  // namespace

// Returns their length.
std::size_t Path::join(std::byte* at, const Header& header, Bytes first, Bytes second) {
  std::memcpy(at, &header, sizeof(Header));
  if (!first.empty()) std::memcpy(at + sizeof(Header), first.data(), first.size());
  if (!second.empty()) std::memcpy(at + sizeof(Header) + first.size(), second.data(), second.size());
  return sizeof(Header) + first.size() + second.size();
}

// False: there was no room. What cannot be sent at all is given up: the peer has left, or is soon known to have died.
bool Path::went(Peer& to, int status) {
  if (status == -FI_EAGAIN) return false;
  if (status != 0) note_failure(to, status);
  return true;
}

void Path::note_failure(Peer& to, int error) {
  if (to.gone) return;
  if (to.failed_at == 0) to.failed_at = now_ns();
  to.failure = error_text(error);
  any_failed_ = true;
}

bool Path::try_transmit(Peer& to, Header& header, Bytes first, Bytes second) {
  if (is_counted(header) && to.sent - to.held_back - to.complete >= most_under_way && !to.gone) return false;
  tell_counts(to, header);
  std::size_t bytes = sizeof(Header) + first.size() + second.size();
  if (bytes <= device_->inject_bytes() && bytes <= 256) {
    std::byte message[256];
    join(message, header, first, second);
    if (!went(to, device_->inject(message, bytes, to.memory.address))) return false;
  } else {
    Operation* operation = device_->take_send();
    if (operation == nullptr) return false;
    operation->peer = number_of(to);
    join(operation->buffer, header, first, second);
    int status = device_->send(*operation, bytes, to.memory.address);
    if (status != 0) device_->give_back_send(*operation);
    if (!went(to, status)) return false;
  }
  note_sent(to, header);
  return true;
}

void Path::tell_counts(const Peer& to, Header& header) const {
  header.source = self_.value();
  header.done = to.done;
  header.taken = to.taken;
  header.read = to.read;
  header.place = to.headers;
  header.tag = to.memory.tag;
}

void Path::count_header(Peer& to, Acknowledge acknowledge) {
  to.used = true;
  ++to.headers;
  ++to.posted;
  if (acknowledge != Acknowledge::never) to.counted = to.posted;
}

void Path::note_sent(Peer& to, const Header& header) {
  if (header.type == MessageType::put_signal) to.signal = header.signal, to.signal_by = header.op;
  to.told_done = header.done;
  to.told_taken = header.taken;
  to.told_read = header.read;
  count_header(to, header.acknowledge);
}

// Now, or behind what waits already: for a thread that handles arrivals may not wait itself, and order is kept.
void Path::send(PeId pe, Header header, Bytes first, Bytes second) {
  Peer& to = peer(pe);
  to.used = true;
  count_operation(to, header.acknowledge);
  if (to.outbox.empty() && try_transmit(to, header, first, second)) return;
  Packet packet{header, {first.begin(), first.end()}};
  packet.payload.insert(packet.payload.end(), second.begin(), second.end());
  to.outbox.push_back(std::move(packet));
  if (is_counted(header)) ++to.held_back;
  if (!to.queued) waiting_.push_back(pe.value());
  to.queued = true;
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

// ---- with a write -------------------------------------------------------------------------------------------------------

// As one that brings a header, in its place in the order of things.
bool Path::may_write_now(const Peer& to, Bytes payload, Registrations::Loan& loan) {
  return to.written - to.written_read != slots_per_peer && !to.fenced && to.outbox.empty() &&
         payload.size() <= device_->most_transfer() && to.transferring + payload.size() <= most_transferring &&
         may_write(to, payload.data(), payload.size(), loan);
}

// Such a one was handed over, or not. False: there was no room.
bool Path::write_went(Peer& to, Operation& operation, int status) {
  if (status != 0) device_->give_back_send(operation);
  else if (operation.pending != nullptr) ++operation.pending->left, to.transferring += operation.bytes;
  if (!went(to, status)) return false;
  ++to.written;
  return true;
}

// The header goes into a slot. On return the payload may be reused. False: not this way.
bool Path::write_with_header(Hold& hold, PeId pe, Header header, HeapOffset to, Bytes payload) {
  Peer& target = peer(pe);
  Registrations::Loan loan;
  if (!target.memory.has_slots || !may_write_now(target, payload, loan)) return false;
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  Awaited awaited(*this);
  operation->peer = pe.value();
  operation->pending = &awaited.pending;
  operation->bytes = static_cast<std::uint32_t>(payload.size());
  tell_counts(target, header);
  std::memcpy(operation->buffer, &header, sizeof(Header));
  int status = device_->write_with_header(*operation, payload.data(), payload.size(), target.memory, to.value(),
                                          slot_of(self_.value(), target.written));
  if (!write_went(target, *operation, status)) return false;
  count_operation(target, header.acknowledge);
  note_sent(target, header);
  wait(hold, [&] { return awaited.pending.left == 0 || target.gone; });
  return true;
}

// Whether a header may say nothing of the peer's operations that were carried out here: it has been told of enough.
bool Path::knows_counts(const Peer& to) const {
  return device_->has_notes() && to.read - to.told_read < most_told_late && to.done - to.told_done < most_told_late &&
         to.taken - to.told_taken < most_told_late;
}

// The note says all that has changed since the last header. On return the payload may be reused. False: not this way.
bool Path::write_with_note(Hold& hold, PeId pe, Note note, HeapOffset to, Bytes payload) {
  Peer& target = peer(pe);
  Registrations::Loan loan;
  if (!may_write_now(target, payload, loan)) return false;
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  note.place = target.headers;
  note.source = self_.value();
  operation->peer = pe.value();
  Awaited awaited(*this);
  int status = 0;
  if (payload.size() < worth_writing) {
    std::memcpy(operation->buffer, payload.data(), payload.size());
    status = device_->put(*operation, payload.size(), target.memory, to.value(), Device::Until::reusable, note.data());
  } else {
    operation->pending = &awaited.pending;
    operation->bytes = static_cast<std::uint32_t>(payload.size());
    status = device_->write(payload.data(), payload.size(), target.memory, to.value(), Device::Until::reusable, *operation,
                            note.data());
  }
  if (!write_went(target, *operation, status)) return false;
  count_operation(target, note.acknowledge);
  count_header(target, note.acknowledge);
  wait(hold, [&] { return awaited.pending.left == 0 || target.gone; });
  return true;
}

}  // namespace atl::fabric::ofi
