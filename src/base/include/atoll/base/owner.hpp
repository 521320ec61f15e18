// SPDX-License-Identifier: Apache-2.0
// A lock that records its owning thread in one word: taking it costs one atomic exchange and releasing it a store,
// where a mutex with a separate owner field costs two of each.
#pragma once

#include <atomic>

namespace atl {

class Owner {
 public:
  /// Takes it for this thread if it is free. Not for a thread that has it already.
  bool try_take() {
    const void* nobody = nullptr;
    // Acquire: what the last owner did. Partner: leave().
    return !is_taken() &&
           thread_.compare_exchange_strong(nobody, this_thread(), std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// Waits until it is free.
  void take() {
    if (!try_take()) wait_to_take();
  }
  void leave() { thread_.store(nullptr, std::memory_order_release); }  // partner: try_take()
  // The interface of std::lock_guard, for critical sections shorter than putting a thread to sleep.
  void lock() { take(); }
  void unlock() { leave(); }
  bool is_mine() const { return thread_.load(std::memory_order_relaxed) == this_thread(); }
  bool is_taken() const { return thread_.load(std::memory_order_relaxed) != nullptr; }

 private:
  void wait_to_take();
  // A register, and the same in all libraries of the process.
  static const void* this_thread() { return __builtin_thread_pointer(); }
  std::atomic<const void*> thread_{nullptr};
};

}  // namespace atl
