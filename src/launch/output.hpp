// SPDX-License-Identifier: Apache-2.0
// Joins the output of several PEs line by line, so that lines of two PEs never mix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/launch/launcher.hpp"

namespace atl::runtime {

/// The way to one file descriptor (standard output or standard error) that all PEs share.
class LineMerger {
 public:
  /// `shown_pe`: output of the others of the `npes` is dropped. PEs may come later, with higher numbers.
  LineMerger(int descriptor, std::uint32_t npes, Labels labels, std::optional<std::uint32_t> shown_pe = std::nullopt);

  /// Takes what a PE wrote; whole lines go out at once, the rest waits for its end.
  void take(std::uint32_t pe, std::string_view text);
  /// Sends an unfinished line on when its PE has said nothing for a while: a prompt, a progress bar. On a terminal that
  /// is soon; elsewhere there is no reader in a hurry, and a PE that only waits for its core keeps its line whole.
  void flush_idle(std::int64_t now_ns);
  /// The PE will write no more.
  void finish(std::uint32_t pe);
  /// The first PE whose output was dropped although it differs from that of the PE that is shown.
  std::optional<std::uint32_t> dropped_pe() const;

 private:
  /// What a PE has written, as count and FNV-1a hash: enough to tell whether two PEs wrote the same.
  struct Digest {
    std::uint64_t bytes = 0;
    std::uint64_t hash = 0xCBF29CE484222325;
    void add(std::string_view text);
    bool operator==(const Digest&) const = default;
  };
  struct Line {
    std::string text;
    std::int64_t since_ns = 0;
  };
  void begin_line(std::uint32_t pe);
  void send_unfinished(std::uint32_t pe);
  void write(std::string_view text);

  int descriptor_;
  std::int64_t idle_ns_;
  Labels labels_;
  std::optional<std::uint32_t> shown_pe_;
  std::vector<Digest> digests_;  // of each PE; empty when all are shown
  std::vector<Line> lines_;
  std::int64_t open_ = -1;  // the PE whose unfinished line is the last thing written
};

/// Says on standard error when a PE wrote something that was not shown.
void report_dropped_output(const LineMerger& merger);

/// A line of the launcher's own, on standard error.
void say(const std::string& text);

}  // namespace atl::runtime
