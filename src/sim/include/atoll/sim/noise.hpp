// SPDX-License-Identifier: Apache-2.0
// Operating-system noise: processor time that the system takes from hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/base/random.hpp"
#include "atoll/sim/machine.hpp"

namespace atl::sim {

class Noise {
 public:
  Noise(const Machine& machine, std::uint32_t pes, std::uint64_t seed);
  /// The time at which a processor completes `work` that it begins at `start` or after an interruption. Calls for one
  /// PE have ascending times.
  Time finish(std::uint32_t pe, Time start, Time work) {
    if (kind_ == NoiseKind::none) return start + work;
    return kind_ == NoiseKind::periodic ? finish_periodic(pe, start, work) : finish_listed(pe, start, work);
  }

 private:
  struct Interruption {
    Time begin = 0, end = 0;
    std::uint64_t number = 0;
  };
  Time finish_periodic(std::uint32_t pe, Time start, Time work) const {
    const Time phase = aligned_ ? 0 : to_bounded(random_bits(seed_, pe), period_);
    Time at = (start + phase) % period_;
    if (at < duration_) start += duration_ - at, at = duration_;
    if (work <= period_ - at) return start + work;
    start += period_ - at, work -= period_ - at;
    // From the beginning of an interruption on.
    const Time quiet = period_ - duration_;
    return start + (work - 1) / quiet * period_ + duration_ + (work - 1) % quiet + 1;
  }
  Time finish_listed(std::uint32_t pe, Time start, Time work);
  void advance(std::uint32_t pe, Interruption& next) const;

  NoiseKind kind_;
  bool aligned_;
  Time period_, duration_;
  std::uint64_t seed_;
  const std::vector<std::pair<Time, Time>>& trace_;
  std::vector<Interruption> next_;  // of each PE
};

}  // namespace atl::sim
