// SPDX-License-Identifier: Apache-2.0
// Long messages to other nodes, above the network's message limit. The sender requests memory in the receiver's heap,
// puts the payload there from the caller's buffer, and a short message announces it. Memory is granted without the
// receiver's program, but only a limited amount at a time: further requests wait until handlers have run. Handlers may
// not wait: their messages are queued until memory is granted.
#include "atoll/runtime/landing.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/heap.hpp"
#include "atoll/runtime/one_sided.hpp"
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

std::uint64_t Landing::request(PeId pe, std::size_t bytes) {
  RoomNote note{0, bytes, 0};
  {
    std::lock_guard lock(mutex_);
    note.id = next_room_++;
    rooms_.emplace(note.id, std::nullopt);
  }
  one_sided_.endpoint().post(pe, static_cast<std::uint16_t>(PostKind::room_request), bytes_of(note));
  return note.id;
}

std::optional<HeapOffset> Landing::take(PeId pe, std::uint64_t id, std::size_t bytes) {
  std::optional<HeapOffset> room;
  {
    std::lock_guard lock(mutex_);
    auto found = rooms_.find(id);
    room = found->second;
    if (room) rooms_.erase(found);
  }
  if (!room) {
    failures_.check();  // it may have left because another has failed
    if (one_sided_.job().has_failed() && !one_sided_.job().is_ending())
      return room;  // where PEs have died, others may leave without meeting this one
    ATOLL_VALIDATE(!one_sided_.endpoint().has_left(pe), Error,
                   "{} has left the job, with a message to it under way. Meet in a barrier before "
                   "PEs leave",
                   one_sided_.job().describe(pe));
    return room;
  }
  ATOLL_VALIDATE(*room != HeapOffset(0), MemoryError,
                 "{} has no memory for a message of {}. Raise ATOLL_HEAP_SIZE, or send "
                 "less at once",
                 one_sided_.job().describe(pe), format_bytes(bytes));
  return room;
}

void Landing::hear_answer(PeId source, std::span<const std::byte> payload) {
  RoomNote note = read_note(source, payload);
  {
    std::lock_guard lock(mutex_);
    if (auto found = rooms_.find(note.id); found != rooms_.end()) found->second = HeapOffset(note.offset);
  }
  fabric::ring_bell(one_sided_.job().record(one_sided_.pe()));
}

void Landing::hear_request(PeId source, std::span<const std::byte> payload) {
  RoomNote note = read_note(source, payload);
  {
    std::lock_guard lock(mutex_);
    requests_.push_back({source, note.id, note.bytes});
  }
  grant();
}

void Landing::grant() {
  std::uint64_t most = std::min(most_landing_bytes, one_sided_.endpoint().segment_bytes() / landing_share);
  for (;;) {
    Request request{};
    std::byte* room = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (requests_.empty()) return;
      request = requests_.front();
      if (bytes_ != 0 && bytes_ + request.bytes > most) return;
      try {
        room = static_cast<std::byte*>(heap_.allocate(request.bytes));
      } catch (const MemoryError&) {
        if (bytes_ != 0) return;
      }
      requests_.pop_front();
      if (room != nullptr) bytes_ += request.bytes;
    }
    RoomNote note{request.id, request.bytes, room != nullptr ? one_sided_.offset_of(room).value() : 0};
    one_sided_.endpoint().post(request.pe, static_cast<std::uint16_t>(PostKind::room_answer), bytes_of(note));
  }
}

void Landing::note_handled(std::uint64_t bytes) {
  {
    std::lock_guard lock(mutex_);
    bytes_ -= bytes;
    if (requests_.empty()) return;
  }
  grant();
}

void Landing::fill(PeId pe, HeapOffset room, const fabric::MessageParts& parts) {
  const auto& [first, second] = parts;
  if (!first.empty()) one_sided_.put(pe, room, first.data(), first.size());
  if (!second.empty()) one_sided_.put(pe, HeapOffset(room.value() + first.size()), second.data(), second.size());
}

std::shared_ptr<std::byte> Landing::own(std::byte* block) {
  return std::shared_ptr<std::byte>(block, [heap = &heap_](std::byte* at) { heap->release(at); });
}

}  // namespace atl::runtime
