// SPDX-License-Identifier: Apache-2.0
// Loops over a kernel's threads that look for an interrupt in between.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "atoll/array/kernel/work.hpp"
#include "atoll/base/raise.hpp"

namespace atl::array {

/// Loops over the threads of a kernel, in pieces: between two pieces the first thread asks the monitor whether the user
/// wants the operation to end, and the others leave when a thread has failed. One object per loop, or for loops one
/// after another.
class Polling {
 public:
  explicit Polling(const Work& work) : pool_(work.threads), monitor_(work.monitor) {}
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;

  unsigned size() const { return pool_.size(); }

  /// For a thread with a loop of its own, every few milliseconds. On the first thread it throws what the monitor
  /// throws; on another it throws when a thread has failed.
  void poll(unsigned thread) const {
    if (thread == 0) monitor_.checkpoint(0, 0);
    else if (failing()) raise<Interrupted>("another thread has failed");
  }

  /// ThreadPool::on_each. The body polls.
  template <class Body>
  void on_each(Body&& body) {
    pool_.on_each([&](unsigned thread) { noting_failure([&] { body(thread); }); });
  }
  /// ThreadPool::for_ranges: one range per thread. The body polls.
  template <class Body>
  void for_ranges(std::size_t count, std::size_t align, Body&& body) {
    pool_.for_ranges(count, align, [&](std::size_t first, std::size_t last, unsigned thread) {
      noting_failure([&] { body(first, last, thread); });
    });
  }
  /// for_ranges() with each thread's range in pieces, between which it polls: a thread calls `body(begin, end, thread)`
  /// several times. Borders are at multiples of `align`. For bodies whose work is in their piece: one that reads all of
  /// its input for each piece uses for_ranges() and Pace.
  template <class Body>
  void for_pieces(std::size_t count, std::size_t align, Body&& body) {
    for_ranges(count, align, [&](std::size_t first, std::size_t last, unsigned thread) {
      // Asking takes 30 ns, so that 512 times cost nothing beside what is worth so many pieces.
      const std::size_t piece = std::max((last - first) / 512 / align, std::size_t{1}) * align;
      for (; last - first > piece && !failing(); first += piece) {
        body(first, first + piece, thread);
        poll(thread);
      }
      if (!failing()) body(first, last, thread);
    });
  }
  /// ThreadPool::for_each_dynamic, with a poll before each index.
  template <class Body>
  void for_each_dynamic(std::size_t count, Body&& body) {
    pool_.for_each_dynamic(count, [&](std::size_t index, unsigned thread) {
      if (failing()) return;
      noting_failure([&] {
        if (thread == 0) monitor_.checkpoint(0, 0);
        body(index, thread);
      });
    });
  }

 private:
  bool failing() const { return failing_.load(std::memory_order_relaxed); }
  template <class Body>
  void noting_failure(Body&& body) {
    try {
      body();
    } catch (...) {
      failing_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

  ThreadPool& pool_;
  Monitor& monitor_;
  std::atomic<bool> failing_{false};
};

/// Polls for a thread with a loop of its own, each time that it has done some thousand elements more.
class Pace {
 public:
  Pace(const Polling& polling, unsigned thread) : polling_(polling), thread_(thread) {}

  void done(std::size_t elements) {
    since_ += elements;
    if (since_ < between_polls) return;
    since_ = 0;
    polling_.poll(thread_);
  }

 private:
  static constexpr std::size_t between_polls = std::size_t{1} << 17;
  const Polling& polling_;
  unsigned thread_;
  std::size_t since_ = 0;
};

}  // namespace atl::array
