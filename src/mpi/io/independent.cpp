// SPDX-License-Identifier: Apache-2.0
#include "io/independent.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace atl::mpi::io {
namespace {

// A separate call costs about as much as moving this many unrequested bytes.
constexpr Count gap_bytes = 4096;

/// Runs that one sieved access covers.
struct Group {
  std::vector<Run> runs;
  Count bytes = 0;
  Count start() const { return runs.front().offset; }
  Count span() const { return runs.back().offset + runs.back().bytes - start(); }
};

/// Collects the next runs of `left` bytes that lie within `room` bytes of the first.
void gather(StreamRuns& runs, Run& ahead, Count left, Count room, Group& group) {
  group.runs.clear();
  group.bytes = 0;
  while (left > 0) {
    if (ahead.bytes == 0) ahead = runs.next(left);
    if (ahead.bytes == 0) return;
    // Filetypes ascend; a run that does not ascend starts a new group.
    if (!group.runs.empty() && (ahead.offset < group.start() || ahead.offset + ahead.bytes - group.start() > room))
      return;
    Run run{ahead.offset, std::min(ahead.bytes, left)};
    group.runs.push_back(run);
    group.bytes += run.bytes;
    left -= run.bytes;
    ahead = {};
  }
}

bool worth_sieving(const Group& group, Choice choice) {
  if (group.runs.size() < 2 || choice == Choice::disable) return false;
  if (choice == Choice::enable) return true;
  return group.span() - group.bytes < static_cast<Count>(group.runs.size()) * gap_bytes;
}

Moved read_runs(const Device& device, const Stream& stream, Count at, std::byte* to, Count bytes) {
  StreamRuns runs(stream, at);
  Moved moved;
  Run ahead;
  Group group;
  std::unique_ptr<std::byte[]> sieve;
  while (moved.bytes < bytes) {
    gather(runs, ahead, bytes - moved.bytes, device.hints.read_buffer, group);
    if (group.runs.empty()) break;
    if (worth_sieving(group, device.hints.sieve_read)) {
      if (!sieve)
        sieve = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(device.hints.read_buffer));
      Moved got = device.statistics.timed_read(device.fd, sieve.get(), group.span(), group.start());
      for (const Run& run : group.runs) {
        Count there = std::clamp(got.bytes - (run.offset - group.start()), Count{0}, run.bytes);
        std::memcpy(to + moved.bytes, sieve.get() + (run.offset - group.start()), static_cast<std::size_t>(there));
        moved.bytes += there;
        if (there < run.bytes) return {moved.bytes, got.error};
      }
      continue;
    }
    for (const Run& run : group.runs) {
      Moved got = device.statistics.timed_read(device.fd, to + moved.bytes, run.bytes, run.offset);
      moved.bytes += got.bytes;
      if (got.bytes < run.bytes) return {moved.bytes, got.error};
    }
  }
  return moved;
}

/// Reads the span of the group, replaces the runs, writes the span back. Returns the written bytes of the runs.
Moved rewrite(const Device& device, const Group& group, const std::byte* from, std::byte* sieve) {
  RangeLock lock(device.fd, group.start(), group.span(), RangeLock::Mode::exclusive);
  Moved got = device.statistics.timed_read(device.fd, sieve, group.span(), group.start());
  if (got.error != 0) return {0, got.error};
  std::memset(sieve + got.bytes, 0, static_cast<std::size_t>(group.span() - got.bytes));
  Count at = 0;
  for (const Run& run : group.runs) {
    std::memcpy(sieve + (run.offset - group.start()), from + at, static_cast<std::size_t>(run.bytes));
    at += run.bytes;
  }
  device.statistics.count_rewrite();
  Moved put = device.statistics.timed_write(device.fd, sieve, group.span(), group.start());
  Moved moved{0, put.error};
  for (const Run& run : group.runs)
    moved.bytes += std::clamp(put.bytes - (run.offset - group.start()), Count{0}, run.bytes);
  return moved;
}

Moved write_runs(const Device& device, const Stream& stream, Count at, const std::byte* from, Count bytes) {
  StreamRuns runs(stream, at);
  Moved moved;
  Run ahead;
  Group group;
  std::unique_ptr<std::byte[]> sieve;
  while (moved.bytes < bytes) {
    gather(runs, ahead, bytes - moved.bytes, device.hints.write_buffer, group);
    if (group.runs.empty()) break;
    if (device.may_rewrite && worth_sieving(group, device.hints.sieve_write)) {
      if (!sieve)
        sieve = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(device.hints.write_buffer));
      Moved put = rewrite(device, group, from + moved.bytes, sieve.get());
      moved.bytes += put.bytes;
      if (put.error != 0) return {moved.bytes, put.error};
      continue;
    }
    for (const Run& run : group.runs) {
      Moved put = device.statistics.timed_write(device.fd, from + moved.bytes, run.bytes, run.offset);
      moved.bytes += put.bytes;
      if (put.error != 0) return {moved.bytes, put.error};
    }
  }
  return moved;
}

// Size of the buffer through which regions with gaps are transferred.
constexpr Count staging_bytes = 4 << 20;

}  // namespace

Moved read_stream(const Device& device, const Stream& stream, Count at, const Region& region, void* base) {
  auto* memory = static_cast<std::byte*>(base);
  if (region.contiguous()) return read_runs(device, stream, at, memory + region.layout->offset, region.size());
  Count room = std::min(region.size(), staging_bytes);
  auto staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(room));
  Moved moved;
  while (moved.bytes < region.size()) {
    Count part = std::min(room, region.size() - moved.bytes);
    Moved got = read_runs(device, stream, at + moved.bytes, staging.get(), part);
    datatype::unpack(region, base, moved.bytes, moved.bytes + got.bytes, staging.get());
    moved.bytes += got.bytes;
    moved.error = got.error;
    if (got.bytes < part) break;
  }
  return moved;
}

Moved write_stream(const Device& device, const Stream& stream, Count at, const Region& region, const void* base) {
  auto* memory = static_cast<const std::byte*>(base);
  if (region.contiguous()) return write_runs(device, stream, at, memory + region.layout->offset, region.size());
  Count room = std::min(region.size(), staging_bytes);
  auto staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(room));
  Moved moved;
  while (moved.bytes < region.size()) {
    Count part = std::min(room, region.size() - moved.bytes);
    datatype::pack(region, base, moved.bytes, moved.bytes + part, staging.get());
    Moved put = write_runs(device, stream, at + moved.bytes, staging.get(), part);
    moved.bytes += put.bytes;
    moved.error = put.error;
    if (put.bytes < part) break;
  }
  return moved;
}

}  // namespace atl::mpi::io
