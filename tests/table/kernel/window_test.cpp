// SPDX-License-Identifier: Apache-2.0
// Windows, running states and places of rows against loops over each window.
#include "atoll/table/kernel/window/window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "atoll/base/random.hpp"
#include "atoll/table/kernel/window/cumulate.hpp"
#include "atoll/table/kernel/window/places.hpp"
#include "atoll/table/kernel/window/scan.hpp"

namespace atl::table {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Windows : public testing::TestWithParam<unsigned> {
 protected:
  Windows() {
    SequentialRandom random(7);
    std::int64_t time = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = random.below(9) == 0 ? nan : static_cast<double>(random.below(50));
      segments[i] = (i > 0 ? segments[i - 1] : 0) + (random.below(40) == 0 ? 1 : 0);
      times[i] = time += static_cast<std::int64_t>(random.below(4));
    }
  }
  WindowRows rows(bool by_segment) const {
    return {0, static_cast<std::int64_t>(n), x.data(), nullptr, by_segment ? segments.data() : nullptr, times.data()};
  }
  /// Values that lie in the window of a row.
  std::vector<double> window(const WindowSpec& spec, const WindowRows& all, std::int64_t row) const {
    const WindowBounds bounds(spec, all);
    std::vector<double> values;
    for (std::int64_t other = 0; other < all.count; ++other) {
      if (all.segments != nullptr && segments[other] != segments[row]) continue;
      if (!bounds.is_before(other, row) && bounds.is_within(other, row) && x[other] == x[other])
        values.push_back(x[other]);
    }
    return values;
  }

  /// What the last row of a row's window has.
  double last_of(const WindowSpec& spec, const WindowRows& all, std::int64_t row) const {
    const WindowBounds bounds(spec, all);
    for (std::int64_t other = all.count - 1; other >= 0; --other)
      if ((all.segments == nullptr || segments[other] == segments[row]) && !bounds.is_before(other, row) &&
          bounds.is_within(other, row))
        return x[other];
    return nan;
  }

  static constexpr std::size_t n = 700;
  std::vector<double> x = std::vector<double>(n);
  std::vector<std::int64_t> segments = std::vector<std::int64_t>(n), times = std::vector<std::int64_t>(n);
  ThreadPool pool_{GetParam()};
  SystemMemory memory_;
  array::Monitor monitor_;
  array::Work work_{pool_, memory_, monitor_};
};

TEST_P(Windows, AreThoseOfALoop) {
  for (const Frame frame : {Frame::rows, Frame::range})
    for (const std::int64_t size : {1, 2, 7, 64, 900})
      for (const int ends : {0, 1, 2, 3})
        for (const bool centred : {false, true})
          for (const bool by_segment : {false, true}) {
            WindowSpec spec;
            spec.frame = frame;
            spec.size = size;
            spec.left_closed = (ends & 1) != 0;
            spec.right_closed = (ends & 2) != 0;
            spec.centred = centred;
            const WindowRows all = rows(by_segment);
            const std::int64_t begin = 13, end = static_cast<std::int64_t>(n) - 5,
                               widest = widest_window(work_, spec, all, begin, end);
            std::vector<double> sums(n), most(n), medians(n), less(n), same(n);
            spec.min_periods = 0;
            slide(work_, spec, all, begin, end, std::max<std::int64_t>(widest, 32), sums.data());
            spec.min_periods = 1;
            spec.figure = WindowFigure::max;
            slide(work_, spec, all, begin, end, std::max<std::int64_t>(widest, 32), most.data());
            spec.figure = WindowFigure::quantile;
            window_quantiles(work_, spec, all, begin, end, 50, medians.data());
            spec.figure = WindowFigure::less;
            window_places(work_, spec, all, begin, end, 50, less.data());
            spec.figure = WindowFigure::same;
            window_places(work_, spec, all, begin, end, 50, same.data());
            for (std::int64_t row = begin; row < end; row += 3) {
              std::vector<double> values = window(spec, all, row);
              std::sort(values.begin(), values.end());
              double sum = 0;
              for (const double value : values) sum += value;
              const auto at = static_cast<std::size_t>(row - begin);
              ASSERT_EQ(sums[at], sum) << "row " << row << " of " << size << " ends " << ends;  // whole numbers
              ASSERT_LE(static_cast<std::int64_t>(values.size()), widest);
              if (values.empty()) {
                ASSERT_TRUE(std::isnan(most[at]) && std::isnan(medians[at]));
                continue;
              }
              ASSERT_EQ(most[at], values.back());
              const std::size_t half = (values.size() - 1) / 2;
              ASSERT_EQ(medians[at], values.size() % 2 == 1 ? values[half] : (values[half] + values[half + 1]) / 2);
              const double last = last_of(spec, all, row);
              ASSERT_EQ(std::isnan(less[at]), std::isnan(last));
              if (std::isnan(last)) continue;
              ASSERT_EQ(less[at],
                        std::count_if(values.begin(), values.end(), [&](double value) { return value < last; }));
              ASSERT_EQ(same[at], std::count(values.begin(), values.end(), last));
            }
          }
}

