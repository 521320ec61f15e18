// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: right values, and the same bits for any number of threads and any split over PEs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "atoll/array/kernel/scan.hpp"

namespace atl::array {
namespace {

constexpr Reduction all_kinds[] = {Reduction::sum, Reduction::prod,   Reduction::min,
                                   Reduction::max, Reduction::argmin, Reduction::argmax,
                                   Reduction::any, Reduction::all,    Reduction::count_nonzero};

template <class T>
Plan identity_plan() {
  Program program;
  program.results.push_back(program.add_leaf(dtype_of<T>));
  return Plan(program);
}

/// Splits `total` elements over `pes` PEs at borders of the grid, runs `body(begin, end)` for each.
template <class Body>
void for_each_pe(std::uint64_t total, unsigned pes, const UnitGrid& grid, Body body) {
  const std::uint64_t granules = (total + grid.granule() - 1) / grid.granule();
  for (unsigned pe = 0; pe < pes; ++pe) {
    const std::uint64_t begin = std::min(granules * pe / pes * grid.granule(), total);
    const std::uint64_t end = std::min(granules * (pe + 1) / pes * grid.granule(), total);
    body(begin, end);
  }
}

template <class T>
ReductionValue reduce(const std::vector<T>& x, Reduction kind, unsigned threads, unsigned pes, const UnitGrid& grid) {
  ThreadPool pool(threads);
  SystemMemory memory;
  Monitor monitor;
  Work work{pool, memory, monitor};
  const Plan plan = identity_plan<T>();
  TreeFold whole(kind, dtype_of<T>);
  for_each_pe(x.size(), pes, grid, [&](std::uint64_t begin, std::uint64_t end) {
    const Domain domain = Domain::flat(end - begin, begin);
    const Leaf leaf = Leaf::dense(x.data() + begin, domain);
    TreeFold mine(kind, dtype_of<T>);
    plan.reduce(work, domain, {&leaf, 1}, {}, kind, grid, x.size(), mine);
    EXPECT_LE(mine.nodes().size(), 128u);
    whole.push(mine.nodes());
  });
  return whole.finish();
}

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(count);
  for (auto& v : x) {
    if constexpr (std::is_floating_point_v<T>)
      v = static_cast<T>(static_cast<double>(random() >> 11) * 0x1.0p-53 + 0.5);
    else v = static_cast<T>(random() % 200);
  }
  return x;
}

template <class T>
class Reductions : public ::testing::Test {};
using NumberTypes = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                                     std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Reductions, NumberTypes);

TYPED_TEST(Reductions, ValuesAroundUnitBorders) {
  using T = TypeParam;
  for (std::size_t count : {1, 2, 7, 31, 32, 33, 63, 64, 65, 255, 1023, 1024, 1025, 3000, 70000}) {
    const std::vector<T> x = random_values<T>(count, static_cast<unsigned>(count));
    const UnitGrid grid;
    if constexpr (std::is_integral_v<T>) {
      std::uint64_t sum = 0, product = 1;
      for (T v : x) {
        sum += static_cast<std::uint64_t>(v);
        product *= static_cast<std::uint64_t>(v);
      }
      EXPECT_EQ(from_bits<T>(reduce(x, Reduction::sum, 2, 1, grid).bits), static_cast<T>(sum));
      EXPECT_EQ(from_bits<T>(reduce(x, Reduction::prod, 2, 1, grid).bits), static_cast<T>(product));
    } else {
      const long double sum = std::accumulate(x.begin(), x.end(), 0.0L);
      EXPECT_NEAR(from_bits<T>(reduce(x, Reduction::sum, 2, 1, grid).bits), sum,
                  sum * 8 * std::numeric_limits<T>::epsilon());
    }
    EXPECT_EQ(from_bits<T>(reduce(x, Reduction::min, 2, 1, grid).bits), *std::min_element(x.begin(), x.end()));
    EXPECT_EQ(from_bits<T>(reduce(x, Reduction::max, 2, 1, grid).bits), *std::max_element(x.begin(), x.end()));
    EXPECT_EQ(reduce(x, Reduction::argmin, 2, 1, grid).position,
              static_cast<std::uint64_t>(std::min_element(x.begin(), x.end()) - x.begin()));
    EXPECT_EQ(reduce(x, Reduction::argmax, 2, 1, grid).position,
              static_cast<std::uint64_t>(std::max_element(x.begin(), x.end()) - x.begin()));
    const auto nonzero = count - static_cast<std::size_t>(std::count(x.begin(), x.end(), T(0)));
    EXPECT_EQ(reduce(x, Reduction::count_nonzero, 2, 1, grid).bits, nonzero);
    EXPECT_EQ(reduce(x, Reduction::any, 2, 1, grid).bits, nonzero > 0);
    EXPECT_EQ(reduce(x, Reduction::all, 2, 1, grid).bits, nonzero == count);
  }
}

