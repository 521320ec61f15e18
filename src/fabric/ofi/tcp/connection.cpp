// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace atl::fabric::ofi::tcp {
namespace {

// Bytes sealed for one call of the kernel. Calls with 16 KiB each took 64 KiB from 33 us to 54; with all 64 KiB the
// other side has no work until then. Behind that it has, and fewer calls and wake-ups cost less.
constexpr std::size_t first_batch = std::size_t{48} << 10, batch = std::size_t{128} << 10;

std::size_t bytes_of(const Connection::Outgoing& what) {
  std::size_t bytes = 0;
  for (const iovec& part : std::span(what.parts.data(), what.part_count)) bytes += part.iov_len;
  return bytes;
}

bool is_aligned(const void* at, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(at) % bytes == 0; }

template <class T>
void copy_word(std::byte* to, const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  // Release: what was copied before. Partner: acquire loads of PEs that wait for the word.
  std::atomic_ref<T>(*reinterpret_cast<T*>(to)).store(value, std::memory_order_release);
}

// A word that somebody may look at is never seen half.
void copy_in(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == 8 && is_aligned(to, 8)) return copy_word<std::uint64_t>(to, from);
  if (bytes == 4 && is_aligned(to, 4)) return copy_word<std::uint32_t>(to, from);
  if (bytes == 2 && is_aligned(to, 2)) return copy_word<std::uint16_t>(to, from);
  std::memcpy(to, from, bytes);
}

