// SPDX-License-Identifier: Apache-2.0
// Worker PEs behind a driver: the driver's process is PE 0 of a job and starts the others itself.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/fabric/job.hpp"

namespace atl::runtime {

struct WorkerOptions {
  std::vector<std::string> command;  ///< run as PE 1, 2, …, with the job in its environment
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< in addition
  unsigned threads = 1;  ///< per PE
};

/// Starts PEs 1 … npes-1 and watches them: one that ends before shut-down was requested is marked failed, so that
/// every wait of the job throws PeFailedError. Workers read nothing, write where the driver writes, ignore the
/// terminal's Ctrl-C, and die with the driver whatever kills it.
class WorkerGroup {
 public:
  /// `job` from fabric::Job::create_shm. Throws SetupError when a worker cannot be started (none is left then).
  WorkerGroup(std::shared_ptr<fabric::Job> job, WorkerOptions options);
  /// Ends the job: requests shut-down, and kills what is still there after two seconds.
  ~WorkerGroup();
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;

  /// Starts a PE that has died again. Throws SetupError when it cannot be started.
  void replace(PeId pe);
  /// Ends a PE that does not answer; it is marked as failed soon.
  void kill(PeId pe);

  /// They have nothing more to say: the destructor kills them without waiting.
  void give_up() { grace_ns_.store(0, std::memory_order_relaxed); }

  /// Sends each worker SIGURG, which a process ignores unless it has a handler for it. (Workers ignore the terminal's
  /// SIGINT.)
  void interrupt() const;

  /// By PE, from PE 1.
  const std::vector<pid_t>& pids() const { return pids_; }

 private:
  void watch();
  void start_workers();
  void start_worker(PeId pe);
  void start_replacements();
  void wake_watcher();

  std::shared_ptr<fabric::Job> job_;
  WorkerOptions options_;
  std::vector<pid_t> pids_;
  std::vector<int> watched_;  // pidfd of each worker, -1 when it has ended
  int wake_[2] = {-1, -1};
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> grace_ns_{2'000'000'000};
  std::string start_error_;
  mutable std::mutex mutex_;  // of pids_ and watched_ once they are watched, and of:
  std::condition_variable replaced_;
  std::vector<PeId> wanted_;  // to be started again
  std::string replace_error_;
  std::atomic<bool> started_{false};
  std::thread watcher_;
};

}  // namespace atl::runtime
