// SPDX-License-Identifier: Apache-2.0
// Sums, products and their scans where a plain evaluation overflows or underflows on the way, against plain loops that
// keep the exponent apart.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "atoll/array/kernel/scan.hpp"
#include "kernel/reduce/combine.hpp"
#include "kernel/reduce/unit.hpp"
#include "kernel/scan/unit_scan.hpp"

namespace atl::array {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

struct Environment {
  explicit Environment(unsigned threads) : pool(threads), work{pool, memory, monitor} {}
  ThreadPool pool;
  SystemMemory memory;
  Monitor monitor;
  Work work;
};

/// A running product without bounds: 64 bits of mantissa.
struct Exact {
  long double mantissa = 1;
  std::int64_t exponent = 0;
  void multiply(long double x) {
    int shift = 0;
    mantissa = std::frexp(mantissa * x, &shift);
    exponent += shift;
  }
  template <class T>
  T value() const {
    return static_cast<T>(std::ldexp(mantissa, static_cast<int>(std::clamp<std::int64_t>(exponent, -20000, 20000))));
  }
};

/// Factors whose exponents wander far out of range and back.
template <class T>
std::vector<T> wild(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(count);
  constexpr int reach = std::numeric_limits<T>::max_exponent * 2 / 3;
  std::int64_t sum = 0;
  for (T& v : x) {
    const int shift = static_cast<int>(random() % reach) * (sum > 0 ? -1 : 1);
    sum += shift;
    v = std::ldexp(static_cast<T>(1 + static_cast<double>(random() % 1000) / 1001), shift);
    if (random() % 2 == 0) v = -v;
  }
  return x;
}

/// out: the scan of one pass over `pes` PEs; returns the value of the whole.
template <class T>
T scan_and_reduce(const std::vector<T>& x, Scan kind, unsigned threads, unsigned pes, std::vector<T>& out) {
  Environment env(threads);
  const UnitGrid grid;
  Program program;
  program.results.push_back(program.add_leaf(dtype_of<T>));
  const Plan plan(program);
  out.assign(x.size(), T(0));
  const std::uint64_t granules = (x.size() + grid.granule() - 1) / grid.granule();
  TreeFold before(reduction_of(kind), dtype_of<T>);
  for (unsigned pe = 0; pe < pes; ++pe) {
    const std::uint64_t begin = std::min<std::uint64_t>(granules * pe / pes * grid.granule(), x.size());
    const std::uint64_t end = std::min<std::uint64_t>(granules * (pe + 1) / pes * grid.granule(), x.size());
    scan(env.work, kind, dtype_of<T>, x.data() + begin, out.data() + begin, end - begin, begin, x.size(), grid,
         before.nodes());
    const Domain domain = Domain::flat(end - begin, begin);
    const Leaf leaf = Leaf::dense(x.data() + begin, domain);
    plan.reduce(env.work, domain, {&leaf, 1}, {}, reduction_of(kind), grid, x.size(), before);
  }
  return from_bits<T>(before.finish().bits);
}

template <class T>
void expect_near(T got, T exact, std::size_t count) {
  const T error = static_cast<T>(count + 2) * std::numeric_limits<T>::epsilon() * std::fabs(exact);
  if (!std::isfinite(exact) || !std::isfinite(error)) {
    ASSERT_EQ(got, exact);
  } else ASSERT_NEAR(got, exact, error + std::numeric_limits<T>::denorm_min());
}

template <class T>
class Range : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Range, Floats);

TYPED_TEST(Range, ProductsComeBack) {
  using T = TypeParam;
  for (std::size_t count : {2, 3, 33, 700, 1024, 1500, 40000}) {
    const std::vector<T> x = wild<T>(count, static_cast<unsigned>(count));
    std::vector<T> expected, got;
    const T value = scan_and_reduce(x, Scan::cumprod, 1, 1, expected);
    Exact exact;
    for (std::size_t i = 0; i < count; ++i) {
      exact.multiply(x[i]);
      expect_near(expected[i], exact.value<T>(), i);
    }
    expect_near(value, exact.value<T>(), count);
    for (unsigned threads : {1, 3}) {
      for (unsigned pes : {1, 2, 3, 5}) {
        EXPECT_EQ(to_bits(value), to_bits(scan_and_reduce(x, Scan::cumprod, threads, pes, got)));
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(to_bits(got[i]), to_bits(expected[i])) << i;
      }
    }
  }
}

