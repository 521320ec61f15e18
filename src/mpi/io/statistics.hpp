// SPDX-License-Identifier: Apache-2.0
// Statistics of one rank's accesses to one file: counts, sizes, times. When off, a call costs one test.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "atoll/base/clock.hpp"
#include "io/posix.hpp"

namespace atl::mpi::io {

/// System calls of one direction.
struct Traffic {
  std::uint64_t calls = 0, bytes = 0;
  std::int64_t time_ns = 0;
  std::uint64_t gaps = 0;  ///< calls that did not begin where the previous one ended
  Count end = 0;
  /// Number of calls by size; class i is below 4^(i+1) * 16 bytes.
  static constexpr std::size_t sizes = 12;
  std::array<std::uint64_t, sizes> histogram{};
  void count(Count offset, Count moved, std::int64_t time);
};

/// Totals of this process over all files. Times cover only files with statistics.
struct Totals {
  std::uint64_t reads = 0, read_bytes = 0, writes = 0, written_bytes = 0;
  std::int64_t read_ns = 0, write_ns = 0;
};
Totals totals();

/// Kinds of MPI calls.
enum class Access : std::uint8_t { independent, collective, shared };
inline constexpr std::size_t access_kinds = 3;
struct Asked {
  std::uint64_t calls = 0, bytes = 0;
};

/// Phases of a collective access.
enum class Phase : std::uint8_t { wait, exchange, file };
inline constexpr std::size_t phase_kinds = 3;

/// Bytes over time in a fixed number of bins, whose width doubles when the time exceeds them.
class Series {
 public:
  static constexpr std::size_t bins = 128;
  void add(std::int64_t since_open_ns, std::uint64_t read, std::uint64_t written);
  std::int64_t bin_ns() const { return bin_ns_; }
  const std::array<std::uint64_t, bins>& read() const { return read_; }
  const std::array<std::uint64_t, bins>& written() const { return written_; }

 private:
  std::int64_t bin_ns_ = 10'000'000;
  std::array<std::uint64_t, bins> read_{}, written_{};
};

class Statistics {
 public:
  void enable() {
    if (!enabled_) opened_ns_ = now_ns();
    enabled_ = true;
  }
  bool enabled() const { return enabled_; }

  Moved timed_read(int fd, void* to, Count bytes, Count offset);
  Moved timed_write(int fd, const void* from, Count bytes, Count offset);
  void count_rewrite() { rewrites_ += enabled_; }
  void count_call(Access kind, bool writes, Count bytes) {
    if (!enabled_) return;
    Asked& one = asked_[static_cast<std::size_t>(kind)][writes];
    ++one.calls;
    one.bytes += static_cast<std::uint64_t>(bytes);
  }
  void count_aggregated(Count bytes) {
    if (enabled_) aggregated_ += static_cast<std::uint64_t>(bytes);
  }

  /// Adds its lifetime to a phase.
  class Timer {
   public:
    Timer(Statistics& statistics, Phase phase)
        : to_(statistics.enabled_ ? &statistics.phases_[static_cast<std::size_t>(phase)] : nullptr),
          start_(to_ != nullptr ? now_ns() : 0) {}
    ~Timer() {
      if (to_ != nullptr) *to_ += now_ns() - start_;
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    std::int64_t* to_;
    std::int64_t start_;
  };

  /// Whether a second has passed since the last call that returned true.
  bool due() {
    if (!enabled_) return false;
    std::int64_t now = now_ns();
    if (now - kept_ns_ < 1'000'000'000) return false;
    kept_ns_ = now;
    return true;
  }

  /// All statistics as one line of JSON.
  std::string json(int rank, const std::string& host) const;

  const Traffic& traffic(bool writes) const { return traffic_[writes]; }
  const Asked& asked(Access kind, bool writes) const { return asked_[static_cast<std::size_t>(kind)][writes]; }
  std::int64_t phase_ns(Phase phase) const { return phases_[static_cast<std::size_t>(phase)]; }
  std::uint64_t rewrites() const { return rewrites_; }
  std::uint64_t aggregated() const { return aggregated_; }
  std::int64_t open_ns() const { return now_ns() - opened_ns_; }

 private:
  bool enabled_ = false;
  std::int64_t opened_ns_ = 0, kept_ns_ = 0;
  std::array<Traffic, 2> traffic_;
  std::array<std::array<Asked, 2>, access_kinds> asked_;
  std::array<std::int64_t, phase_kinds> phases_{};
  std::uint64_t rewrites_ = 0, aggregated_ = 0;
  Series series_;
};

}  // namespace atl::mpi::io
