// SPDX-License-Identifier: Apache-2.0
// Messages: how they get out, or wait for room.
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
    operation->peer = static_cast<std::uint32_t>(&to - peers_.data());
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
}

// Whether the peer knows the rest, and need not be told of what it has sent.
bool Path::fits_note(const Peer& to, const Header& header) const {
  if (!device_->has_notes() || to.read - to.told_read >= most_told_late || to.done - to.told_done >= most_told_late ||
      to.taken - to.told_taken >= most_told_late)
    return false;
  if (header.type == MessageType::flush) return true;
  return header.type == MessageType::put_signal && header.signal == to.signal && header.op == to.signal_by &&
         header.operand <= Note::most_operand;
}

void Path::note_sent(Peer& to, const Header& header) {
  to.used = true;
  if (header.type == MessageType::put_signal) to.signal = header.signal, to.signal_by = header.op;
  to.told_done = header.done;
  to.told_taken = header.taken;
  to.told_read = header.read;
  ++to.headers;
  ++to.posted;
  if (is_counted(header)) to.counted = to.posted;
}

// Now, or behind what waits already: for a thread that handles arrivals may not wait itself, and order is kept.
void Path::send(PeId pe, Header header, Bytes first, Bytes second) {
  Peer& to = peer(pe);
  to.used = true;
  if (is_counted(header)) count_operation(pe, header);
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

void Path::count_operation(PeId pe, const Header& header) {
  Peer& to = peer(pe);
  ++to.sent;
  if (header.acknowledge == Acknowledge::at_once) to.asked = to.sent;
  to.answers = true;
  to.unflushed = false;
  mark_dirty(pe);
}

// Before waiting until all is complete there.
void Path::ask_for_all(PeId pe) {
  Peer& to = peer(pe);
  bool asked = to.asked == to.sent || to.complete == to.sent;
  if (!to.gone && (to.unflushed || !asked)) send_operation(pe, header_of(MessageType::flush), {});
}

}  // namespace atl::fabric::ofi
