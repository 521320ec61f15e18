// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/programs.hpp"

#include <algorithm>
#include <unordered_map>

#include "atoll/base/random.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"

namespace atl::sim {
namespace {

std::uint64_t hash_of(const std::vector<Programs::Step>& steps) {
  std::uint64_t hash = steps.size();
  for (const Programs::Step& step : steps)
    hash = random_bits(hash ^ step.bytes << 5 ^ std::uint64_t{step.placed} << 4 ^ step.kind, step.peer);
  return hash;
}

}  // namespace

Programs::Programs(const Writer& writer, std::uint32_t pes, std::uint64_t most_bytes) {
  // By hash: where it lies, and how many steps it has.
  std::unordered_multimap<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> known[2];
  std::vector<coll::PlanStep> plan;
  std::vector<Step> forms[2];
  of_pe_.resize(pes);
  for (std::uint32_t pe = 0; pe < pes; ++pe) {
    writer(static_cast<int>(pe), plan);
    for (int form = 0; form < 2; ++form) {
      forms[form].clear();
      for (const coll::PlanStep& step : plan) {
        std::uint32_t peer = 0;
        const bool has_peer = step.kind < Kind::join;
        if (has_peer) peer = form == 1 ? step.peer ^ pe : step.peer >= pe ? step.peer - pe : step.peer + pes - pe;
        forms[form].push_back({step.bytes, static_cast<std::uint64_t>(step.kind) & 15, peer, step.placed ? 1u : 0u});
      }
      forms[form].push_back({0, static_cast<std::uint64_t>(end), 0});
    }
    bool found = false;
    std::uint64_t hashes[2];
    for (int form = 0; form < 2 && !found; ++form) {
      hashes[form] = hash_of(forms[form]);
      auto [at, last] = known[form].equal_range(hashes[form]);
      for (; at != last && !found; ++at) {
        auto [first, count] = at->second;
        if (count != forms[form].size() || !std::equal(forms[form].begin(), forms[form].end(), steps_.begin() + first))
          continue;
        of_pe_[pe] = {first, form == 1};
        found = true;
      }
    }
    if (found) continue;
    for (int form = 0; form < 2; ++form) {
      const auto first = static_cast<std::uint32_t>(steps_.size());
      ATOLL_VALIDATE(
          (steps_.size() + forms[form].size()) * sizeof(Step) <= most_bytes && steps_.size() < (1u << 31), MemoryError,
          "the schedules of {} PEs take more than {}: PE {} alone has {} steps. Simulate fewer PEs or another "
          "algorithm, or allow more memory",
          pes, format_bytes(most_bytes), pe, forms[form].size());
      known[form].emplace(hashes[form], std::pair(first, static_cast<std::uint32_t>(forms[form].size())));
      if (form == 0) of_pe_[pe] = {first, false};
      steps_.insert(steps_.end(), forms[form].begin(), forms[form].end());
    }
  }
  steps_.shrink_to_fit();
}

}  // namespace atl::sim
