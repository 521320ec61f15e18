// SPDX-License-Identifier: Apache-2.0
// Queues of events beside counters: what happened, to what, how much of it moved, and what failed (Portals 4's event
// queues).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/base/spin_lock.hpp"

namespace atl::runtime {

/// The numbers are Portals 4's.
enum class EventKind : std::uint8_t {
  get,
  get_overflow,
  put,
  put_overflow,
  atomic,
  atomic_overflow,
  fetch_atomic,
  fetch_atomic_overflow,  // at the target
  reply,
  send,
  ack,                                       // at the initiator
  portal_disabled,
  link,
  auto_unlink,
  auto_free,
  search,  // of the lists of one's own
};

/// Why an operation failed. The numbers are Portals 4's.
enum class Failure : std::uint8_t {
  none,
  undeliverable,    ///< the target has died, or has no such interface
  dropped,          ///< nothing there accepts it
  portal_disabled,  ///< by flow control, or by hand: once more, when the target has enabled it again
  permission,       ///< the entry is another user's
  operation,        ///< the entry does not allow it
  no_match,         ///< of a search
  segment,          ///< the memory cannot be reached
};

enum class ListKind : std::uint8_t { priority, overflow };

struct Event {
  void* start = nullptr;  ///< where the data landed
  void* user = nullptr;   ///< of the entry, or of the operation
  std::uint64_t header = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t requested = 0;  ///< bytes
  std::uint64_t moved = 0;      ///< bytes
  std::uint64_t offset = 0;     ///< in the entry
  PeId initiator{};
  std::uint32_t uid = 0;
  std::uint32_t portal = 0;
  EventKind kind = EventKind::send;
  ListKind list = ListKind::priority;
  Failure failure = Failure::none;
  std::uint8_t operation = 0;  ///< of an atomic: Arithmetic
  std::uint8_t type = 0;       ///< of an atomic: Scalar
};

/// Any threads may put in and take out. Never waits: a put into a full queue overwrites the oldest event, and a thread
/// that takes out next is told that some are lost.
class EventQueue {
 public:
  enum class Taken { nothing, event, event_after_loss };

  /// Room for `count` events, and for `reserve` more of those that flow control could not keep away.
  explicit EventQueue(std::size_t count) : count_(count == 0 ? 1 : count), events_(count_ + reserve) {}

  void push(const Event& event) {
    SpinGuard guard(lock_);
    events_[tail_ % events_.size()] = event;
    ++tail_;
    if (tail_ - head_ > events_.size()) {
      head_ = tail_ - events_.size();
      lost_ = true;
    }
    used_.store(tail_ - head_, std::memory_order_release);  // partner: take()
  }
  Taken take(Event& event) {
    if (used_.load(std::memory_order_acquire) == 0) return Taken::nothing;  // partner: push()
    SpinGuard guard(lock_);
    if (tail_ == head_) return Taken::nothing;
    event = events_[head_ % events_.size()];
    ++head_;
    used_.store(tail_ - head_, std::memory_order_release);
    return std::exchange(lost_, false) ? Taken::event_after_loss : Taken::event;
  }
  /// Drops all there are.
  void clear() {
    SpinGuard guard(lock_);
    head_ = tail_;
    lost_ = false;
    used_.store(0, std::memory_order_release);
  }
  /// False: flow control has to stop what would bring more.
  bool has_room() const { return used_.load(std::memory_order_relaxed) < count_; }
  bool is_empty() const { return used_.load(std::memory_order_acquire) == 0; }  // partner: push()

  static constexpr std::size_t reserve = 64;

 private:
  SpinLock lock_;
  std::size_t count_;
  std::vector<Event> events_;
  std::uint64_t head_ = 0, tail_ = 0;
  bool lost_ = false;
  std::atomic<std::uint64_t> used_{0};
};

}  // namespace atl::runtime