TYPED_TEST(Reductions, SameBitsForAnyThreadsAndPes) {
  using T = TypeParam;
  for (std::uint64_t granule : {1024, 4096, 7, 1029, 3000, 1}) {
    const UnitGrid grid(granule);
    const std::vector<T> x = random_values<T>(granule == 1 ? 2000 : 100003, 5);
    for (Reduction kind : all_kinds) {
      const ReductionValue expected = reduce(x, kind, 1, 1, grid);
      for (unsigned threads : {1, 2, 3, 5}) {
        for (unsigned pes : {1, 2, 3, 4, 5, 8}) {
          if (threads > 1 && pes > 3) continue;
          const ReductionValue value = reduce(x, kind, threads, pes, grid);
          ASSERT_EQ(value.bits, expected.bits) << name_of(kind) << ' ' << threads << ' ' << pes << ' ' << granule;
          ASSERT_EQ(value.position, expected.position) << name_of(kind);
        }
      }
    }
  }
}

TEST(Reductions, NanWinsAndTheFirstIsFound) {
  std::vector<double> x = random_values<double>(100000, 1);
  x[50001] = x[70000] = std::nan("");
  for (unsigned pes : {1, 3}) {
    EXPECT_TRUE(std::isnan(from_bits<double>(reduce(x, Reduction::min, 2, pes, UnitGrid()).bits)));
    EXPECT_TRUE(std::isnan(from_bits<double>(reduce(x, Reduction::max, 2, pes, UnitGrid()).bits)));
    EXPECT_EQ(reduce(x, Reduction::argmin, 2, pes, UnitGrid()).position, 50001u);
    EXPECT_EQ(reduce(x, Reduction::argmax, 2, pes, UnitGrid()).position, 50001u);
  }
  // Infinities of both signs are no NaN.
  std::vector<double> y = random_values<double>(3000, 1);
  y[10] = std::numeric_limits<double>::infinity();
  y[18] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(from_bits<double>(reduce(y, Reduction::min, 1, 1, UnitGrid()).bits), y[18]);
  EXPECT_EQ(from_bits<double>(reduce(y, Reduction::max, 1, 1, UnitGrid()).bits), y[10]);
  EXPECT_EQ(reduce(y, Reduction::argmax, 1, 1, UnitGrid()).position, 10u);
}

TEST(Reductions, OfNothing) {
  const std::vector<double> none;
  EXPECT_EQ(from_bits<double>(reduce(none, Reduction::sum, 1, 1, UnitGrid()).bits), 0.0);
  EXPECT_EQ(from_bits<double>(reduce(none, Reduction::prod, 1, 1, UnitGrid()).bits), 1.0);
  EXPECT_EQ(reduce(none, Reduction::all, 1, 1, UnitGrid()).bits, 1u);
  EXPECT_EQ(reduce(none, Reduction::any, 1, 1, UnitGrid()).bits, 0u);
  EXPECT_TRUE(reduce(none, Reduction::min, 1, 1, UnitGrid()).empty);
}

TEST(UnitGrid, CoversEveryElementOnce) {
  for (std::uint64_t granule : {1ull, 7ull, 64ull, 1000ull, 1024ull, 1025ull, 1029ull, 2048ull, 10000ull}) {
    const UnitGrid grid(granule);
    const std::uint64_t total = 3 * granule + granule / 2;
    std::uint64_t at = 0, last_index = 0;
    const std::uint64_t units = grid.units_before(total);
    for (std::uint64_t u = 0; u < units; ++u) {
      const UnitGrid::Unit unit = grid.at(u, total);
      ASSERT_EQ(unit.begin, at);
      ASSERT_LE(unit.end - unit.begin, UnitGrid::max_unit);
      ASSERT_GT(unit.end, unit.begin);
      ASSERT_TRUE(u == 0 || unit.tree_index > last_index);
      last_index = unit.tree_index;
      at = unit.end;
    }
    ASSERT_EQ(at, total);
  }
}

