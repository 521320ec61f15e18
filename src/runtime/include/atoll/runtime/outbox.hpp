// SPDX-License-Identifier: Apache-2.0
// Messages for which their receivers have no room yet. Sending is local: it never waits for a receiver. Messages to one
// PE stay in the order in which they were sent; those to different PEs do not wait for one another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

/// Thread-safe. While it is empty, a sender pays one load.
class Outbox {
 public:
  struct Message {
    std::uint16_t handler;
    std::uint16_t kind;
    std::vector<std::byte> payload;
    std::shared_ptr<std::byte> block = nullptr;  ///< of a long message to another node, until the payload has been put
    std::span<const std::byte> far = {};
    std::uint64_t room = 0;
    std::uint64_t kept_bytes = 0;  ///< what it counts in bytes(); long payloads are the heap's
  };

  // Acquire: what has left is in its receiver's ring, before what this thread sends from now on. Partner: send_all().
  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// Whether a message waits for that PE.
  bool holds(PeId pe) const {
    if (empty()) return false;
    std::lock_guard lock(mutex_);
    return queues_.contains(pe.value());
  }

  /// Calls `send`, unless a message waits for that PE already. Keeps what `make` returns if the message has not left.
  template <class Send, class Make>
  bool send_or_keep(PeId pe, Send&& send, Make&& make) {
    std::lock_guard lock(mutex_);
    const bool behind = queues_.contains(pe.value());
    if (!behind && send()) return true;
    Message message = make();
    message.kept_bytes = sizeof(message) + message.payload.size();
    bytes_.fetch_add(message.kept_bytes, std::memory_order_relaxed);
    queues_[pe.value()].push_back(std::move(message));
    count_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  /// Calls `send(pe, message)` for the first message to each PE, and for the next one as long as it returns true: the
  /// message has left. Returns how many have left. One thread at a time.
  template <class Send>
  std::uint32_t send_all(Send&& send) {
    std::uint32_t left = 0;
    std::lock_guard lock(mutex_);
    for (auto at = queues_.begin(); at != queues_.end();) {
      std::deque<Message>& queue = at->second;
      while (!queue.empty() && send(PeId(at->first), queue.front())) {
        bytes_.fetch_sub(queue.front().kept_bytes, std::memory_order_relaxed);
        queue.pop_front();
        ++left;
      }
      at = queue.empty() ? queues_.erase(at) : std::next(at);
    }
    count_.fetch_sub(left, std::memory_order_release);  // partner: empty()
    return left;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::deque<Message>> queues_;  // none is empty
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace atl::runtime
