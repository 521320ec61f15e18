// SPDX-License-Identifier: Apache-2.0
// What this PE does when PEs of its job have died.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "atoll/fabric/job.hpp"

namespace atl::runtime {

class OneSided;
class Progress;

/// Thread-safe except where said.
class FailureDetector {
 public:
  FailureDetector(OneSided& one_sided, Progress& progress);
  FailureDetector(const FailureDetector&) = delete;
  FailureDetector& operator=(const FailureDetector&) = delete;

  /// Throws PeFailedError when a PE of the job has died. With a failure handler, calls that instead. Two loads.
  void check() {
    if (job_.has_failed() || news_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      check_slowly();
  }
  /// Installs a failure handler. After this, a PE failure no longer throws: check() and waits call `answer`, outside of
  /// handlers and hooks and by one thread at a time, when there is news, and now and then after that for operations
  /// that have begun since. The handler must end the operations that wait for dead PEs. Null: removes it. When a PE
  /// ends the job, calls still throw.
  void answer_news(std::function<void()> answer);
  /// Something else has happened that the failure handler must look at. From handlers too.
  void note_news() { news_.fetch_add(1, std::memory_order_release); }  // partner: check_slowly()
  /// Whether check() may do anything.
  bool has_news() const { return job_.has_failed() || news_.load(std::memory_order_relaxed) != 0; }

 private:
  void check_slowly();
  void skip_abandoned_slots();

  OneSided& one_sided_;
  Progress& progress_;
  fabric::Job& job_;
  std::function<void()> answer_;
  std::atomic<bool> answers_{false};  // there is a failure handler
  std::atomic<bool> answering_{false};  // it is being called
  std::atomic<std::uint32_t> news_{0};  // deaths that were seen, and what was noted
  std::atomic<std::uint32_t> news_answered_{0}, deaths_answered_{0};
  std::atomic<std::int64_t> answer_again_at_ns_{0};
  fabric::RingCount stuck_before_;  // see skip_abandoned_slots(); both are the progress owner's
  std::int64_t stuck_since_ns_ = 0;
};

}  // namespace atl::runtime
