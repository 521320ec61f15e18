// SPDX-License-Identifier: Apache-2.0
#include "io/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <string_view>

namespace atl::mpi::io {

void Traffic::count(Count offset, Count moved, std::int64_t time) {
  ++calls;
  bytes += static_cast<std::uint64_t>(moved);
  time_ns += time;
  gaps += calls > 1 && offset != end;
  end = offset + moved;
  auto log4 = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(moved) >> 4) + 1) / 2;
  ++histogram[std::min(log4, sizes - 1)];
}

void Series::add(std::int64_t since_open_ns, std::uint64_t read, std::uint64_t written) {
  while (since_open_ns / bin_ns_ >= static_cast<std::int64_t>(bins)) {
    for (auto* series : {&read_, &written_})
      for (std::size_t i = 0; i < bins; ++i) (*series)[i] = i < bins / 2 ? (*series)[2 * i] + (*series)[2 * i + 1] : 0;
    bin_ns_ *= 2;
  }
  auto bin = static_cast<std::size_t>(since_open_ns / bin_ns_);
  read_[bin] += read, written_[bin] += written;
}

namespace {

// Several threads may count; an atomic addition is cheap beside a system call.
struct Counted {
  std::atomic<std::uint64_t> calls{0}, bytes{0};
  std::atomic<std::int64_t> time_ns{0};
  void add(Count moved, std::int64_t time) {
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(static_cast<std::uint64_t>(moved), std::memory_order_relaxed);
    if (time != 0) time_ns.fetch_add(time, std::memory_order_relaxed);
  }
};
Counted all_read, all_written;

}  // namespace

Totals totals() {
  auto of = [](const auto& counter) { return counter.load(std::memory_order_relaxed); };
  return {of(all_read.calls),    of(all_read.bytes),   of(all_written.calls),
          of(all_written.bytes), of(all_read.time_ns), of(all_written.time_ns)};
}

Moved Statistics::timed_read(int fd, void* to, Count bytes, Count offset) {
  if (!enabled_) [[likely]] {
    Moved moved = read_at(fd, to, bytes, offset);
    all_read.add(moved.bytes, 0);
    return moved;
  }
  std::int64_t start = now_ns();
  Moved moved = read_at(fd, to, bytes, offset);
  std::int64_t end = now_ns();
  all_read.add(moved.bytes, end - start);
  traffic_[0].count(offset, moved.bytes, end - start);
  series_.add(end - opened_ns_, static_cast<std::uint64_t>(moved.bytes), 0);
  return moved;
}

Moved Statistics::timed_write(int fd, const void* from, Count bytes, Count offset) {
  if (!enabled_) [[likely]] {
    Moved moved = write_at(fd, from, bytes, offset);
    all_written.add(moved.bytes, 0);
    return moved;
  }
  std::int64_t start = now_ns();
  Moved moved = write_at(fd, from, bytes, offset);
  std::int64_t end = now_ns();
  all_written.add(moved.bytes, end - start);
  traffic_[1].count(offset, moved.bytes, end - start);
  series_.add(end - opened_ns_, 0, static_cast<std::uint64_t>(moved.bytes));
  return moved;
}

std::string Statistics::json(int rank, const std::string& host) const {
  constexpr std::array<std::string_view, access_kinds> kinds{"independent", "collective", "shared"};
  constexpr std::array<std::string_view, phase_kinds> phases{"wait", "exchange", "file"};
  std::string text =
      fmt::format(R"({{"rank":{},"host":"{}","open_s":{:.6f})", rank, host, static_cast<double>(open_ns()) * 1e-9);
  for (bool writes : {false, true}) {
    const Traffic& one = traffic_[writes];
    text += fmt::format(R"(,"{}":{{"accesses":{},"bytes":{},"time_s":{:.6f},"gaps":{},"sizes":[{}])",
                        writes ? "write" : "read", one.calls, one.bytes, static_cast<double>(one.time_ns) * 1e-9,
                        one.gaps, fmt::join(one.histogram, ","));
    for (std::size_t kind = 0; kind < access_kinds; ++kind)
      text += fmt::format(R"(,"{}":{{"calls":{},"bytes":{}}})", kinds[kind], asked_[kind][writes].calls,
                          asked_[kind][writes].bytes);
    text += "}";
  }
  for (std::size_t phase = 0; phase < phase_kinds; ++phase)
    text += fmt::format(R"(,"{}_s":{:.6f})", phases[phase], static_cast<double>(phases_[phase]) * 1e-9);
  text += fmt::format(R"(,"rewrites":{},"aggregated":{},"bin_s":{:.6f},"read_series":[{}],"write_series":[{}]}})",
                      rewrites_, aggregated_, static_cast<double>(series_.bin_ns()) * 1e-9,
                      fmt::join(series_.read(), ","), fmt::join(series_.written(), ","));
  return text;
}

}  // namespace atl::mpi::io
