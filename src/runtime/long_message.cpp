// SPDX-License-Identifier: Apache-2.0
// Long messages to other nodes, above the network's message limit. The sender requests memory in the receiver's heap,
// puts the payload there from the caller's buffer, and a short message announces it. Memory is granted without the
// receiver's program, but only a limited amount at a time: further requests wait until handlers have run. Handlers may
// not wait: their messages are queued until memory is granted.
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/context.hpp"
#include "post.hpp"

namespace atl::runtime {
namespace {

// Of the receiver's heap, for payloads whose handlers have not run yet; more only for a single one.
constexpr std::uint64_t most_landing_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t landing_share = 8;  // and of its segment

// | offset | bytes | field  | valid when                                                         |
// |--------|-------|--------|--------------------------------------------------------------------|
// |   0    |   8   | id     | of the request, the asker's number                                 |
// |   8    |   8   | bytes  | in a request: wanted                                               |
// |  16    |   8   | offset | in an answer: in the answerer's segment; 0: there is no memory     |
struct RoomNote {
  std::uint64_t id;
  std::uint64_t bytes;
  std::uint64_t offset;
};
static_assert(sizeof(RoomNote) == 24);

std::span<const std::byte> bytes_of(const RoomNote& note) { return std::as_bytes(std::span(&note, 1)); }

RoomNote read_note(PeId source, std::span<const std::byte> payload) {
  RoomNote note{};
  ATOLL_VALIDATE(payload.size() == sizeof(note), Error,
                 "PE {} has posted a note of {} bytes. Run one version of Atoll on all "
                 "nodes",
                 source.value(), payload.size());
  std::memcpy(&note, payload.data(), sizeof(note));
  return note;
}

}  // namespace

std::uint64_t Context::ask_room(PeId pe, std::size_t bytes) {
  RoomNote note{0, bytes, 0};
  {
    std::lock_guard lock(rooms_mutex_);
    note.id = next_room_++;
    rooms_.emplace(note.id, std::nullopt);
  }
  endpoint_.post(pe, static_cast<std::uint16_t>(PostKind::room_request), bytes_of(note));
  return note.id;
}

std::optional<HeapOffset> Context::take_room(PeId pe, std::uint64_t id, std::size_t bytes) {
  std::optional<HeapOffset> room;
  {
    std::lock_guard lock(rooms_mutex_);
    auto found = rooms_.find(id);
    room = found->second;
    if (room) rooms_.erase(found);
  }
  if (!room) {
    check();  // it may have left because another has failed
    if (job_->has_failed() && !job_->is_ending())
      return room;  // where PEs have died, others may leave without meeting this one
    ATOLL_VALIDATE(!endpoint_.has_left(pe), Error,
                   "{} has left the job, with a message to it under way. Meet in a barrier before "
                   "PEs leave",
                   job_->describe(pe));
    return room;
  }
  ATOLL_VALIDATE(*room != HeapOffset(0), MemoryError,
                 "{} has no memory for a message of {}. Raise ATOLL_HEAP_SIZE, or send "
                 "less at once",
                 job_->describe(pe), format_bytes(bytes));
  return room;
}

void Context::hear_room_answer(PeId source, std::span<const std::byte> payload) {
  RoomNote note = read_note(source, payload);
  {
    std::lock_guard lock(rooms_mutex_);
    if (auto found = rooms_.find(note.id); found != rooms_.end()) found->second = HeapOffset(note.offset);
  }
  fabric::ring_bell(job_->record(pe_));
}

void Context::hear_room_request(PeId source, std::span<const std::byte> payload) {
  RoomNote note = read_note(source, payload);
  {
    std::lock_guard lock(rooms_mutex_);
    room_requests_.push_back({source, note.id, note.bytes});
  }
  give_rooms();
}

void Context::give_rooms() {
  std::uint64_t most = std::min(most_landing_bytes, endpoint_.segment_bytes() / landing_share);
  for (;;) {
    RoomRequest request{};
    std::byte* room = nullptr;
    {
      std::lock_guard lock(rooms_mutex_);
      if (room_requests_.empty()) return;
      request = room_requests_.front();
      if (landing_bytes_ != 0 && landing_bytes_ + request.bytes > most) return;
      try {
        room = static_cast<std::byte*>(heap_->allocate(request.bytes));
      } catch (const MemoryError&) {
        if (landing_bytes_ != 0) return;
      }
      room_requests_.pop_front();
      if (room != nullptr) landing_bytes_ += request.bytes;
    }
    RoomNote note{request.id, request.bytes, room != nullptr ? offset_of(room).value() : 0};
    endpoint_.post(request.pe, static_cast<std::uint16_t>(PostKind::room_answer), bytes_of(note));
  }
}

void Context::note_landed(std::uint64_t bytes) {
  {
    std::lock_guard lock(rooms_mutex_);
    landing_bytes_ -= bytes;
    if (room_requests_.empty()) return;
  }
  give_rooms();
}

void Context::fill_room(PeId pe, HeapOffset room, const Parts& parts) {
  const auto& [first, second] = parts;
  if (!first.empty()) put(pe, room, first.data(), first.size());
  if (!second.empty()) put(pe, HeapOffset(room.value() + first.size()), second.data(), second.size());
}

Context::Block Context::own_block(std::byte* block) {
  return Block(block, [heap = heap_.get()](std::byte* at) { heap->release(at); });
}

}  // namespace atl::runtime
