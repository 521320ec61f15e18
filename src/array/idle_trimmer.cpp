// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/idle_trimmer.hpp"

#include "atoll/base/config.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::array {

IdleTrimmer::IdleTrimmer(std::shared_ptr<runtime::Context> context, const std::atomic<std::uint64_t>& operations)
    : context_(std::move(context)), operations_(operations) {
  const double seconds = config::seconds(config::Variable::pool_idle);
  if (seconds <= 0) return;
  thread_ = start_thread("atoll-trim", [this, seconds] { watch(seconds); });
}

IdleTrimmer::~IdleTrimmer() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void IdleTrimmer::watch(double seconds) {
  const auto period = std::chrono::duration<double>(seconds);
  std::uint64_t seen = operations_.load(std::memory_order_relaxed);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, period, [this] { return stop_; })) {
    const std::uint64_t now = operations_.load(std::memory_order_relaxed);
    if (now == seen) context_->heap().trim();
    seen = now;
  }
}

}  // namespace atl::array
