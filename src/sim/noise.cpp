// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/noise.hpp"

#include <cmath>

namespace atl::sim {

Noise::Noise(const Machine& machine, std::uint32_t pes, std::uint64_t seed)
    : kind_(machine.noise),
      aligned_(machine.noise_aligned != 0),
      period_(machine.noise_period_ps),
      duration_(machine.noise_duration_ps),
      seed_(random_bits(seed, 0x6E6F697365)),
      trace_(machine.noise_trace) {
  if (kind_ != NoiseKind::random && kind_ != NoiseKind::trace) return;
  next_.resize(pes);
  for (std::uint32_t pe = 0; pe < pes; ++pe) advance(pe, next_[pe]);
}

void Noise::advance(std::uint32_t pe, Interruption& next) const {
  const std::uint64_t key = random_bits(seed_, aligned_ ? 0 : pe);
  if (kind_ == NoiseKind::random) {
    // Of lengths that do not vary, at intervals whose lengths are exponential.
    const double unit = 1.0 - to_unit_interval(random_bits(key, next.number++));
    next.begin = next.end + static_cast<Time>(-std::log(unit) * static_cast<double>(period_ - duration_));
    next.end = next.begin + duration_;
    return;
  }
  // The trace, over and over, from a place of its own on.
  const Time shift = aligned_ ? 0 : to_bounded(key, period_);
  for (;;) {
    const auto [begin, duration] = trace_[next.number % trace_.size()];
    const Time at = next.number / trace_.size() * period_ + begin;
    ++next.number;
    if (at + duration <= shift) continue;
    next.begin = at < shift ? 0 : at - shift;
    next.end = at + duration - shift;
    return;
  }
}

Time Noise::finish_listed(std::uint32_t pe, Time start, Time work) {
  Interruption& next = next_[pe];
  while (next.end <= start) advance(pe, next);
  for (;;) {
    if (start >= next.begin) {
      start = next.end;
    } else if (start + work <= next.begin) {
      return start + work;
    } else {
      work -= next.begin - start;
      start = next.end;
    }
    advance(pe, next);
  }
}

}  // namespace atl::sim
