// SPDX-License-Identifier: Apache-2.0
#include "io/plan.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace atl::mpi::io {
namespace {

// Most aggregators per node. More gain nothing, and open more connections to file servers.
constexpr int most_of_a_node = 8;
// Smallest domain that is worth an aggregator.
constexpr Count least_domain = 64 << 10;
// Two ranks that alternate independently in writing 1 MiB runs reach 12 GB/s (page cache), with 64 KiB runs 10.6;
// through an aggregator they reach 5.9.
constexpr Count long_run = 256 << 10;
// Limit for comparing runs one by one.
constexpr std::size_t most_compared = 1 << 20;

Count round_up(Count value, Count to) { return (value + to - 1) / to * to; }

}  // namespace

bool is_interleaved(std::span<const Wish> wishes) {
  std::vector<Wish> some;
  std::ranges::copy_if(wishes, std::back_inserter(some), [](const Wish& wish) { return wish.bytes > 0; });
  std::ranges::sort(some, {}, &Wish::low);
  if (std::ranges::all_of(some, [](const Wish& wish) { return wish.long_runs != 0; })) return false;
  return std::ranges::adjacent_find(some, [](const Wish& a, const Wish& b) { return b.low < a.high; }) != some.end();
}

bool has_long_runs(const Stream& stream, Count at, Count bytes, Count block) {
  // File servers lock whole stripes for one client at a time.
  const Count least = std::max(long_run, block);
  Count most = bytes / least;
  StreamRuns runs(stream, at);
  for (Count left = bytes; left > 0; --most) {
    if (most == 0) return false;
    left -= runs.next(left).bytes;
  }
  return true;
}

std::vector<int> choose_aggregators(const coll::Placement& placement, int wanted) {
  std::vector<int> chosen;
  int per_node = most_of_a_node;
  if (wanted > 0) per_node = std::max(1, (wanted + placement.nodes() - 1) / placement.nodes());
  for (int index = 0; index < per_node; ++index)
    for (int node = 0; node < placement.nodes(); ++node) {
      const auto& members = placement.members(node);
      if (index < static_cast<int>(members.size()) && (wanted <= 0 || static_cast<int>(chosen.size()) < wanted))
        chosen.push_back(members[static_cast<std::size_t>(index)]);
    }
  std::ranges::sort(chosen);
  return chosen;
}

Plan::Window Plan::domain_of(std::size_t aggregator) const {
  Count begin = std::min(low + static_cast<Count>(aggregator) * domain, high);
  return {begin, std::min(begin + domain, high)};
}

Plan::Window Plan::window_of(std::size_t aggregator, Count round) const {
  Window all = domain_of(aggregator);
  Count begin = std::min(all.begin + round * window, all.end);
  return {begin, std::min(begin + window, all.end)};
}

Plan make_plan(std::span<const Wish> wishes, std::size_t aggregators, Count buffer, Count alignment) {
  Plan plan;
  bool any = false;
  for (const Wish& wish : wishes) {
    if (wish.bytes == 0) continue;
    plan.low = any ? std::min(plan.low, wish.low) : wish.low;
    plan.high = any ? std::max(plan.high, wish.high) : wish.high;
    any = true;
  }
  // Domains end at block boundaries of the file system.
  plan.low -= plan.low % alignment;
  Count total = plan.high - plan.low, several = static_cast<Count>(aggregators);
  plan.domain = round_up(std::max((total + several - 1) / several, std::min(total, least_domain)), alignment);
  plan.domain = std::max(plan.domain, alignment);
  plan.window = std::max(round_up(std::min(buffer, plan.domain), alignment), alignment);
  plan.aggregators = aggregators;
  plan.rounds = total == 0 ? 0 : (std::min(plan.domain, total) + plan.window - 1) / plan.window;
  return plan;
}

Range range_in(const Stream& stream, const Wish& wish, const Plan::Window& window) {
  if (wish.bytes == 0 || window.end <= wish.low || window.begin >= wish.high) return {wish.at, wish.at};
  auto clip = [&](Count offset) { return std::clamp(stream.bytes_below(offset), wish.at, wish.at + wish.bytes); };
  return {window.begin <= wish.low ? wish.at : clip(window.begin),
          window.end >= wish.high ? wish.at + wish.bytes : clip(window.end)};
}

bool are_disjoint(std::span<const Stream> streams) {
  if (streams.size() < 2) return true;
  Count extent = streams.front().extent, total = 0;
  for (const Stream& stream : streams) {
    if (stream.extent != extent || extent <= 0) return false;
    total += stream.layout->size;
  }
  if (total > extent) return false;
  // All patterns have the same period, so comparing one period suffices.
  std::vector<Run> runs;
  for (const Stream& stream : streams) {
    StreamRuns walk(stream, 0);
    for (Count left = stream.layout->size; left > 0;) {
      Run run = walk.next(left);
      left -= run.bytes;
      Count begin = (run.offset - streams.front().displacement) % extent;
      if (begin < 0) begin += extent;
      if (begin + run.bytes > extent) {
        runs.push_back({0, begin + run.bytes - extent});
        run.bytes = extent - begin;
      }
      runs.push_back({begin, run.bytes});
      if (runs.size() > most_compared) return false;
    }
  }
  std::ranges::sort(runs, {}, &Run::offset);
  return std::ranges::adjacent_find(runs, [](const Run& a, const Run& b) { return b.offset < a.offset + a.bytes; }) ==
         runs.end();
}

std::vector<Run> merged_runs(std::span<const Stream> streams, std::span<const Range> ranges, std::size_t most) {
  struct Walk {
    StreamRuns runs;
    Count left;
    Run run;
  };
  std::vector<Walk> walks;
  for (std::size_t i = 0; i < streams.size(); ++i)
    if (ranges[i].bytes() > 0) {
      walks.push_back({StreamRuns(streams[i], ranges[i].from), ranges[i].bytes(), {}});
      walks.back().run = walks.back().runs.next(walks.back().left);
    }
  auto later = [&](std::size_t a, std::size_t b) { return walks[a].run.offset > walks[b].run.offset; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
  for (std::size_t i = 0; i < walks.size(); ++i) queue.push(i);
  std::vector<Run> merged;
  while (!queue.empty()) {
    std::size_t first = queue.top();
    queue.pop();
    Walk& walk = walks[first];
    const Run& run = walk.run;
    if (!merged.empty() && run.offset <= merged.back().offset + merged.back().bytes) {
      Run& last = merged.back();
      last.bytes = std::max(last.bytes, run.offset + run.bytes - last.offset);
    } else {
      if (merged.size() == most) return merged;
      merged.push_back(run);
    }
    walk.left -= run.bytes;
    if (walk.left > 0) {
      walk.run = walk.runs.next(walk.left);
      queue.push(first);
    }
  }
  return merged;
}

}  // namespace atl::mpi::io
