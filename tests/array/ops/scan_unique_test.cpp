// SPDX-License-Identifier: Apache-2.0
// Operations in which PEs take over parts of each other's work: the result must not show it.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "atoll/array/ops/reduce.hpp"
#include "atoll/array/ops/sort.hpp"
#include "fixture.hpp"

namespace atl::array::testing {
namespace {

class SharedWork : public OnPes {};

TEST_P(SharedWork, SumsUpToEveryElement) {
  run([](Engine& engine) {
    for (std::size_t n : {1, 2, 5, 31, 1023, 5000, 20001}) {
      const auto values = random_integers(n, -1000, 1000, static_cast<unsigned>(n));
      std::vector<std::int64_t> expected(n);
      std::partial_sum(values.begin(), values.end(), expected.begin());
      ASSERT_EQ(to_vector<std::int64_t>(engine, scan_along(engine, to_array(engine, values), Scan::cumsum, 0)),
                expected);
    }
  });
}

TEST_P(SharedWork, CountsFewAndManyDistinctValues) {
  run([](Engine& engine) {
    for (std::size_t n : {1, 2, 5, 100, 5000, 30000}) {
      for (std::int64_t high : {0, 3, 700, 1 << 30}) {
        const auto values = random_integers(n, -high, high, static_cast<unsigned>(n));
        std::map<std::int64_t, std::int64_t> groups;
        for (std::int64_t value : values) ++groups[value];
        const auto found = unique_array(engine, to_array(engine, values), unique_counts);
        const auto distinct = to_vector<std::int64_t>(engine, found[0]),
                   counts = to_vector<std::int64_t>(engine, found[3]);
        ASSERT_EQ(distinct.size(), groups.size());
        std::size_t k = 0;
        for (const auto& [value, count] : groups) {
          ASSERT_EQ(distinct[k], value);
          ASSERT_EQ(counts[k++], count);
        }
      }
    }
  });
}

ATOLL_ON_PES(SharedWork);

}  // namespace
}  // namespace atl::array::testing
