// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/parallel.hpp"

#include <utility>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/thread.hpp"

namespace atl {
namespace {

// Spins up to `spin_ns`, then sleeps in the kernel until `word` differs from `seen`.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::int64_t spin_ns) {
  if (spin_ns > 0) {
    std::int64_t until = now_ns() + spin_ns;
    do {
      for (int i = 0; i < 64; ++i) {
        if (word.load(std::memory_order_acquire) != seen) return;
        cpu_relax();
      }
    } while (now_ns() < until);
  }
  while (word.load(std::memory_order_acquire) == seen) word.wait(seen, std::memory_order_acquire);
}

std::int64_t spin_ns() {
  static const std::int64_t ns = config::integer(config::Variable::spin_us) * 1000;
  return ns;
}

void end(std::vector<std::thread>& workers, std::atomic<bool>& stop, std::atomic<std::uint32_t>& epoch) {
  stop.store(true, std::memory_order_relaxed);
  epoch.fetch_add(1, std::memory_order_release);
  epoch.notify_all();
  for (auto& worker : workers) worker.join();
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) {
  try {
    for (unsigned thread = 1; thread < threads; ++thread)
      workers_.push_back(start_thread("atoll-worker", [this, thread] { work(thread); }));
  } catch (...) {
    end(workers_, stop_, epoch_);
    throw;
  }
}

ThreadPool::~ThreadPool() { end(workers_, stop_, epoch_); }

void ThreadPool::run(Entry entry, void* context) {
  entry_ = entry;
  context_ = context;
  pending_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  try {
    entry(context, 0);
  } catch (...) {
    std::lock_guard lock(failure_mutex_);
    failure_ = std::current_exception();
  }
  for (;;) {
    std::uint32_t left = pending_.load(std::memory_order_acquire);
    if (left == 0) break;
    wait_for_change(pending_, left, spin_ns());
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::work(unsigned thread) {
  std::uint32_t seen = 0;
  for (;;) {
    wait_for_change(epoch_, seen, spin_ns());
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    try {
      entry_(context_, thread);
    } catch (...) {
      std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    pending_.fetch_sub(1, std::memory_order_release);
    pending_.notify_one();
  }
}

}  // namespace atl
