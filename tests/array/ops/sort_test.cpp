// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/sort.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "atoll/runtime/context.hpp"
#include "fixture.hpp"

namespace atl::array::testing {
namespace {

class Sorting : public OnPes {};

std::vector<std::vector<std::int64_t>> inputs() {
  std::vector<std::vector<std::int64_t>> all;
  for (std::size_t n : {0, 1, 2, 5, 37, 1000, 20001}) {
    all.push_back(random_integers(n, INT64_MIN, INT64_MAX, 1));
    all.push_back(random_integers(n, 0, 1 << 20, 2));
    all.push_back(random_integers(n, 0, 3, 3));
    all.push_back(std::vector<std::int64_t>(n, 7));
    all.push_back(random_integers(n, 0, 1000, 4));
    std::sort(all.back().begin(), all.back().end(), std::greater<>());
    all.push_back(random_integers(n, 0, 100000, 5));
    std::sort(all.back().begin(), all.back().end());
    // A heavy key in the middle, and clusters that share their top bits.
    all.push_back(random_integers(n, -1000000, 1000000, 6));
    for (std::size_t i = 0; i < n; ++i)
      if (i % 5 != 0) all.back()[i] = 4242;
    all.push_back(random_integers(n, 0, 5, 7));
    for (auto& value : all.back()) value = (std::int64_t{1} << 62) + value * 3;
    if (n > 0) all.back()[n / 2] = INT64_MIN;
    // Half the rows in a narrow range of many distinct keys: a bucket across borders that must be cut.
    all.push_back(random_integers(n, INT64_MIN, INT64_MAX, 8));
    for (std::size_t i = 0; i < n; i += 2) all.back()[i] = static_cast<std::int64_t>(i * 2654435761u % 65536);
  }
  return all;
}

TEST_P(Sorting, ArgsortIsTheStableOrder) {
  run([](Engine& engine) {
    for (const auto& values : inputs()) {
      std::vector<std::int64_t> expected(values.size());
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
        return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
      });
      ASSERT_EQ(to_vector<std::int64_t>(engine, argsort_array(engine, to_array(engine, values))), expected)
          << values.size();
    }
  });
}

TEST_P(Sorting, SortOrdersEveryType) {
  run([](Engine& engine) {
    for (const auto& values : inputs()) {
      auto check = [&](auto type) {
        using T = typename decltype(type)::type;
        std::vector<T> typed(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) typed[i] = static_cast<T>(values[i]);
        const auto sorted = to_vector<T>(engine, sort_array(engine, to_array(engine, typed)));
        std::sort(typed.begin(), typed.end());
        ASSERT_EQ(sorted, typed) << name_of(dtype_of<T>) << " " << values.size();
      };
      check(Type<std::int64_t>{});
      check(Type<std::uint64_t>{});
      check(Type<std::int32_t>{});
      check(Type<std::int16_t>{});
      check(Type<std::uint8_t>{});
      check(Type<float>{});
      check(Type<double>{});
    }
  });
}

TEST_P(Sorting, CoargsortBreaksTiesByLaterKeys) {
  run([](Engine& engine) {
    for (std::size_t n : {0, 1, 10, 999, 30011}) {
      const auto a = random_integers(n, 0, 9, 11), b = random_integers(n, INT64_MIN, INT64_MAX, 12),
                 c = random_integers(n, -2, 2, 13);
      std::vector<std::int64_t> expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](auto i, auto j) {
        auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
        return std::tuple(a[x], c[x], b[x]) < std::tuple(a[y], c[y], b[y]);
      });
      ASSERT_EQ(to_vector<std::int64_t>(
                    engine, coargsort_arrays(engine, {to_array(engine, a), to_array(engine, c), to_array(engine, b)})),
                expected);
    }
  });
}

TEST_P(Sorting, NanIsLastAndRowsAreSortedByThemselves) {
  run([](Engine& engine) {
    std::vector<double> values;
    for (int i = 0; i < 500; ++i) values.push_back(i % 7 == 0 ? NAN : std::sin(i) * 100);
    const auto order = to_vector<std::int64_t>(engine, argsort_array(engine, to_array(engine, values)));
    for (std::size_t i = 1; i < order.size(); ++i) {
      const double left = values[static_cast<std::size_t>(order[i - 1])],
                   right = values[static_cast<std::size_t>(order[i])];
      ASSERT_TRUE(left <= right || std::isnan(right));
    }
    const auto rows = to_vector<std::int64_t>(
        engine, sort_array(engine, to_array(engine, random_integers(35 * 13, 0, 50, 3), Shape{35, 13})));
    for (std::size_t row = 0; row < 35; ++row)
      ASSERT_TRUE(std::is_sorted(rows.begin() + static_cast<std::ptrdiff_t>(row * 13),
                                 rows.begin() + static_cast<std::ptrdiff_t>((row + 1) * 13)));
  });
}