void copy_out(std::byte* to, const void* from, std::size_t bytes) {
  if (bytes == 8 && is_aligned(from, 8)) {
    // Acquire: the partner is the store with release.
    std::uint64_t value =
        std::atomic_ref(*static_cast<std::uint64_t*>(const_cast<void*>(from))).load(std::memory_order_acquire);
    std::memcpy(to, &value, sizeof(value));
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

// Writes the command and its targets. Returns their bytes.
std::size_t write_head(std::byte* to, const Connection::Outgoing& what) {
  std::memcpy(to, &what.command, sizeof(Command));
  std::size_t targets = what.command.targets * sizeof(Target);
  if (targets != 0) std::memcpy(to + sizeof(Command), what.targets.data(), targets);
  return sizeof(Command) + targets;
}

}  // namespace

// ---- sending ----

void Connection::finish(const Outgoing& what) {
  if (what.context == nullptr) return;
  if (what.until == Outgoing::Until::answered) unanswered_.push_back(what.context);
  else resources_.completions.add(what.context, what.flags);
}

int Connection::send(const Outgoing& what, bool keeps) {
  std::size_t bytes = bytes_of(what);
  if (queue_.empty() && bytes <= first_data && stream_->has_room()) [[likely]] {
    std::byte* body = stream_->next_body();
    std::size_t at = write_head(body, what);
    for (const iovec& part : std::span(what.parts.data(), what.part_count)) {
      copy_out(body + at, part.iov_base, part.iov_len);
      at += part.iov_len;
    }
    stream_->seal(at);
    finish(what);
    return stream_->flush();
  }
  Queued last{.what = what};
  if (!keeps) copy_rest(last);
  queue_.push_back(std::move(last));
  return pump();
}

// The part of the record that has no tag yet.
void Connection::copy_rest(Queued& next) {
  std::span<const iovec> parts(next.what.parts.data() + next.part, next.what.part_count - next.part);
  std::size_t bytes = 0;
  for (const iovec& part : parts) bytes += part.iov_len;
  bytes -= next.done;
  if (bytes == 0) return;
  auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::size_t at = 0, done = next.done;
  for (const iovec& part : parts) {
    std::memcpy(copy.get() + at, static_cast<const std::byte*>(part.iov_base) + done, part.iov_len - done);
    at += part.iov_len - std::exchange(done, 0);
  }
  next.copy = std::move(copy);
  next.what.parts[0] = {next.copy.get(), bytes};
  next.what.part_count = 1;
  next.part = next.done = 0;
}

int Connection::release(void* context) {
  for (Read& one : reads_)
    if (one.context == context) one.to = nullptr;
  if (left_ != 0 && incoming_.action == Action::data && reads_.front().context == context) pieces_[piece_].to = nullptr;
  for (Queued& one : queue_)
    if (one.what.context == context && one.copy == nullptr) copy_rest(one);
  return 0;
}

// The next record of what waits longest.
void Connection::seal_next() {
  Queued& next = queue_.front();
  std::byte* body = stream_->next_body();
  std::size_t at = 0;
  if (!std::exchange(next.begun, true)) at = write_head(body, next.what);
  std::size_t room = std::clamp(burst_, first_data, most_data);
  while (room != 0 && next.part < next.what.part_count) {
    const iovec& part = next.what.parts[next.part];
    std::size_t bytes = std::min(room, part.iov_len - next.done);
    copy_out(body + at, static_cast<const std::byte*>(part.iov_base) + next.done, bytes);
    at += bytes, room -= bytes, next.done += bytes, burst_ += bytes;
    if (next.done == part.iov_len) ++next.part, next.done = 0;
  }
  stream_->seal(at);
  if (next.part != next.what.part_count) return;
  finish(next.what);
  queue_.pop_front();
  if (queue_.empty()) burst_ = 0;
}

// Some records at a time: few enough that the other side soon has work, and enough for a call of the kernel.
int Connection::pump() {
  for (;;) {
    std::size_t before = stream_->unsent_bytes();
    std::size_t worth_sending = burst_ < first_batch ? first_batch : batch;
    while (!queue_.empty() && stream_->has_room() && stream_->unsent_bytes() < before + worth_sending) seal_next();
    bool sealed = stream_->unsent_bytes() != before;
    if (!stream_->has_unsent()) return 0;
    if (int error = stream_->flush(); error != 0) return error;
    if (!sealed || (queue_.empty() && !stream_->has_unsent())) return 0;
  }
}

// ---- receiving ----

int Connection::receive(bool& any) {
  any = false;
  if (!stalled_ || !resources_.receives.empty()) {
    // Not while a record waits for a receive: the kernel holds up the peer.
    if (int error = stalled_ ? 0 : stream_->receive(any); error != 0) {
      (void)take_records();  // what had come before
      return error;
    }
    if (!any && !stalled_) return 0;
    any = true;
    if (int error = take_records(); error != 0) return error;
  }
  if (delivered_ == 0) return 0;
  Outgoing answer;
  answer.command.action = Action::delivered;
  answer.command.number = std::exchange(delivered_, 0);
  return send(answer, true);
}

int Connection::take_records() {
  stalled_ = false;
  for (std::span<const std::byte> body;;) {
    if (int error = stream_->next_record(body); error != 0 || body.empty()) return error;
    if (int error = take(body, stalled_); error != 0 || stalled_) return error;
    stream_->drop_record();
  }
}

int Connection::take(std::span<const std::byte> body, bool& wait) {
  if (left_ == 0) {
    if (int error = begin(body, wait); error != 0 || wait) return error;
  }
  if (body.size() > left_) return EPROTO;
  left_ -= body.size();
  while (!body.empty()) {
    Piece& piece = pieces_[piece_];
    std::size_t bytes = std::min(body.size(), piece.bytes);
    if (piece.to != nullptr) {
      copy_in(piece.to, body.data(), bytes);
      piece.to += bytes;
    }
    piece.bytes -= bytes;
    body = body.subspan(bytes);
    if (piece.bytes == 0) ++piece_;
  }
  if (left_ == 0) end_command();
  return 0;
}

// Reads the command at the start of a record, and leaves its data. `wait` becomes true when there is no receive for it.
int Connection::begin(std::span<const std::byte>& body, bool& wait) {
  if (body.size() < sizeof(Command)) return EPROTO;
  std::memcpy(&incoming_, body.data(), sizeof(Command));
  std::size_t targets = incoming_.targets * sizeof(Target);
  if (incoming_.targets > most_targets || body.size() - sizeof(Command) < targets) return EPROTO;
  auto listed = body.subspan(sizeof(Command), targets);
  body = body.subspan(sizeof(Command) + targets);
  piece_ = piece_count_ = 0;
  switch (incoming_.action) {
    case Action::message: {
      if (resources_.receives.empty()) {
        wait = true;
        return 0;
      }
      const Receive& receive = resources_.receives.front();
      if (incoming_.bytes > receive.bytes) return EPROTO;
      receiving_ = receive.context;
      pieces_[piece_count_++] = {receive.buffer, incoming_.bytes};
      resources_.receives.pop_front();
      break;
    }
    case Action::write:
      if (int error = begin_write(listed); error != 0) return error;
      break;
    case Action::read: return begin_read(listed);
    case Action::data:
      if (reads_.empty() || reads_.front().bytes != incoming_.bytes) return EPROTO;
      pieces_[piece_count_++] = {reads_.front().to, incoming_.bytes};
      break;
    case Action::delivered:
      if (incoming_.number > unanswered_.size() || incoming_.bytes != 0) return EPROTO;
      for (; incoming_.number != 0; --incoming_.number) {
        resources_.completions.add(unanswered_.front(), FI_RMA | FI_WRITE);
        unanswered_.pop_front();
      }
      return 0;
    default: return EPROTO;
  }
  left_ = incoming_.bytes;
  return 0;
}

int Connection::begin_write(std::span<const std::byte> targets) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < incoming_.targets; ++i) {
    Target target;
    std::memcpy(&target, targets.data() + i * sizeof(Target), sizeof(Target));
    std::byte* to = resources_.regions.at(target.key, target.offset, target.bytes, FI_REMOTE_WRITE);
    if (to == nullptr) return EACCES;
    if (target.bytes != 0) pieces_[piece_count_++] = {to, target.bytes};
    bytes += target.bytes;
  }
  return bytes == incoming_.bytes ? 0 : EPROTO;
}

