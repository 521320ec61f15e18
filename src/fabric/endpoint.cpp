// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/endpoint.hpp"

#include <fmt/format.h>

#include "atoll/base/assertion.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"

namespace atl::fabric {

Traffic& Traffic::operator+=(const Traffic& other) {
  put_bytes += other.put_bytes;
  put_messages += other.put_messages;
  get_bytes += other.get_bytes;
  get_messages += other.get_messages;
  atomic_messages += other.atomic_messages;
  am_bytes += other.am_bytes;
  am_messages += other.am_messages;
  return *this;
}

Endpoint::Endpoint(std::shared_ptr<Job> job, PeId self)
    : bases_(job->segments()),
      records_(&job->record(PeId(0))),
      ring_(&job->ring(self)),
      segment_bytes_(job->segment_bytes()),
      npes_(job->places()),
      first_guest_(job->npes()),
      self_(self),
      remote_(job->remote()),
      inbox_(remote_ != nullptr ? remote_->inbox() : nullptr),
      longest_far_message_(remote_ != nullptr ? remote_->longest_message() : 0),
      job_(std::move(job)) {
  ATOLL_EXPECT(self.value() < npes_ && job_->is_local(self) && (remote_ != nullptr || job_->nodes() == 1));
}

// The cache line of a slot was last read by the receiver. Stores to it stall until the sender owns the line again, and
// with them the next atomic operation: 8-byte messages took 56 ns each. So lines are prefetched this many messages
// ahead.
constexpr std::uint64_t slots_ahead = 4;
// The same for lines of payload of the next message, which is assumed to have the same length.
constexpr std::uint64_t most_lines_ahead = 5;

namespace {

// Writes payload into the slots that follow a message's first slot.
class FollowingSlots {
 public:
  FollowingSlots(MessageSlot& slot, std::uint64_t number) : slot_(&slot), number_(number) {}
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      if (room_ == 0) {
        ++slot_;
        slot_->stamp.store(MessageSlot::following_stamp_of(++number_), std::memory_order_relaxed);
        room_ = next_slot_bytes;
      }
      const std::size_t some = std::min(bytes.size(), room_);
      copy_few(slot_->more() + (next_slot_bytes - room_), bytes.data(), some);
      room_ -= some;
      bytes = bytes.subspan(some);
    }
  }

 private:
  MessageSlot* slot_;
  std::uint64_t number_;
  std::size_t room_ = 0;
};

}  // namespace

Status push_message(Job& job, PeId to, MessageLabel label, const MessageParts& parts) {
  MessageRing& ring = job.ring(to);
  std::atomic<std::uint64_t>& seen = job.seen_head(to);
  const std::size_t bytes = parts.size();
  PayloadSize size{static_cast<std::uint32_t>(bytes)};
  std::uint64_t slots = 1, lines = 0, room = ring_slots;
  auto go_by_lines = [&] {
    size.bits |= PayloadSize::by_lines;
    lines = (bytes + cache_line - 1) / cache_line;
    slots = 1;
    room = ring_slots;
  };
  if (bytes > slots_bytes) [[unlikely]] {
    go_by_lines();
  } else if (bytes > slot_bytes) [[unlikely]] {
    slots = PayloadSize::slots_of(size.bits);
    room = slots_shared;
  }
  RingCount tail{ring.tail.load(std::memory_order_relaxed)}, after;
  // Acquire: the receiver has released everything before it. Partner: the release store below.
  RingCount head{seen.load(std::memory_order_acquire)};
  std::uint64_t first = 0;
  for (;;) {
    first = tail.lines() % ring_lines;
    // A payload is contiguous: lines before the end of the array that are too few for it are skipped.
    const std::uint64_t skipped = first + lines > ring_lines ? ring_lines - first : 0;
    after = RingCount::of(tail.slots() + slots, tail.lines() + skipped + lines);
    if (after.slots_since(head) > room || after.lines_since(head) > ring_lines) [[unlikely]] {
      // Acquire: as above. Partner: Endpoint::release_message().
      RingCount now{ring.head.load(std::memory_order_acquire)};
      RingCount taken{ring.tail.load(std::memory_order_relaxed)};
      // Switches to lines at once: other senders may take each slot as it becomes free.
      if (slots != 1 && RingCount::of(taken.slots() + slots, 0).slots_since(now) > room) go_by_lines();
      else if (now.bits == head.bits && taken.bits == tail.bits) return Status::try_again;
      seen.store(now.bits, std::memory_order_release);  // partner: above
      head = now;
      tail = taken;
      continue;
    }
    if (ring.tail.compare_exchange_weak(tail.bits, after.bits, std::memory_order_relaxed)) {
      first = (first + skipped) % ring_lines;
      break;
    }
  }
  MessageSlot& slot = ring.slots[tail.slots() % ring_slots];
  prefetch_for_write(&ring.slots[(tail.slots() + slots - 1 + slots_ahead) % ring_slots]);
  // Writes the first slot last and without delays: a waiting receiver polls its cache line and fetches it back after
  // each delayed store.
  MessageParts in_slot = parts;
  RingPlace place;
  if (lines == 0) [[likely]] {
    const std::size_t some = std::min(parts.first.size(), slot_bytes);
    in_slot = {parts.first.first(some), parts.second.first(std::min(parts.second.size(), slot_bytes - some))};
    if (slots != 1) [[unlikely]] {
      FollowingSlots rest(slot, tail.slots());
      rest.write(parts.first.subspan(some));
      rest.write(parts.second.subspan(in_slot.second.size()));
    }
  } else {
    place = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(after.lines())};
    in_slot = {std::as_bytes(std::span(&place, 1))};
    parts.copy_to(ring.lines[first]);
    for (std::uint64_t line = 0; line < std::min(lines, most_lines_ahead); ++line)
      prefetch_for_write(ring.lines[(after.lines() + line) % ring_lines]);
  }
  slot.source = label.source.value();
  slot.handler = label.handler;
  slot.kind = label.kind;
  in_slot.copy_to(slot.payload);
  // Release publishes the message. Partner: Endpoint::message_waiting().
  slot.stamp.store(MessageSlot::stamp_of(tail.slots(), size), std::memory_order_release);
  ring_bell(job.record(to));
  return Status::ok;
}

Traffic Endpoint::traffic() const {
  auto read = [](const std::atomic<std::uint64_t>& value) { return value.load(std::memory_order_relaxed); };
  Traffic found;
  found.put_bytes = read(traffic_.put_bytes);
  found.put_messages = read(traffic_.put_messages);
  found.get_bytes = read(traffic_.get_bytes);
  found.get_messages = read(traffic_.get_messages);
  found.atomic_messages = read(traffic_.atomic_messages);
  found.am_bytes = read(traffic_.am_bytes);
  found.am_messages = read(traffic_.am_messages);
  return found;
}

void Endpoint::throw_outside(PeId pe, HeapOffset at, std::size_t bytes) const {
  ATOLL_VALIDATE(pe.value() < npes_, IndexError, "there is no PE {}: the job has PEs 0 to {}", pe.value(), npes_ - 1);
  raise<IndexError>(fmt::format("{} at offset {} of PE {} lie outside its segment of {}", format_bytes(bytes),
                                at.value(), pe.value(), format_bytes(segment_bytes_)));
}

void Endpoint::throw_misaligned(HeapOffset at, std::size_t width) {
  raise<ValueError>(
      fmt::format("an atomic of {} bytes at offset {} is not aligned. Use a multiple of {}", width, at.value(), width));
}

}  // namespace atl::fabric