TEST_P(Sorting, EachRowCrossesOnce) {
  run([](Engine& engine) {
    const std::size_t n = 1000000;
    for (const auto& values : {random_integers(n, INT64_MIN, INT64_MAX, 1), random_integers(n, 0, 9, 2)}) {
      const Array array = to_array(engine, values);
      // What is stored into mapped memory, and everything that goes through the endpoint: words to other nodes, and
      // what agreeing takes.
      auto moved = [&] {
        const fabric::Traffic traffic = engine.context().endpoint().traffic();
        return engine.volume().put_bytes + engine.volume().got_bytes + traffic.put_bytes + traffic.get_bytes +
               traffic.am_bytes;
      };
      const std::uint64_t before = moved();
      argsort_array(engine, array);
      const std::uint64_t mine = moved() - before;
      std::uint64_t all = 0;
      for (std::uint64_t bytes : engine.allgather_value(mine)) all += bytes;
      // (npes - 1) / npes of the rows have to move, and few keys more than once.
      EXPECT_LE(all, n * 8 * 13 / 10);
      if (engine.npes() > 1) { EXPECT_GE(all, n * 8 / 10); }
    }
  });
}

ATOLL_ON_PES(Sorting);

// Runs a body on many PEs, each an engine of its own.
void run_many(std::uint32_t npes, const std::function<void(Engine&)>& body) {
  atl::testing::run_pes(npes, atl::testing::Fabric::sim, [&](runtime::Context& context) {
    Engine engine(std::shared_ptr<runtime::Context>(std::shared_ptr<void>(), &context), 1, grain);
    body(engine);
  });
}

std::vector<std::uint64_t> ordered(std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// Buckets are cut only when they are long, among so many; that of one key, and those of a range that is narrower than a
// bucket.
TEST(SortingAmongMany, LongBucketsAreCutWhereTheyBelong) {
  constexpr std::size_t n = 70'000;
  std::vector<std::vector<std::uint64_t>> inputs(3, std::vector<std::uint64_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    inputs[0][i] = 5;
    const std::uint64_t wide = i * 0x9E3779B97F4A7C15u;
    inputs[1][i] = i % 2 == 0 ? (std::uint64_t{1} << 63) + i * 2654435761u % 65536 : wide;
    inputs[2][i] = i % 3 == 0 ? wide : (std::uint64_t{1} << 62) + i % 7;
  }
  run_many(21, [&](Engine& engine) {
    for (const auto& values : inputs) {
      ASSERT_EQ(to_vector<std::uint64_t>(engine, sort_array(engine, to_array(engine, values))), ordered(values));
      std::vector<std::uint32_t> narrow(values.begin(), values.end());
      const auto sorted = to_vector<std::uint32_t>(engine, sort_array(engine, to_array(engine, narrow)));
      std::sort(narrow.begin(), narrow.end());
      ASSERT_EQ(sorted, narrow);
      std::vector<std::int64_t> expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
        return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
      });
      ASSERT_EQ(to_vector<std::int64_t>(engine, argsort_array(engine, to_array(engine, values))), expected);
    }
  });
}

// Each PE has something for every other, and next to nothing beside that: no rounds of all for each bucket.
TEST(SortingAmongMany, MessagesGrowAsPes) {
  constexpr std::uint32_t npes = 300;
  constexpr std::size_t n = npes * 64;
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = i * 0x9E3779B97F4A7C15u;
  run_many(npes, [&](Engine& engine) {
    const Array array = to_array(engine, values);
    auto sent = [&] {
      const fabric::Traffic traffic = engine.context().endpoint().traffic();
      return traffic.put_messages + traffic.get_messages + traffic.am_messages + traffic.atomic_messages;
    };
    const std::uint64_t before = sent();
    const Array sorted = sort_array(engine, array);
    EXPECT_LE(sent() - before, 3 * npes);
    ASSERT_EQ(to_vector<std::uint64_t>(engine, sorted), ordered(values));
  });
}

}  // namespace
}  // namespace atl::array::testing
