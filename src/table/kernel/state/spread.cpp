// SPDX-License-Identifier: Apache-2.0
// The range of a column's finite values, and whether it has others.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/state/spread.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/table/kernel/state.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four accumulators of each kind: a minimum waits four cycles for the one before it.
HWY_ATTR Spread spread_of_doubles(const double* values, std::size_t n) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto low0 = hn::Set(d, infinity), high0 = hn::Set(d, -infinity);
  decltype(hn::Zero(d)) low[4] = {low0, low0, low0, low0}, high[4] = {high0, high0, high0, high0};
  auto odd = hn::Zero(d);  // x - x is 0 for finite x alone
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (std::size_t k = 0; k < 4; ++k) {
      const auto x = hn::LoadU(d, values + i + k * lanes);
      odd = hn::Or(odd, hn::Sub(x, x));
      low[k] = hn::Min(low[k], x);
      high[k] = hn::Max(high[k], x);
    }
  }
  const hn::RebindToUnsigned<decltype(d)> du;
  bool special = !hn::AllTrue(du, hn::Eq(hn::BitCast(du, odd), hn::Zero(du)));
  double least = infinity, greatest = -infinity;
  for (std::size_t k = 0; k < 4; ++k) {
    alignas(64) double lows[8], highs[8];
    hn::Store(low[k], d, lows);
    hn::Store(high[k], d, highs);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      least = lows[lane] < least ? lows[lane] : least;
      greatest = highs[lane] > greatest ? highs[lane] : greatest;
    }
  }
  if (special) {  // once more, without them
    least = infinity, greatest = -infinity;
    i = 0;
  }
  for (; i < n; ++i) {
    const double x = values[i];
    if (!(x - x == 0)) {
      special = true;
      continue;
    }
    least = x < least ? x : least;
    greatest = x > greatest ? x : greatest;
  }
  return {least, greatest, special};
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {

HWY_EXPORT(spread_of_doubles);

namespace {

/// Calls body(values, n, thread) for blocks of the column as doubles.
template <class Body>
void for_doubles(array::Work work, const Column& column, std::size_t n, Body&& body) {
  array::Polling polling(work);
  polling.for_ranges(n, array::CompositeKey::share, [&](std::size_t begin, std::size_t end, unsigned lane) {
    double converted[block_rows];
    std::uint64_t scratch[block_rows];
    array::Pace pace(polling, lane);
    for (std::size_t at = begin; at < end; at += block_rows) {
      const std::size_t count = std::min(block_rows, end - at);
      pace.done(count);
      const std::uint64_t* words = load_words(column, at, count, scratch);
      body(as_doubles(wide_of(column.type), words, count, converted), count, lane);
    }
  });
}

Spread spread_of_rows(const Column& column, std::size_t begin, std::size_t n) {
  Spread all = Spread::none();
  double converted[block_rows];
  std::uint64_t scratch[block_rows];
  for (std::size_t at = begin; at < begin + n; at += block_rows) {
    const std::size_t count = std::min(block_rows, begin + n - at);
    const std::uint64_t* words = load_words(column, at, count, scratch);
    all.join(HWY_DYNAMIC_DISPATCH(spread_of_doubles)(as_doubles(wide_of(column.type), words, count, converted), count));
  }
  return all;
}

}  // namespace

Spread spread_of(array::Work work, const Column& column, std::size_t n) {
  std::vector<Spread> lanes(work.threads.size(), Spread::none());
  for_doubles(work, column, n, [&](const double* values, std::size_t count, unsigned lane) {
    lanes[lane].join(HWY_DYNAMIC_DISPATCH(spread_of_doubles)(values, count));
  });
  Spread all = Spread::none();
  for (const Spread& lane : lanes) all.join(lane);
  return all;
}

Spread sample_spread(const Column& column, std::size_t n) {
  constexpr std::size_t run = 64, runs = 32;
  if (n <= run * runs) return spread_of_rows(column, 0, n);
  Spread all = Spread::none();
  for (std::size_t i = 0; i < runs; ++i) all.join(spread_of_rows(column, (n - run) * i / (runs - 1), run));
  return all;
}

double least_magnitude(array::Work work, const Column& column, std::size_t n) {
  std::vector<double> lanes(work.threads.size(), std::numeric_limits<double>::infinity());
  for_doubles(work, column, n, [&](const double* values, std::size_t count, unsigned lane) {
    double least = lanes[lane];
    for (std::size_t i = 0; i < count; ++i) {
      const double magnitude = std::abs(values[i]);
      if (magnitude != 0 && magnitude < least) least = magnitude;
    }
    lanes[lane] = least;
  });
  return *std::min_element(lanes.begin(), lanes.end());
}

}  // namespace atl::table
#endif
