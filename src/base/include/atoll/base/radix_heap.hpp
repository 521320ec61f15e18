// SPDX-License-Identifier: Apache-2.0
// A priority queue of events by time: a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990). No event may be earlier than
// the last one taken. Simultaneous events are taken in the order of insertion, or in the order that `Ties` gives
// them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/base/assertion.hpp"

namespace atl {

/// Keeps simultaneous events in the order of insertion.
template <class Event>
struct InTurn {
  void operator()(std::vector<Event>&) {}
};

/// `Event` is a plain struct with a member `time`. `Ties` orders the simultaneous events that are queued when the first
/// of them is taken; events that are added for that time later are taken last.
template <class Event, class Ties = InTurn<Event>>
class RadixHeap {
 public:
  Ties& ties() { return ties_; }
  bool empty() const { return taken_ == buckets_[0].size() && filled_ == 0; }
  std::uint64_t now() const { return last_; }

  void push(const Event& event) {
    ATOLL_EXPECT(event.time >= last_);
    put(event);
  }

  Event pop() {
    if (taken_ == buckets_[0].size()) refill();
    return buckets_[0][taken_++];
  }
  /// Of what pop() would give. Others may still be put before it, which they may not after pop().
  std::uint64_t next_time() const {
    if (taken_ != buckets_[0].size()) return last_;
    std::uint64_t first = UINT64_MAX;
    if (filled_ != 0)
      for (const Event& event : buckets_[std::countr_zero(filled_) + 1])
        first = event.time < first ? event.time : first;
    return first;
  }
  /// What pop() would give is likely to be wanted soon.
  const Event* peek_next() const { return taken_ + 1 < buckets_[0].size() ? &buckets_[0][taken_ + 1] : nullptr; }

  std::uint64_t bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& bucket : buckets_) bytes += bucket.capacity() * sizeof(Event);
    return bytes;
  }

 private:
  void put(const Event& event) {
    const auto bucket = static_cast<unsigned>(std::bit_width(event.time ^ last_));
    buckets_[bucket].push_back(event);
    if (bucket != 0) filled_ |= std::uint64_t{1} << (bucket - 1);
  }
  // Bucket b > 0 has the events whose times differ from last_ in bit b - 1 first. The lowest of them is spread over
  // those below.
  void refill() {
    buckets_[0].clear();
    taken_ = 0;
    const auto bucket = static_cast<unsigned>(std::countr_zero(filled_)) + 1;
    filled_ &= filled_ - 1;
    auto& from = buckets_[bucket];
    std::uint64_t first = from[0].time;
    for (const Event& event : from) first = event.time < first ? event.time : first;
    last_ = first;
    if (from.size() == 1) {
      buckets_[0].push_back(from[0]);
    } else {
      for (const Event& event : from) put(event);
    }
    from.clear();
    if (buckets_[0].size() > 1) ties_(buckets_[0]);
  }

  std::vector<Event> buckets_[65];
  std::uint64_t filled_ = 0;  // a bit for each of them but the first
  std::size_t taken_ = 0;  // out of the first
  std::uint64_t last_ = 0;
  Ties ties_;
};

}  // namespace atl
