// SPDX-License-Identifier: Apache-2.0
// Exact sums against sums in 113 bits, whatever the order and the parts.
#include "atoll/table/kernel/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "atoll/base/random.hpp"
#include "atoll/table/kernel/state.hpp"

namespace atl::table {
namespace {

StateSpec sum_of(const std::vector<double>& values) {
  double largest = 0;
  bool special = false;
  for (double x : values) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    else special = true;
  }
  StateSpec spec{StateKind::sum, 0, Wide::f64};
  spec.window = SumWindow::of(largest, values.size(), special);
  return spec;
}

ExactSum add_up(const StateSpec& spec, const std::vector<double>& values, std::size_t begin, std::size_t end) {
  ExactSum sum;
  const std::vector<std::uint32_t> codes(block_rows, 0);
  for (std::size_t at = begin; at < end; at += block_rows) {
    const std::size_t n = std::min(block_rows, end - at);
    update_states(spec, &sum, codes.data(), reinterpret_cast<const std::uint64_t*>(values.data() + at), n, 0);
  }
  return sum;
}

TEST(ExactSum, RoundsOnceAndKnowsNoOrder) {
  SequentialRandom random(7);
  for (std::size_t n : {1u, 2u, 3u, 63u, 64u, 65u, 1000u, 20'000u}) {
    for (int spread : {0, 4, 20}) {
      std::vector<double> values(n);
      for (double& x : values) x = std::ldexp(to_unit_interval(random()) - 0.5, static_cast<int>(random.below(static_cast<std::uint64_t>(spread) + 1)));
      __float128 expected = 0;
      for (double x : values) expected += x;
      const StateSpec spec = sum_of(values);
      const ExactSum whole = add_up(spec, values, 0, n);
      EXPECT_EQ(value_of({{whole}}, spec.window.scale), static_cast<double>(expected)) << n << " " << spread;
      EXPECT_EQ(whole.rows, n);
      std::reverse(values.begin(), values.end());
      const std::size_t middle = n / 3;
      ExactSum parts = add_up(spec, values, 0, middle);
      parts.add(add_up(spec, values, middle, n));
      EXPECT_EQ(value_of({{parts}}, spec.window.scale), static_cast<double>(expected));
    }
  }
}

TEST(ExactSum, RoundsHalfWayCasesToEven) {
  const double unit = std::ldexp(1.0, -53);  // half of 1's last bit
  for (const auto& [terms, expected] : std::vector<std::pair<std::vector<double>, double>>{
           {{1, unit}, 1}, {{1, unit, std::ldexp(1.0, -76)}, 1 + 2 * unit}, {{1 + 2 * unit, unit}, 1 + 4 * unit}, {{1, unit, -std::ldexp(1.0, -76)}, 1}}) {
    const StateSpec spec = sum_of(terms);
    EXPECT_EQ(value_of({{add_up(spec, terms, 0, terms.size())}}, spec.window.scale), expected);
  }
}

TEST(ExactSum, ReachesBothEndsOfTheRange) {
  const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const auto& [terms, expected] : std::vector<std::pair<std::vector<double>, double>>{
           {{most, most, -most}, most},
           {{most, most}, std::numeric_limits<double>::infinity()},
           {{least, least, least}, 3 * least},
           {{0.0, -0.0}, 0.0},
           {{most, -std::numeric_limits<double>::infinity()}, -std::numeric_limits<double>::infinity()}}) {
    const StateSpec spec = sum_of(terms);
    EXPECT_EQ(value_of({{add_up(spec, terms, 0, terms.size())}}, spec.window.scale), expected);
  }
  const std::vector<double> undefined{std::numeric_limits<double>::infinity(), 1, -std::numeric_limits<double>::infinity()};
  const StateSpec spec = sum_of(undefined);
  EXPECT_TRUE(std::isnan(value_of({{add_up(spec, undefined, 0, 3)}}, spec.window.scale)));
}

TEST(ExactSum, SaysWhenAGroupIsTooSmallForTheWindow) {
  std::vector<double> values{1e300, 3};
  const StateSpec spec = sum_of(values);
  EXPECT_FALSE(add_up(spec, values, 1, 2).settled(spec.window));
  EXPECT_TRUE(add_up(spec, values, 0, 2).settled(spec.window));
}

}  // namespace
}  // namespace atl::table
