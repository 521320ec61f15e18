// SPDX-License-Identifier: Apache-2.0
#include "ops/exchange.hpp"

#include <algorithm>

#include "atoll/array/ops/reach.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::table {
namespace {

struct Range {
  std::uint64_t begin, end;
};

/// Where each PE's range lies in these groups: borders are quantiles of evenly spaced keys of every PE.
std::vector<Range> ranges_of(array::Engine& engine, const Aggregated& mine) {
  constexpr std::size_t samples = 128;
  std::vector<std::uint64_t> sample;
  for (std::size_t k = 0; k < samples && mine.count > 0; ++k) sample.push_back(mine.keys[mine.count * k / samples]);
  std::vector<std::uint64_t> pooled;
  for (const auto& part : engine.allgather_vector(sample)) pooled.insert(pooled.end(), part.begin(), part.end());
  std::sort(pooled.begin(), pooled.end());
  std::vector<Range> ranges(engine.npes(), {0, mine.count});
  for (std::uint32_t pe = 1; pe < engine.npes() && !pooled.empty(); ++pe) {
    const std::uint64_t border = pooled[pooled.size() * pe / engine.npes()];
    const std::uint64_t* at = std::lower_bound(mine.keys.begin(), mine.keys.end(), border);
    ranges[pe].begin = ranges[pe - 1].end = static_cast<std::uint64_t>(at - mine.keys.begin());
  }
  return ranges;
}

/// One PE's groups of a range, brought here when they lie on another node.
struct Fetched {
  Buffer<std::uint64_t> keys;
  std::vector<Buffer<std::byte>> states;
};

}  // namespace

Aggregated join_pes(array::Engine& engine, const Aggregated& mine, std::span<const StateSpec> specs) {
  const array::Reach keys(engine, mine.keys.data());
  std::vector<array::Reach> states;
  for (const auto& buffer : mine.states) states.emplace_back(engine, buffer.data());
  const std::vector<Range> ranges = engine.communicator().alltoall(ranges_of(engine, mine));

  std::vector<Fetched> fetched(engine.npes());
  engine.together([&] {
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      if (keys.maps(pe)) continue;
      const std::size_t n = ranges[pe].end - ranges[pe].begin;
      fetched[pe].keys = Buffer<std::uint64_t>(engine.memory(), n);
      for (const StateSpec& spec : specs) fetched[pe].states.emplace_back(engine.memory(), n * spec.bytes());
    }
  });
  std::vector<GroupsView> parts;
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
    const auto [begin, end] = ranges[pe];
    const std::size_t n = end - begin;
    GroupsView part{n, nullptr, {}};
    if (keys.maps(pe)) {
      part.keys = reinterpret_cast<const std::uint64_t*>(keys.mapped(pe)) + begin;
      for (std::size_t i = 0; i < specs.size(); ++i) part.states.push_back(states[i].mapped(pe) + begin * specs[i].bytes());
      if (pe != engine.pe()) {
        engine.count_got(n * sizeof(std::uint64_t));
        for (const StateSpec& spec : specs) engine.count_got(n * spec.bytes());
      }
    } else {
      keys.start_get(fetched[pe].keys.data(), pe, begin * sizeof(std::uint64_t), n * sizeof(std::uint64_t));
      part.keys = fetched[pe].keys.data();
      for (std::size_t i = 0; i < specs.size(); ++i) {
        states[i].start_get(fetched[pe].states[i].data(), pe, begin * specs[i].bytes(), n * specs[i].bytes());
        part.states.push_back(fetched[pe].states[i].data());
      }
    }
    if (n > 0) parts.push_back(std::move(part));
  }
  keys.complete();
  Aggregated joined;
  engine.together([&] { joined = join(engine.work(array::Interruptible::no), parts, specs); });
  engine.barrier();  // nobody reads `mine` any more
  // Few, and only where a PE has the group: but each PE may have any.
  for (const auto& rests : engine.allgather_vector(mine.rests)) joined.rests.insert(joined.rests.end(), rests.begin(), rests.end());
  return joined;
}

}  // namespace atl::table
