// SPDX-License-Identifier: Apache-2.0
// Exact sums against sums in 113 bits, whatever the order and the parts.
#include "atoll/table/kernel/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../quad.hpp"
#include "atoll/base/random.hpp"
#include "atoll/table/kernel/state.hpp"

namespace atl::table {
namespace {

/// Sums in one window, or what a window that does not fit leaves aside.
struct Sum {
  StateSpec spec{StateKind::sum, 0, Wide::f64};
  ExactSum sum;
  std::vector<double> rests;

  explicit Sum(int top, std::size_t count, bool special = false, StateKind kind = StateKind::sum) {
    spec.kind = kind;
    spec.window = SumWindow::below(top, count, special);
  }
  void add(const std::vector<double>& values, std::size_t begin, std::size_t end) {
    const std::vector<std::uint32_t> codes(block_rows, 0);
    std::vector<CodeRest> found;
    for (std::size_t at = begin; at < end; at += block_rows) {
      const std::size_t n = std::min(block_rows, end - at);
      update_states(spec, &sum, codes.data(), reinterpret_cast<const std::uint64_t*>(values.data() + at), n, 0, found);
    }
    for (const CodeRest& rest : found) rests.push_back(rest.value);
  }
  Summands summands() const { return {{&sum, 1}, {&spec.window, 1}, rests}; }
  double value() const { return value_of(summands()); }
};

TEST(ExactSum, ManyAtOnceAreTheSame) {
  SequentialRandom random(7);
  for (const int top : {-1074, -1000, 0, 7, 1024}) {
    const SumWindow window = SumWindow::below(top, 1'000'000, false);
    std::vector<ExactSum> sums(3000);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      for (std::int64_t& part : sums[i].part) part = static_cast<std::int64_t>(random()) >> (2 + random.below(62));
      if (i % 100 == 7) sums[i].special = std::numeric_limits<double>::infinity();
    }
    std::vector<double> found(sums.size());
    values_of(sums.data(), sums.size(), window, found.data());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ASSERT_EQ(found[i], value_of({{&sums[i], 1}, {&window, 1}, {}})) << top << " " << i;
      if (top != 0 || sums[i].special != 0) continue;
      const Quad expected = Quad(sums[i].part[0]) * window.unit(0) + Quad(sums[i].part[1]) * window.unit(1);
      ASSERT_EQ(found[i], static_cast<double>(expected)) << i;
    }
  }
}

TEST(ExactSum, RoundsOnceAndKnowsNoOrder) {
  SequentialRandom random(7);
  for (std::size_t n : {1u, 2u, 3u, 63u, 64u, 65u, 1000u, 20'000u}) {
    for (int spread : {0, 4, 20}) {
      std::vector<double> values(n);
      for (double& x : values)
        x = std::ldexp(to_unit_interval(random()) - 0.5,
                       static_cast<int>(random.below(static_cast<std::uint64_t>(spread) + 1)));
      Quad expected = 0;
      for (double x : values) expected += x;
      Sum whole(spread, n);
      whole.add(values, 0, n);
      EXPECT_EQ(whole.value(), static_cast<double>(expected)) << n << " " << spread;
      EXPECT_EQ(whole.sum.rows, n);
      std::reverse(values.begin(), values.end());
      Sum parts(spread, n), others(spread, n);
      parts.add(values, 0, n / 3);
      others.add(values, n / 3, n);
      parts.sum.add(others.sum);
      parts.rests.insert(parts.rests.end(), others.rests.begin(), others.rests.end());
      EXPECT_EQ(parts.value(), static_cast<double>(expected));
      // Nor does it matter whether the window was well chosen.
      for (int top : {-60, spread - 3, 40, 120}) {
        Sum other(top, n);
        other.add(values, 0, n);
        EXPECT_EQ(other.value(), static_cast<double>(expected)) << top;
      }
    }
  }
}

TEST(ExactSum, RoundsHalfWayCasesToEven) {
  const double unit = std::ldexp(1.0, -53);  // half of 1's last bit
  for (const auto& [terms, expected] :
       std::vector<std::pair<std::vector<double>, double>>{{{1, unit}, 1},
                                                           {{1, unit, std::ldexp(1.0, -76)}, 1 + 2 * unit},
                                                           {{1 + 2 * unit, unit}, 1 + 4 * unit},
                                                           {{1, unit, -std::ldexp(1.0, -76)}, 1}}) {
    Sum sum(1, terms.size());
    sum.add(terms, 0, terms.size());
    EXPECT_EQ(sum.value(), expected);
  }
}

TEST(ExactSum, ReachesBothEndsOfTheRange) {
  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [terms, expected] :
       std::vector<std::pair<std::vector<double>, double>>{{{most, most, -most}, most},
                                                           {{most, most}, infinity},
                                                           {{least, least, least}, 3 * least},
                                                           {{0.0, -0.0}, 0.0},
                                                           {{most, -infinity}, -infinity},
                                                           {{most, least, -most}, least},
                                                           {{1e300, 3, -1e300, 1e-300}, 3}}) {
    for (int top : {-1074, -500, 0, 900, 1024}) {
      for (bool special : {false, true}) {
        Sum sum(top, terms.size(), special);
        sum.add(terms, 0, terms.size());
        EXPECT_EQ(sum.value(), expected) << terms[0] << " " << terms[1] << " " << top;
      }
    }
  }
  const std::vector<double> undefined{infinity, 1, -infinity};
  Sum sum(1, 3);
  sum.add(undefined, 0, 3);
  EXPECT_TRUE(std::isnan(sum.value()));
}

TEST(ExactSum, SpecialValuesSurviveAdditions) {
  for (const double one : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    for (const std::size_t at : {0u, 3u, 299u}) {
      std::vector<double> values(300, 0.25);
      values[at] = one;
      Sum sum(1, 3 * values.size(), true);
      sum.add(values, 0, values.size());
      values[at] = -0.25;
      for (int again = 0; again < 2; ++again) sum.add(values, 0, values.size());
      EXPECT_EQ(sum.sum.special, one);
      EXPECT_EQ(sum.sum.rows, 3 * values.size());
      EXPECT_EQ(sum.value(), one);
      sum.sum.special = 0;
      EXPECT_EQ(sum.value(), 0.25 * (3 * 299 - 2));
    }
  }
}

TEST(ExactSum, VarianceDoesNotCancel) {
  for (double mean : {0.0, 1e3, 1e9, -1e13, 1e153}) {
    const double width = mean == 1e153 ? 1e140 : 1;
    std::vector<double> values;
    Quad total = 0, expected = 0;
    SequentialRandom random(5);
    for (int i = 0; i < 1000; ++i) values.push_back(mean + width * to_unit_interval(random()));
    for (double x : values) total += x;
    for (double x : values) expected += (x - total / 1000) * (x - total / 1000);
    Sum sum(60, 1000), squares(120, 1000, false, StateKind::square);
    sum.add(values, 0, 1000);
    squares.add(values, 0, 1000);
    EXPECT_DOUBLE_EQ(deviations_of(sum.summands(), squares.summands()), static_cast<double>(expected)) << mean;
  }
}

}  // namespace
}  // namespace atl::table
