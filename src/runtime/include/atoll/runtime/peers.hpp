// SPDX-License-Identifier: Apache-2.0
// Waits for other PEs that end when a PE does not answer: how long they last, and which PE they name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"

namespace atl::fabric {
class Job;
}

namespace atl::runtime {

/// Whether a PE of this node is stopped by a signal (SIGSTOP, Ctrl-Z) or a debugger, as the kernel says. False for
/// threads of this process, PEs of other nodes (the network looks after those), and where there is no /proc.
bool is_stopped(const fabric::Job& job, PeId pe);

/// Which PEs keep a wait from ending. `late` have not come to where this PE waits; `all` take part. PEs that are
/// stopped come first, whether they are late or not: others may be late because they wait for these. Else those of
/// `late` that do not wait themselves; else all of `late`.
std::vector<PeId> find_culprits(const fabric::Job& job, std::span<const PeId> late, std::span<const PeId> all);

/// "PE 1, PE 3 (stopped)".
std::string describe(const fabric::Job& job, std::span<const PeId> pes);

/// The time that a wait may take. It counts only while this process runs: after a whole job, or the machine, was
/// suspended, all PEs are patient when they go on.
class Patience {
 public:
  /// `seconds` 0: for ever.
  explicit Patience(double seconds) : seconds_(seconds), look_ns_(period_ns(seconds)), last_ns_(now_ns()) {}

  /// When the wait is to be interrupted for a look.
  Deadline next_look() const { return Deadline::after_ns(look_ns_); }
  /// Counts the time since the last look.
  void look() {
    const std::int64_t now = now_ns();
    spent_ns_ += std::min(now - last_ns_, 2 * look_ns_);
    last_ns_ = now;
  }
  /// Something has moved, or there is nothing to wait for.
  void restart() {
    spent_ns_ = 0;
    last_ns_ = now_ns();
  }
  bool is_over() const { return seconds_ != 0 && static_cast<double>(spent_ns_) >= seconds_ * 1e9; }
  double seconds() const { return seconds_; }

 private:
  // A wait lasts a quarter of its limit, and at most 0.5 s, longer than asked.
  static std::int64_t period_ns(double seconds) {
    constexpr double longest = 0.5;
    return static_cast<std::int64_t>((seconds == 0 ? longest : std::min(longest, seconds / 4)) * 1e9) + 1;
  }

  double seconds_;
  std::int64_t look_ns_;
  std::int64_t last_ns_;
  std::int64_t spent_ns_ = 0;
};

/// For waits without a time-out, which MPI and OpenSHMEM have: looks for a PE of this node that stays stopped
/// meanwhile. A warning names it after 10 s, and the wait goes on; where the user has set ATOLL_PEER_TIMEOUT, a
/// TimeoutError names it after so many seconds.
class StoppedPeers {
 public:
  StoppedPeers(const fabric::Job& job, PeId self);
  /// By any thread that waits, as often as it likes. Throws TimeoutError.
  void look();

 private:
  std::optional<PeId> find() const;

  const fabric::Job& job_;
  PeId self_;
  std::mutex mutex_;
  Deadline next_look_;
  std::optional<PeId> stopped_;
  Patience until_warning_;
  Patience until_error_;
  bool warned_ = false;
};

}  // namespace atl::runtime