template <class T>
std::vector<T> scan_all(const std::vector<T>& x, Scan kind, unsigned threads, unsigned pes, const UnitGrid& grid) {
  ThreadPool pool(threads);
  SystemMemory memory;
  Monitor monitor;
  Work work{pool, memory, monitor};
  std::vector<T> out(x.size());
  const Plan plan = identity_plan<T>();
  TreeFold before(reduction_of(kind), dtype_of<T>);
  for_each_pe(x.size(), pes, grid, [&](std::uint64_t begin, std::uint64_t end) {
    scan(work, kind, dtype_of<T>, x.data() + begin, out.data() + begin, end - begin, begin, x.size(), grid,
         before.nodes());
    const Domain domain = Domain::flat(end - begin, begin);
    const Leaf leaf = Leaf::dense(x.data() + begin, domain);
    plan.reduce(work, domain, {&leaf, 1}, {}, reduction_of(kind), grid, x.size(), before);
  });
  return out;
}

TYPED_TEST(Reductions, ScansAreRightAndIndependentOfThreadsAndPes) {
  using T = TypeParam;
  for (std::uint64_t granule : {1024, 1029, 7}) {
    const UnitGrid grid(granule);
    std::vector<T> x = random_values<T>(granule == 7 ? 5000 : 300007, 9);
    for (Scan kind : {Scan::cumsum, Scan::cumprod, Scan::cummax, Scan::cummin}) {
      if (kind == Scan::cumprod && std::is_floating_point_v<T>) {
        for (T& v : x) v = static_cast<T>(1 + (static_cast<double>(v) - 1) / 1000);
      }
      const std::vector<T> expected = scan_all(x, kind, 1, 1, grid);
      long double exact = 0;
      std::uint64_t whole = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if constexpr (std::is_integral_v<T>) {
          const auto v = static_cast<std::uint64_t>(x[i]), best = static_cast<std::uint64_t>(static_cast<T>(whole));
          if (i == 0) whole = v;
          else if (kind == Scan::cumsum) whole += v;
          else if (kind == Scan::cumprod) whole *= v;
          else if (kind == Scan::cummax) whole = static_cast<T>(best) >= x[i] ? best : v;
          else whole = static_cast<T>(best) <= x[i] ? best : v;
          ASSERT_EQ(expected[i], static_cast<T>(whole)) << i;
        } else {
          const long double v = x[i];
          if (i == 0) exact = v;
          else if (kind == Scan::cumsum) exact += v;
          else if (kind == Scan::cumprod) exact *= v;
          else if (kind == Scan::cummax) exact = std::max(exact, v);
          else exact = std::min(exact, v);
          const long double steps = kind == Scan::cumprod ? static_cast<long double>(1000 + i / 8) : 40;
          ASSERT_NEAR(expected[i], exact, std::fabs(exact) * steps * std::numeric_limits<T>::epsilon()) << i;
        }
      }
      for (unsigned threads : {2, 3}) {
        for (unsigned pes : {1, 2, 3, 5}) {
          const std::vector<T> got = scan_all(x, kind, threads, pes, grid);
          for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_EQ(to_bits(got[i]), to_bits(expected[i])) << i << ' ' << threads << ' ' << pes;
          }
        }
      }
    }
  }
}

TEST(Scan, NanStays) {
  std::vector<double> x(3000, 1.0);
  x[1500] = std::nan("");
  for (Scan kind : {Scan::cumsum, Scan::cummax, Scan::cummin}) {
    const std::vector<double> y = scan_all(x, kind, 2, 2, UnitGrid());
    EXPECT_FALSE(std::isnan(y[1499]));
    for (std::size_t i = 1500; i < x.size(); ++i) ASSERT_TRUE(std::isnan(y[i]));
  }
}

}  // namespace
}  // namespace atl::array