TYPED_TEST(Range, SumsComeBack) {
  using T = TypeParam;
  constexpr T large = std::numeric_limits<T>::max() / 4 * 3;
  std::mt19937_64 random(5);
  for (std::size_t count : {3, 50, 1024, 3000, 40000}) {
    std::vector<T> x(count), expected, got;
    T sum = 0;  // in plain order in range, while lanes and units are not
    for (T& v : x) {
      v = static_cast<T>(static_cast<double>(random() >> 11) * 0x1.0p-53) * large * (sum > 0 ? T(-1) : T(1));
      sum += v;
    }
    const T value = scan_and_reduce(x, Scan::cumsum, 1, 1, expected);
    long double exact = 0;
    for (std::size_t i = 0; i < count; ++i) {
      exact += static_cast<long double>(x[i]);
      const long double error =
          static_cast<long double>(i + 2) * std::numeric_limits<T>::epsilon() * static_cast<long double>(large);
      ASSERT_NEAR(static_cast<long double>(expected[i]), exact, error) << i;
    }
    ASSERT_TRUE(std::isfinite(value));
    for (unsigned threads : {1, 3}) {
      for (unsigned pes : {1, 2, 3}) {
        EXPECT_EQ(to_bits(value), to_bits(scan_and_reduce(x, Scan::cumsum, threads, pes, got)));
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(to_bits(got[i]), to_bits(expected[i])) << i;
      }
    }
  }
}

TEST(RangeEdges, SpecialFactors) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const struct {
    std::vector<double> x;
    double product;
  } cases[] = {
      {{0, 1e200, 1e200}, 0},
      {{1e200, 1e200, 0}, 0},
      {{-1, 1e200, 1e200, 0}, -0.0},
      {{inf, 1e-200, 1e-200}, inf},
      {{1e-200, 1e-200, -inf}, -inf},
      {{1e200, 1e200, 0, inf}, nan},
      {{1e-200, 1e-200, nan}, nan},
      {{1e200, 1e200}, inf},
      {{-1e200, 1e200}, -inf},
      {{1e-200, 1e-200}, 0},
      {{-1e-200, 1e-200}, -0.0},
      {{1e-200, 1e-120, 1e200}, 1e-120},
      {{least, 0x1p1000, 0x1p74}, 1},
      {{0x1p-600, 0x1p-600, 0x1p126}, least},
      {{0x1p1000, 0x1p1000, 0x1p-977}, 0x1p1023},
  };
  for (const auto& c : cases) {
    std::vector<double> all;
    const double got = scan_and_reduce(c.x, Scan::cumprod, 1, 1, all);
    for (double value : {got, all.back()}) {
      if (std::isnan(c.product)) {
        EXPECT_TRUE(std::isnan(value));
      } else {
        EXPECT_DOUBLE_EQ(value, c.product);
        EXPECT_EQ(std::signbit(value), std::signbit(c.product));
      }
    }
  }
}

TEST(RangeEdges, InfiniteAndNanTermsStay) {
  std::vector<double> x(3000, 1e308), all;
  x[2000] = -inf;
  EXPECT_EQ(scan_and_reduce(x, Scan::cumsum, 2, 3, all), -inf);
  EXPECT_EQ(all[2000], -inf);
  EXPECT_EQ(all[1999], inf);
  x[2500] = inf;
  EXPECT_TRUE(std::isnan(scan_and_reduce(x, Scan::cumsum, 2, 3, all)));
}

/// Units and scans with exponents apart do what the plain kernels do, bit for bit, where these stay in range.
TYPED_TEST(Range, ScaledKernelsFollowThePlainOrder) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  for (Scan kind : {Scan::cumsum, Scan::cumprod}) {
    const Reduction reduction = reduction_of(kind);
    const ScaledKernels& scaled = find_scaled_kernels(reduction, dtype_of<T>);
    for (std::size_t count = 1; count <= 1024; count += 1 + count / 3) {
      std::vector<T> x(count), plain(count), apart(count);
      for (T& v : x) v = static_cast<T>(0.95 + static_cast<double>(random() % 100003) / 1e6);
      TreeNode node;
      scaled.unit(x.data(), nullptr, count, node);
      EXPECT_EQ(node.bits, find_unit_kernels(reduction, dtype_of<T>).one(x.data(), count)) << count;
      EXPECT_EQ(node.position, 0u);
      for (bool has_carry : {false, true}) {
        alignas(64) T lanes[scan_lanes_bytes / sizeof(T)];
        find_unit_scan(kind, dtype_of<T>)(plain.data(), x.data(), count, node.bits, has_carry, false, x.data(), lanes);
        EXPECT_EQ(node.bits, find_unit_kernels(reduction, dtype_of<T>).one(lanes, scan_lanes_bytes / sizeof(T)))
            << count;
        find_scaled_scan(kind, dtype_of<T>)(apart.data(), x.data(), count, has_carry ? &node : nullptr);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(to_bits(plain[i]), to_bits(apart[i])) << i;
      }
    }
  }
}

