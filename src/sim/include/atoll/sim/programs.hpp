// SPDX-License-Identifier: Apache-2.0
// The schedules of all PEs. PEs whose schedules differ only by peer numbers share one copy, with peers as a distance in
// the ring of ranks (dissemination, trees) or as bits of the rank (recursive doubling). 32,768 PEs of a barrier then
// share 30 steps.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/coll/plan.hpp"
#include "atoll/sim/patterns.hpp"

namespace atl::sim {

class Programs {
 public:
  using Kind = coll::PlanStep::Kind;
  static constexpr Kind end = static_cast<Kind>(15);
  /// 16 bytes. `peer` is relative.
  struct Step {
    std::uint64_t bytes : 60;
    std::uint64_t kind : 4;
    std::uint32_t peer;
    std::uint32_t placed = 0;  // 1: see coll::PlanStep
    bool operator==(const Step&) const = default;
  };
  static_assert(sizeof(Step) == 16);
  /// A PE's: its first step, and how its peers are named.
  struct Program {
    std::uint32_t first;
    bool by_bits;
  };

  /// Throws MemoryError when the steps take more than `most_bytes`.
  Programs(const Writer& writer, std::uint32_t pes, std::uint64_t most_bytes);

  Program of(std::uint32_t pe) const { return of_pe_[pe]; }
  const Step* steps() const { return steps_.data(); }
  std::uint64_t bytes() const { return steps_.capacity() * sizeof(Step) + of_pe_.capacity() * sizeof(Program); }
  static std::uint32_t peer(const Step& step, bool by_bits, std::uint32_t pe, std::uint32_t pes) {
    if (by_bits) return step.peer ^ pe;
    const std::uint32_t sum = step.peer + pe;
    return sum >= pes ? sum - pes : sum;
  }

 private:
  std::vector<Step> steps_;
  std::vector<Program> of_pe_;
};

}  // namespace atl::sim
