// SPDX-License-Identifier: Apache-2.0
#include "kernel/window/numbered.hpp"
#include "kernel/window/ranked_set.hpp"

namespace atl::table {
namespace {

struct Quantiles {
  Numbered rows;
  RankedSet set;

  void start() { set.resize(rows.count()); }
  double figure(const WindowSpec& spec, std::uint32_t) {
    const double place = spec.q * static_cast<double>(set.size() - 1);
    const auto below = static_cast<std::int64_t>(place);
    const double share = place - static_cast<double>(below);
    const std::size_t low = set.at(below);
    const double value = rows.value(low);
    if (share == 0) return value;
    const double next = rows.value(set.after(low));
    switch (spec.interpolation) {
      case Interpolation::linear: return value + (next - value) * share;
      case Interpolation::lower: return value;
      case Interpolation::higher: return next;
      case Interpolation::midpoint: return value / 2 + next / 2;
      case Interpolation::nearest: return share < 0.5 || (share == 0.5 && below % 2 == 0) ? value : next;
    }
    return value;
  }
};

}  // namespace

void window_quantiles(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                      std::int64_t end, std::int64_t block, double* out) {
  for_numbered_windows<Quantiles>(work, spec, rows, begin, end, block, out);
}

}  // namespace atl::table