/// Reductions over axes and scans of rows: shape (rows, middle, width), products whose exponents wander.
TYPED_TEST(Range, AxesComeBack) {
  using T = TypeParam;
  const std::uint64_t rows = 600;
  const std::pair<std::uint64_t, std::uint64_t> inner[] = {{1, 3}, {1, 200}, {5, 3}, {40, 1}, {1500, 2}, {1, 1500}};
  for (auto [middle, width] : inner) {
    const std::uint64_t total_rows = middle * width > 1000 ? 40 : rows;
    const std::vector<T> x = wild<T>(total_rows * middle * width, static_cast<unsigned>(middle + width));
    Program program;
    program.results.push_back(program.add_leaf(dtype_of<T>));
    const Plan plan(program);
    Domain domain;
    domain.dims = 3;
    domain.shape = {static_cast<std::int64_t>(total_rows), static_cast<std::int64_t>(middle),
                    static_cast<std::int64_t>(width)};
    const Leaf leaf = Leaf::dense(x.data(), domain);
    auto at = [&](std::uint64_t i, std::uint64_t j, std::uint64_t k) { return x[(i * middle + j) * width + k]; };
    for (unsigned threads : {1, 3}) {
      Environment env(threads);
      for (AxisSet axes : {AxisSet{2}, AxisSet{4}, AxisSet{6}}) {
        const bool m = (axes & 2) != 0, w = (axes & 4) != 0;
        std::vector<T> out(total_rows * (m ? 1 : middle) * (w ? 1 : width));
        reduce_inner(plan, env.work, domain, {&leaf, 1}, Reduction::prod, axes, out.data());
        std::vector<Exact> exact(out.size());
        for (std::uint64_t i = 0; i < total_rows; ++i)
          for (std::uint64_t j = 0; j < middle; ++j)
            for (std::uint64_t k = 0; k < width; ++k)
              exact[(i * (m ? 1 : middle) + (m ? 0 : j)) * (w ? 1 : width) + (w ? 0 : k)].multiply(at(i, j, k));
        const std::size_t reduced = (m ? middle : 1) * (w ? width : 1);
        for (std::size_t i = 0; i < out.size(); ++i) expect_near(out[i], exact[i].template value<T>(), reduced);
      }
      const UnitGrid grid(64);
      for (AxisSet axes : {AxisSet{1}, AxisSet{3}, AxisSet{5}, AxisSet{7}}) {
        const bool m = (axes & 2) != 0, w = (axes & 4) != 0;
        RowFold fold(Reduction::prod, dtype_of<T>, (m ? 1 : middle) * (w ? 1 : width));
        reduce_rows(plan, env.work, domain, {&leaf, 1}, axes, total_rows, grid, fold);
        std::vector<T> out(fold.width());
        fold.finish(out.data());
        std::vector<Exact> exact(out.size());
        for (std::uint64_t i = 0; i < total_rows; ++i)
          for (std::uint64_t j = 0; j < middle; ++j)
            for (std::uint64_t k = 0; k < width; ++k)
              exact[(m ? 0 : j) * (w ? 1 : width) + (w ? 0 : k)].multiply(at(i, j, k));
        const std::size_t reduced = total_rows * (m ? middle : 1) * (w ? width : 1);
        for (std::size_t i = 0; i < out.size(); ++i) expect_near(out[i], exact[i].template value<T>(), reduced);
      }
      std::vector<T> scanned(x.size()), first;
      const std::uint64_t row = middle * width;
      for (unsigned pes : {1, 2, 3}) {
        RowFold before(Reduction::prod, dtype_of<T>, row);
        const std::uint64_t granules = (total_rows + 63) / 64;
        for (unsigned pe = 0; pe < pes; ++pe) {
          const std::uint64_t begin = std::min(granules * pe / pes * 64, total_rows);
          const std::uint64_t end = std::min(granules * (pe + 1) / pes * 64, total_rows);
          scan_rows(env.work, Scan::cumprod, dtype_of<T>, x.data() + begin * row, scanned.data() + begin * row,
                    end - begin, row, begin, total_rows, grid, begin == 0 ? nullptr : &before.nodes());
          scan_row_nodes(env.work, Scan::cumprod, dtype_of<T>, x.data() + begin * row, end - begin, row, begin,
                         total_rows, grid, before);
        }
        if (pes == 1) {
          std::vector<Exact> exact(row);
          for (std::size_t i = 0; i < x.size(); ++i) {
            exact[i % row].multiply(x[i]);
            expect_near(scanned[i], exact[i % row].template value<T>(), i / row);
          }
          first = scanned;
        }
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(to_bits(first[i]), to_bits(scanned[i]));
      }
    }
  }
}

}  // namespace
}  // namespace atl::array
