// SPDX-License-Identifier: Apache-2.0
#include "ops/exchange.hpp"

#include <algorithm>

#include "atoll/array/ops/joined.hpp"
#include "atoll/array/ops/reach.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::table {
namespace {

struct Range {
  std::uint64_t begin, end;
};

/// Where each PE's range lies in these groups: borders are quantiles of evenly spaced keys of every PE, which begin a
/// little later on each: PEs with the same groups then give different ones.
std::vector<Range> ranges_of(array::Engine& engine, const Aggregated& mine) {
  // As many for each border, but no more than that from each PE: every PE gets to see all of them.
  const std::size_t samples = std::clamp<std::size_t>(4096 / engine.npes(), 16, 128);
  std::vector<std::uint64_t> sample;
  for (std::size_t k = 0; k < samples && mine.count > 0; ++k)
    sample.push_back(mine.keys[mine.count * (k * engine.npes() + engine.pe()) / (samples * engine.npes())]);
  std::vector<std::uint64_t> pooled = array::allgather_joined(engine, sample);
  std::sort(pooled.begin(), pooled.end());
  std::vector<Range> ranges(engine.npes(), {0, mine.count});
  for (std::uint32_t pe = 1; pe < engine.npes() && !pooled.empty(); ++pe) {
    const std::uint64_t border = pooled[pooled.size() * pe / engine.npes()];
    const std::uint64_t* at = std::lower_bound(mine.keys.begin(), mine.keys.end(), border);
    ranges[pe].begin = ranges[pe - 1].end = static_cast<std::uint64_t>(at - mine.keys.begin());
  }
  return ranges;
}

/// Groups of other nodes, brought here: those of one PE behind those of the one before.
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

  std::size_t far = 0;
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe)
    if (!keys.maps(pe)) far += ranges[pe].end - ranges[pe].begin;
  Fetched fetched;
  engine.together([&] {
    fetched.keys = Buffer<std::uint64_t>(engine.memory(), far);
    for (const StateSpec& spec : specs) fetched.states.emplace_back(engine.memory(), far * spec.bytes());
  });
  far = 0;
  std::vector<GroupsView> parts;
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
    const auto [begin, end] = ranges[pe];
    const std::size_t n = end - begin;
    GroupsView part{n, nullptr, {}};
    if (keys.maps(pe)) {
      part.keys = reinterpret_cast<const std::uint64_t*>(keys.mapped(pe)) + begin;
      for (std::size_t i = 0; i < specs.size(); ++i)
        part.states.push_back(states[i].mapped(pe) + begin * specs[i].bytes());
      if (pe != engine.pe()) {
        engine.count_got(n * sizeof(std::uint64_t));
        for (const StateSpec& spec : specs) engine.count_got(n * spec.bytes());
      }
    } else {
      part.keys = fetched.keys.data() + far;
      keys.start_get(fetched.keys.data() + far, pe, begin * sizeof(std::uint64_t), n * sizeof(std::uint64_t));
      for (std::size_t i = 0; i < specs.size(); ++i) {
        std::byte* to = fetched.states[i].data() + far * specs[i].bytes();
        states[i].start_get(to, pe, begin * specs[i].bytes(), n * specs[i].bytes());
        part.states.push_back(to);
      }
      far += n;
    }
    if (n > 0) parts.push_back(std::move(part));
  }
  keys.complete();
  Aggregated joined;
  engine.together([&] { joined = join(engine.work(), parts, specs); });
  engine.barrier();  // no PE reads `mine` any more
  // Few, and only where a PE has the group: but each PE may have any.
  for (const auto& rests : engine.allgather_vector(mine.rests))
    joined.rests.insert(joined.rests.end(), rests.begin(), rests.end());
  return joined;
}

}  // namespace atl::table
