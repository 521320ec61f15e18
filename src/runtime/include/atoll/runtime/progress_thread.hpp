// SPDX-License-Identifier: Apache-2.0
// The thread that makes progress while the program computes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace atl::runtime {

class OneSided;
class Messenger;
class Progress;

/// Makes progress while no other thread waits or calls note_active(), and sleeps when there is none to make. Sending to
/// a PE whose own threads poll pays for no wake-up. Part of Progress.
class ProgressThread {
 public:
  ProgressThread(OneSided& one_sided, Messenger& messenger, Progress& progress)
      : one_sided_(one_sided), messenger_(messenger), progress_(progress) {}
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// Starts the thread, bound to `core` if given. As many stops as starts.
  void start(std::optional<unsigned> core);
  void stop();
  /// Stops the thread however often it was started.
  void end();
  bool is_running() const { return is_running_.load(std::memory_order_relaxed); }
  /// Whether the calling thread is this thread.
  bool is_current() const { return std::this_thread::get_id() == id_.load(std::memory_order_relaxed); }
  void note_active() { activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void hand_over();

  /// While it lives, the calling thread waits and makes progress itself.
  class Waiting {
   public:
    explicit Waiting(ProgressThread& thread) : threads_(thread.waiting_threads_) {
      threads_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Waiting() { threads_.fetch_sub(1, std::memory_order_relaxed); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    std::atomic<std::uint32_t>& threads_;
  };

 private:
  void run();
  bool watch_closely();
  bool pause(std::int64_t ns);

  OneSided& one_sided_;
  Messenger& messenger_;
  Progress& progress_;
  int users_ = 0;  // guarded by mutex_
  std::thread thread_;
  std::atomic<std::thread::id> id_{};
  std::atomic<bool> is_running_{false};
  std::atomic<std::uint32_t> waiting_threads_{0};  // in a wait, while the thread runs
  std::atomic<std::uint64_t> activity_{0};
  std::atomic<bool> handed_over_{false};
  std::mutex mutex_;
  std::condition_variable wakes_;
  std::atomic<bool> stops_{false};  // changed under mutex_
};

}  // namespace atl::runtime
