// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/endpoint.hpp"

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"

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
      self_(self),
      remote_(job->remote()),
      inbox_(remote_ != nullptr ? remote_->inbox() : nullptr),
      longest_far_message_(remote_ != nullptr ? remote_->longest_message() : 0),
      job_(std::move(job)) {
  ATOLL_EXPECT(self.value() < npes_ && job_->is_local(self) && (remote_ != nullptr || job_->nodes() == 1));
}

Status push_message(Job& job, PeId to, MessageLabel label, const MessageParts& parts) {
  MessageRing& ring = job.ring(to);
  std::uint64_t number = ring.tail.load(std::memory_order_relaxed);
  MessageSlot* slot;
  for (;;) {
    slot = &ring.slots[number % ring_slots];
    // Acquire: the receiver has done with the slot. Partner: release_message.
    std::uint64_t sequence = slot->sequence.load(std::memory_order_acquire);
    if (sequence == number) {
      if (ring.tail.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) break;
    } else if (sequence < number) {
      return Status::try_again;  // still holds the message of one lap before
    } else {
      number = ring.tail.load(std::memory_order_relaxed);
    }
  }
  slot->source = label.source.value();
  slot->handler = label.handler;
  slot->kind = label.kind;
  slot->bytes = static_cast<std::uint32_t>(parts.size());
  parts.copy_to(slot->payload);
  // Release: header and payload. Partner: message_waiting.
  slot->sequence.store(number + 1, std::memory_order_release);
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
  throw IndexError(fmt::format("{} at offset {} of PE {} lie outside its segment of {}", format_bytes(bytes), at.value(),
                               pe.value(), format_bytes(segment_bytes_)));
}

void Endpoint::throw_misaligned(HeapOffset at, std::size_t width) {
  throw ValueError(fmt::format("an atomic of {} bytes at offset {} is not aligned. Use a multiple of {}", width,
                               at.value(), width));
}

}  // namespace atl::fabric