int Connection::begin_read(std::span<const std::byte> targets) {
  Target target;
  if (targets.size() != sizeof(target) || incoming_.bytes != 0) return EPROTO;
  std::memcpy(&target, targets.data(), sizeof(target));
  std::byte* from = resources_.regions.at(target.key, target.offset, target.bytes, FI_REMOTE_READ);
  if (from == nullptr) return EACCES;
  Outgoing answer;
  answer.command.action = Action::data;
  answer.command.bytes = target.bytes;
  answer.parts[0] = {from, target.bytes};
  answer.part_count = target.bytes != 0 ? 1 : 0;
  return send(answer, true);
}

void Connection::end_command() {
  Completions& completions = resources_.completions;
  switch (incoming_.action) {
    case Action::message: completions.add(std::exchange(receiving_, nullptr), FI_MSG | FI_RECV, incoming_.bytes); break;
    case Action::write:
      if (incoming_.tells != 0)
        completions.add(nullptr, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, incoming_.bytes, incoming_.number);
      if (incoming_.asks != 0) ++delivered_;
      break;
    case Action::data:
      completions.add(reads_.front().context, FI_RMA | FI_READ, incoming_.bytes);
      reads_.pop_front();
      break;
    default: break;
  }
}

void Connection::give_up(int error) {
  Completions& completions = resources_.completions;
  for (const Queued& one : queue_)
    if (one.what.context != nullptr) completions.add_failure(one.what.context, error);
  for (void* context : unanswered_) completions.add_failure(context, error);
  for (const Read& one : reads_) completions.add_failure(one.context, error);
  if (receiving_ != nullptr) completions.add_failure(receiving_, error);
  queue_.clear();
  unanswered_.clear();
  reads_.clear();
  receiving_ = nullptr;
}

}  // namespace atl::fabric::ofi::tcp
