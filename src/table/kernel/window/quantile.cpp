// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "kernel/window/numbered.hpp"
#include "kernel/window/ranked_set.hpp"
#include "kernel/window/states.hpp"

namespace atl::table {
namespace {

double quantile(const WindowSpec& spec, RankedSet& set, const Numbered& rows) {
  const std::int64_t n = set.size();
  if (n < std::max<std::int64_t>(spec.min_periods, 1)) return no_figure;
  const double place = spec.q * static_cast<double>(n - 1);
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

/// What a thread uses for one block of rows after the other.
struct Scratch {
  std::vector<std::int64_t> low, high;
  Numbered rows;
  RankedSet set;
};

}  // namespace

void window_quantiles(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin, std::int64_t end, std::int64_t block,
                      double* out) {
  if (begin >= end) return;
  const std::int64_t blocks = (end - begin + block - 1) / block;
  std::vector<Scratch> scratch(work.threads.size());
  work.threads.for_each_dynamic(static_cast<std::size_t>(blocks), [&](std::size_t number, unsigned thread) {
    auto& [low, high, numbered, set] = scratch[thread];
    const std::int64_t start = begin + static_cast<std::int64_t>(number) * block, stop = std::min(end, start + block);
    low.resize(static_cast<std::size_t>(stop - start));
    high.resize(low.size());
    WindowBounds(spec, rows).next(start, stop - start, low.data(), high.data());
    const std::int64_t base = low.front();
    numbered.number(rows.x + (base - rows.first), static_cast<std::size_t>(std::max(high.back(), base) - base));
    set.resize(numbered.count());
    std::int64_t first = base, last = base;
    for (std::size_t i = 0; i < low.size(); ++i) {
      for (; last < high[i]; ++last)
        if (const std::uint32_t one = numbered.of_row(static_cast<std::size_t>(last - base)); one != Numbered::missing) set.insert(one);
      for (; first < low[i]; ++first)
        if (const std::uint32_t one = first < last ? numbered.of_row(static_cast<std::size_t>(first - base)) : Numbered::missing; one != Numbered::missing) set.erase(one);
      last = std::max(last, first);
      out[start + static_cast<std::int64_t>(i) - begin] = quantile(spec, set, numbered);
    }
  });
}

}  // namespace atl::table
