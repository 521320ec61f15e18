// SPDX-License-Identifier: Apache-2.0
// The threads of one PE: a fork-join pool whose workers spin briefly, then sleep. Results never depend on
// which thread did what; only the partition of the work into ranges is up to the pool.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace atl {

/// A fixed set of threads, of which the caller is the first. Not re-entrant: one caller at a time, no nesting.
class ThreadPool {
 public:
  /// `threads` counts the caller; at least 1.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Runs `body(thread)` once on every thread and returns when all have returned. The first exception is rethrown.
  template <class Body>
  void on_each(Body&& body) {
    if (workers_.empty()) {
      body(0u);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    run([](void* context, unsigned thread) { (*static_cast<Plain*>(context))(thread); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

  /// Calls `body(begin, end, thread)` over disjoint ranges that cover [0, count): one even, contiguous range
  /// per thread, with borders at multiples of `align`. Small counts (one range) run on the caller alone.
  template <class Body>
  void for_ranges(std::size_t count, std::size_t align, Body&& body) {
    if (count == 0) return;
    std::size_t pieces = (count + align - 1) / align;
    std::size_t users = pieces < size() ? pieces : size();
    if (users == 1) {
      body(std::size_t{0}, count, 0u);
      return;
    }
    on_each([&](unsigned thread) {
      std::size_t begin = pieces * thread / size() * align;
      std::size_t end = pieces * (thread + 1) / size() * align;
      if (end > count) end = count;
      if (begin < end) body(begin, end, thread);
    });
  }

  /// Calls `body(index, thread)` for every index below `count`, handed out one by one: for uneven work.
  template <class Body>
  void for_each_dynamic(std::size_t count, Body&& body) {
    if (count <= 1 || workers_.empty()) {
      for (std::size_t index = 0; index < count; ++index) body(index, 0u);
      return;
    }
    std::atomic<std::size_t> next{0};
    on_each([&](unsigned thread) {
      for (;;) {
        std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
        if (index >= count) return;
        body(index, thread);
      }
    });
  }

 private:
  using Entry = void (*)(void*, unsigned);
  void run(Entry entry, void* context);
  void work(unsigned thread);

  std::vector<std::thread> workers_;
  Entry entry_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};    // bumped (release) to start a round; workers acquire
  alignas(64) std::atomic<std::uint32_t> pending_{0};  // workers still busy; dropped (release), caller acquires
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace atl
