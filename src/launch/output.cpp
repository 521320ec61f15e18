// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "atoll/base/clock.hpp"

namespace atl::runtime {
namespace {
constexpr std::int64_t idle_on_terminal_ns = 100'000'000;
constexpr std::int64_t idle_elsewhere_ns = 2'000'000'000;
constexpr std::size_t longest_held = std::size_t{1} << 20;
}  // namespace

LineMerger::LineMerger(int descriptor, std::uint32_t npes, Labels labels, std::optional<std::uint32_t> shown_pe)
    : descriptor_(descriptor),
      idle_ns_(::isatty(descriptor) == 1 ? idle_on_terminal_ns : idle_elsewhere_ns),
      labels_(labels),
      shown_pe_(shown_pe),
      digests_(shown_pe ? npes : 0),
      lines_(npes) {}

void LineMerger::Digest::add(std::string_view text) {
  bytes += text.size();
  for (unsigned char byte : text) hash = (hash ^ byte) * 0x100000001B3;
}

std::optional<std::uint32_t> LineMerger::dropped_pe() const {
  for (std::uint32_t pe = 0; pe < digests_.size(); ++pe)
    if (digests_[pe].bytes != 0 && digests_[pe] != digests_[*shown_pe_]) return pe;
  return std::nullopt;
}

void LineMerger::write(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{descriptor_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return;  // the reader has closed it
    }
  }
}

// Makes sure that what follows continues this PE's line, or begins one.
void LineMerger::begin_line(std::uint32_t pe) {
  if (open_ == pe) return;
  if (open_ >= 0) {
    write("\n");
    open_ = -1;
  }
  if (labels_ == Labels::yes) write(fmt::format("[{}] ", pe));
}

void LineMerger::take(std::uint32_t pe, std::string_view text) {
  if (pe < digests_.size()) {
    digests_[pe].add(text);
    if (pe != *shown_pe_) return;
  }
  if (pe >= lines_.size()) lines_.resize(pe + 1);
  Line& line = lines_[pe];
  std::size_t end = text.rfind('\n');
  if (end != std::string_view::npos) {
    std::string_view whole = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    std::string out = std::move(line.text);
    line.text.clear();
    out += whole;
    begin_line(pe);
    if (labels_ == Labels::yes) {
      std::string labelled;
      for (std::size_t at = 0; at < out.size();) {
        std::size_t next = out.find('\n', at) + 1;
        if (at != 0) labelled += fmt::format("[{}] ", pe);
        labelled.append(out, at, next - at);
        at = next;
      }
      out = std::move(labelled);
    }
    write(out);
    open_ = -1;
  }
  if (text.empty()) return;
  line.text += text;
  line.since_ns = now_ns();
  if (line.text.size() > longest_held) send_unfinished(pe);
}

void LineMerger::flush_idle(std::int64_t now) {
  for (std::uint32_t pe = 0; pe < lines_.size(); ++pe)
    if (!lines_[pe].text.empty() && now - lines_[pe].since_ns >= idle_ns_) send_unfinished(pe);
}

void LineMerger::send_unfinished(std::uint32_t pe) {
  begin_line(pe);
  write(lines_[pe].text);
  lines_[pe].text.clear();
  open_ = pe;
}

void LineMerger::finish(std::uint32_t pe) {
  if (pe >= lines_.size() || lines_[pe].text.empty()) return;
  begin_line(pe);
  write(lines_[pe].text + "\n");
  lines_[pe].text.clear();
  open_ = -1;
}

void report_dropped_output(const LineMerger& merger) {
  if (auto pe = merger.dropped_pe())
    say(fmt::format(
        "standard output of PE {} was not shown, and differs from what is shown. `--output all` shows all PEs", *pe));
}

void say(const std::string& text) {
  std::string line = "atoll-run: " + text + "\n";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace atl::runtime