// Their first bits are the same: numbers of rows take the place of the last ones.
TEST_P(Windows, ValuesThatDifferInTheirLastBitsAreInOrder) {
  SequentialRandom random(3);
  for (double& value : x) value = std::nextafter(1.0, 2.0) + static_cast<double>(random.below(200)) * 0x1p-52;
  WindowSpec spec;
  spec.size = 9;
  spec.figure = WindowFigure::quantile;
  std::vector<double> medians(n);
  window_quantiles(work_, spec, rows(false), 0, static_cast<std::int64_t>(n), 64, medians.data());
  for (std::size_t row = 8; row < n; ++row) {
    std::vector<double> values(x.begin() + static_cast<std::ptrdiff_t>(row) - 8,
                               x.begin() + static_cast<std::ptrdiff_t>(row) + 1);
    std::nth_element(values.begin(), values.begin() + 4, values.end());
    ASSERT_EQ(medians[row], values[4]) << row;
  }
}

TEST_P(Windows, RunningSumsHaveTheSameBitsForAnyThreads) {
  using State = CumulationState<double, Cumulation::sum>;
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = std::sqrt(static_cast<double>(i)) * (i % 3 == 0 ? -1e6 : 1);
  const auto begins = std::make_unique<bool[]>(n);
  for (std::size_t i = 1; i < n; ++i) begins[i] = segments[i] != segments[i - 1];
  auto sums = [&](std::uint64_t unit, std::uint64_t border, bool firsts = false) {
    std::vector<double> out(n);
    ScanFold<State> before;
    for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, border}, {border, n}}) {
      const auto add = [&, begin = begin](State& state, std::uint64_t i) { state.add(values[begin + i]); };
      ScanRows rows{begin, end - begin, unit, segments.data() + begin,
                    begin == 0 || segments[begin] != segments[begin - 1]};
      if (firsts) {
        rows.segments = nullptr;
        rows.firsts = begins.get() + begin;
      }
      scan_units<State, State>(work_, rows, before, add, add, [&, begin = begin](const State& state, std::uint64_t i) {
        out[begin + i] = state.value;
      });
      const ScanFold<State> mine = fold_units<State>(work_, rows, add);
      before.push(std::span<const ScanNode<State>>(mine.nodes()));
    }
    return out;
  };
  const std::vector<double> whole = sums(8, 0);
  for (const std::uint64_t border : {8, 64, 344, 696}) {
    EXPECT_EQ(sums(8, border), whole);
    EXPECT_EQ(sums(8, border, true), whole);
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && segments[i] != segments[i - 1]) sum = 0;
    EXPECT_NEAR(whole[i], sum += values[i], 1e-6);
  }
}

TEST_P(Windows, RowsGoToTheirGroups) {
  const std::size_t groups = static_cast<std::size_t>(segments.back()) + 2;  // one has no row
  std::vector<std::int64_t> of(n), places(n);
  for (std::size_t i = 0; i < n; ++i) of[i] = segments[i * 37 % n];
  GroupPlaces dealt(work_, of.data(), n, groups);
  std::vector<std::int64_t> first(groups);
  const std::vector<std::int64_t> counts = dealt.counts();
  for (std::size_t group = 1; group < groups; ++group) first[group] = first[group - 1] + counts[group - 1];
  dealt.write(work_, first, places.data());
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return of[a] < of[b]; });
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(places[order[i]], static_cast<std::int64_t>(i));
}

INSTANTIATE_TEST_SUITE_P(Threads, Windows, testing::Values(1u, 3u));

}  // namespace
}  // namespace atl::table
