// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/progress_thread.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "naps.hpp"

namespace atl::runtime {
namespace {

constexpr int polls_per_look = 32;
// The progress thread, while other threads look: how often it asks whether they still do. At 0.4 ms it takes under 1 %
// of a core.
constexpr std::int64_t shortest_pause_ns = 50'000;
constexpr std::int64_t longest_pause_ns = 400'000;
// And how long it looks for more when something moved or was handed to it, before it sleeps: the answers of a long
// operation come within microseconds, and each sleep and wake of both sides takes 20 to 50. Longer, threads of several
// PEs that share a core would keep it from one another. A reduction of 1 MiB took 1.5 ms with 20 us here, 0.2 to 0.8
// with 200, 2 to 12 with 2,000.
constexpr std::int64_t close_watch_ns = 200'000;

}  // namespace

ProgressThread::~ProgressThread() { end(); }

void ProgressThread::end() {
  {
    std::lock_guard lock(mutex_);
    users_ = std::min(users_, 1);
  }
  stop();
}

// Sleeping on the bell makes each message cost its sender a system call. So the thread does that only while no other
// thread of this PE looks after the messages; as long as one does, it looks now and then whether that is still so.
void ProgressThread::run() {
  std::uint64_t seen = activity_.load(std::memory_order_relaxed);
  auto others_look = [&] {
    std::uint64_t now = activity_.load(std::memory_order_relaxed);
    return std::exchange(seen, now) != now || waiting_threads_.load(std::memory_order_relaxed) != 0;
  };
  std::int64_t pause_ns = shortest_pause_ns;
  for (bool ends = false; !ends;) {
    bool asked = handed_over_.exchange(false, std::memory_order_relaxed);
    // A thread that waits again makes progress itself, faster than two threads that compete.
    if (others_look() && (!asked || waiting_threads_.load(std::memory_order_relaxed) != 0)) {
      ends = pause(pause_ns);
      pause_ns = std::min(pause_ns * 2, longest_pause_ns);
      continue;
    }
    pause_ns = shortest_pause_ns;
    if ((progress_.progress() || asked) && watch_closely()) continue;
    fabric::Sleeper sleeper(one_sided_.job().record(one_sided_.pe()));
    sleeper.announce();
    if (progress_.progress() || handed_over_.load(std::memory_order_relaxed)) continue;
    one_sided_.endpoint().stop_polling();
    std::int64_t nap = messenger_.sends_wait() ? outbox_nap_ns : longest_nap_ns;
    sleeper.block(nap);
    ends = pause(0);
  }
}

// While something long is under way. True: other threads look again.
bool ProgressThread::watch_closely() {
  std::uint64_t seen = activity_.load(std::memory_order_relaxed);
  for (std::int64_t until = now_ns() + close_watch_ns; now_ns() < until;) {
    for (int i = 0; i < polls_per_look; ++i) {
      if (progress_.progress()) until = now_ns() + close_watch_ns;
      else cpu_relax();
    }
    if (waiting_threads_.load(std::memory_order_relaxed) != 0 || activity_.load(std::memory_order_relaxed) != seen)
      return true;
    ::sched_yield();
  }
  return false;
}

// Returns whether it is to stop.
bool ProgressThread::pause(std::int64_t ns) {
  std::unique_lock lock(mutex_);
  wakes_.wait_for(lock, std::chrono::nanoseconds(ns),
                  [&] { return stops_.load() || handed_over_.load(std::memory_order_relaxed); });
  return stops_.load();
}

void ProgressThread::hand_over() {
  if (!is_running() || handed_over_.load(std::memory_order_relaxed)) return;
  {
    std::lock_guard lock(mutex_);
    handed_over_.store(true, std::memory_order_relaxed);
  }
  wakes_.notify_all();
  progress_.wake_threads();
}

void ProgressThread::start(std::optional<unsigned> core) {
  std::lock_guard lock(mutex_);
  if (++users_ > 1) return;
  stops_ = false;
  handed_over_.store(false, std::memory_order_relaxed);
  is_running_.store(true, std::memory_order_relaxed);
  thread_ = start_thread("atoll-progress", [this, core] {
    id_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    if (core) bind_thread({*core});
    try {
      run();
    } catch (const PeFailedError&) {
      // Threads that wait are notified themselves.
    }
  });
}

void ProgressThread::stop() {
  {
    std::lock_guard lock(mutex_);
    if (users_ == 0 || --users_ > 0) return;
    stops_ = true;
  }
  wakes_.notify_all();
  progress_.wake_threads();
  thread_.join();
  id_.store({}, std::memory_order_relaxed);
  is_running_.store(false, std::memory_order_relaxed);
}

}  // namespace atl::runtime
