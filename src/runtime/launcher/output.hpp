// SPDX-License-Identifier: Apache-2.0
// Joins the output of several PEs line by line, so that lines of two PEs never mix.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/runtime/launcher.hpp"

namespace atl::runtime {

/// The way to one file descriptor (standard output or standard error) that all PEs share.
class LineMerger {
 public:
  LineMerger(int descriptor, std::uint32_t npes, Labels labels);

  /// Takes what a PE wrote; whole lines go out at once, the rest waits for its end.
  void take(std::uint32_t pe, std::string_view text);
  /// Sends an unfinished line on when its PE has said nothing for a while: a prompt, a progress bar. On a terminal that is
  /// soon; elsewhere nobody waits for it, and a PE that just has to wait for its core keeps its line whole.
  void flush_idle(std::int64_t now_ns);
  /// The PE will write no more.
  void finish(std::uint32_t pe);

 private:
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
  std::vector<Line> lines_;
  std::int64_t open_ = -1;  // the PE whose unfinished line is the last thing written
};

/// A line of the launcher's own, on standard error.
void say(const std::string& text);

}  // namespace atl::runtime
