// SPDX-License-Identifier: Apache-2.0
// Interface of a RemotePath with non-blocking operations that do not wait for their target: an operation for which the
// network has no room is queued as a descriptor, within ATOLL_MEMORY_LIMIT, and starts when earlier ones are complete.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/remote_path.hpp"

namespace atl::fabric {

/// Completion of one queued put or get: its caller may reuse the memory that it passed. Must stay valid until
/// is_complete().
class QueuedCompletion {
 public:
  QueuedCompletion() = default;
  QueuedCompletion(const QueuedCompletion&) = delete;
  QueuedCompletion& operator=(const QueuedCompletion&) = delete;

  bool is_complete() const { return parts_.load(std::memory_order_acquire) == 0; }  // partner: finish_part()
  /// Valid when complete: the PE left the job or failed before that, so data may not have been transferred.
  bool is_dropped() const { return dropped_.load(std::memory_order_relaxed); }

  /// For paths: an operation that is divided among several networks has several parts.
  void add_part() { parts_.fetch_add(1, std::memory_order_relaxed); }
  enum class Outcome { done, dropped };
  void finish_part(Outcome outcome) {
    if (outcome == Outcome::dropped) dropped_.store(true, std::memory_order_relaxed);
    parts_.fetch_sub(1, std::memory_order_release);  // publishes the data of a get; partner: is_complete()
  }

 private:
  std::atomic<std::uint32_t> parts_{0};
  std::atomic<bool> dropped_{false};
};

/// All operations are complete in RemotePath::quiet(); until then the caller keeps the memory that it passes.
/// fence() orders them. Without a fence they are in no order with puts, updates and messages of RemotePath; its get()
/// and atomic() of the same PE start after them.
class Queueing {
 public:
  /// `completion` may be null.
  virtual void queue_put(PeId pe, HeapOffset to, const void* from, std::size_t bytes, QueuedCompletion* completion) = 0;
  virtual void queue_put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                                std::uint64_t value, AtomicOp how) = 0;
  virtual void queue_get(void* to, PeId pe, HeapOffset from, std::size_t bytes, QueuedCompletion* completion) = 0;
  virtual void queue_update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) = 0;
  /// Writes the old value, of `width` bytes, to `old`.
  virtual void queue_atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                            std::uint64_t expected, void* old) = 0;

 protected:
  ~Queueing() = default;
};

}  // namespace atl::fabric
