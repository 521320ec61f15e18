// SPDX-License-Identifier: Apache-2.0
// Groups whose rows lie on many PEs.
#include "atoll/table/ops/group.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "../../array/ops/fixture.hpp"
#include "../quad.hpp"
#include "moved.hpp"

namespace atl::array::testing {
namespace {

class GroupBy : public OnPes {};

TEST_P(GroupBy, AggregatesRowsOfAllPes) {
  run([](Engine& engine) {
    for (std::size_t n : {1, 2, 7, 100, 5000, 30000}) {
      for (std::int64_t high : {0, 3, 700, 1 << 30}) {
        const auto keys = random_integers(n, -high, high, static_cast<unsigned>(n)), more = random_integers(n, 0, 2, 5);
        const auto values = random_integers(n, -1000, 1000, 3);
        struct Group {
          std::int64_t rows = 0, sum = 0, last = 0;
        };
        std::map<std::pair<std::int64_t, std::int64_t>, Group> groups;
        for (std::size_t i = 0; i < n; ++i) {
          Group& group = groups[{keys[i], more[i]}];
          ++group.rows, group.sum += values[i], group.last = values[i];
        }
        using table::Statistic;
        const auto found = table::group_by(
            engine, {to_array(engine, keys), to_array(engine, more)}, {to_array(engine, values)},
            {{Statistic::size, 0, 1}, {Statistic::sum, 0, 1}, {Statistic::mean, 0, 1}, {Statistic::last, 0, 1}});
        ASSERT_EQ(found.size(), 6u);
        const auto first_key = to_vector<std::int64_t>(engine, found[0]),
                   second_key = to_vector<std::int64_t>(engine, found[1]);
        const auto sizes = to_vector<std::int64_t>(engine, found[2]), sums = to_vector<std::int64_t>(engine, found[3]);
        const auto means = to_vector<double>(engine, found[4]);
        const auto last = to_vector<std::int64_t>(engine, found[5]);
        ASSERT_EQ(first_key.size(), groups.size());
        std::size_t k = 0;
        for (const auto& [key, group] : groups) {
          ASSERT_EQ(std::pair(first_key[k], second_key[k]), key);
          ASSERT_EQ(sizes[k], group.rows);
          ASSERT_EQ(sums[k], group.sum);
          ASSERT_EQ(means[k], static_cast<double>(group.sum) / static_cast<double>(group.rows));
          ASSERT_EQ(last[k++], group.last);
        }
      }
    }
  });
}

TEST_P(GroupBy, AddsUpBandsWhereMagnitudesLieFarApart) {
  run([](Engine& engine) {
    const std::size_t n = 3000;
    std::vector<std::int64_t> keys(n);
    std::vector<double> values(n);
    std::map<std::int64_t, table::Quad> sums;
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::int64_t>(i % 3);
      values[i] = std::ldexp(1.0 + static_cast<double>(i) / 7, 400 * (static_cast<int>(i % 3) - 1));
      sums[keys[i]] += values[i];
    }
    const auto found =
        table::group_by(engine, {to_array(engine, keys)}, {to_array(engine, values)}, {{table::Statistic::sum, 0, 1}});
    const auto figures = to_vector<double>(engine, found[1]);
    for (const auto& [key, sum] : sums) ASSERT_EQ(figures[static_cast<std::size_t>(key)], static_cast<double>(sum));
  });
}

TEST_P(GroupBy, NanIsLeftOutWhereThatIsWanted) {
  run([](Engine& engine) {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (const std::int64_t range : {7, 3000, 60'000}) {  // a table, many groups, of one row mostly
      const std::size_t n = 20'000;
      std::vector<std::int64_t> keys = random_integers(n, 0, range - 1, 5);
      std::vector<double> values(n);
      for (std::size_t i = 0; i < n; ++i)
        values[i] = keys[i] == 3 || i % 5 == 0 ? nan : i % 1001 == 7 ? infinity : static_cast<double>(i % 13) - 6;
      struct Known {
        double sum = 0, least = std::numeric_limits<double>::quiet_NaN();
        std::int64_t count = 0;
      };
      std::map<std::int64_t, Known> known;
      for (std::size_t i = 0; i < n; ++i) {
        Known& one = known[keys[i]];
        if (std::isnan(values[i])) continue;
        one.sum += values[i];
        one.least = std::isnan(one.least) ? values[i] : std::min(one.least, values[i]);
        ++one.count;
      }
      using table::Statistic;
      const auto found = table::group_by(engine, {to_array(engine, keys)}, {to_array(engine, values)},
                                         {{Statistic::sum, 0, 1, true},
                                          {Statistic::min, 0, 1, true},
                                          {Statistic::count, 0, 1, true},
                                          {Statistic::mean, 0, 1, true},
                                          {Statistic::size, 0, 1},
                                          {Statistic::sum, 0, 1}});
      const auto groups = to_vector<std::int64_t>(engine, found[0]), counts = to_vector<std::int64_t>(engine, found[3]);
      const auto sums = to_vector<double>(engine, found[1]), least = to_vector<double>(engine, found[2]),
                 means = to_vector<double>(engine, found[4]);
      const auto plain = to_vector<double>(engine, found[6]);
      ASSERT_EQ(groups.size(), known.size());
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const Known& one = known[groups[i]];
        ASSERT_EQ(sums[i], one.sum);
        ASSERT_EQ(counts[i], one.count);
        ASSERT_TRUE(one.count == 0 ? std::isnan(least[i]) && std::isnan(means[i])
                                   : least[i] == one.least && means[i] == one.sum / static_cast<double>(one.count));
        if (groups[i] == 3) { ASSERT_TRUE(std::isnan(plain[i])); }
      }
    }
  });
}

TEST_P(GroupBy, FewGroupsSendPartialResultsAndManyEachGroupOnce) {
  run(
      [](Engine& engine) {
        const std::size_t n = 100'000;
        const Array values = to_array(engine, random_integers(n, -1000, 1000, 3));
        for (const std::size_t groups : {std::size_t{50}, n / 2}) {
          const Array keys = to_array(engine, random_integers(n, 0, static_cast<std::int64_t>(groups) - 1, 1));
          const std::uint64_t moved = moved_by(
              engine, [&] { (void)table::group_by(engine, {keys}, {values}, {{table::Statistic::sum, 0, 1}}); });
      // Of each PE at most a key and a state (16 bytes) for each group that it has; then a PE's share of the
      // results finds its place.
          const std::uint64_t found = std::min<std::uint64_t>(groups * engine.npes(), n);
          EXPECT_LE(moved, found * 24 + groups * 16 + 30'000 * engine.npes());
          if (engine.npes() > 1 && groups > 1000) { EXPECT_GE(moved, groups * 8); }
        }
      },
      1024);
}

ATOLL_ON_PES(GroupBy);

}  // namespace
}  // namespace atl::array::testing
