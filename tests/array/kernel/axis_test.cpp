// SPDX-License-Identifier: Apache-2.0
// Reductions over axes and scans along them against plain loops, and their independence of threads and PEs.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "atoll/array/kernel/scan.hpp"
#include "atoll/base/error.hpp"

namespace atl::array {
namespace {

struct Environment {
  explicit Environment(unsigned count) : threads(count) {}
  ThreadPool threads;
  SystemMemory memory;
  Monitor monitor;
  Work work{threads, memory, monitor};
};

// x + x for numbers, so that tiles are computed; plain leaves take another way through the kernels.
template <class T>
Plan make_plan(bool plain) {
  Program program;
  const Register x = program.add_leaf(dtype_of<T>);
  program.results.push_back(plain ? x : program.add(Op::add, dtype_of<T>, x, x));
  return Plan(program);
}

template <class T>
std::vector<T> values(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<T> x(count);
  for (T& v : x) v = static_cast<T>(static_cast<std::int64_t>(random() % 41) - 20);  // sums are exact in any order
  return x;
}

template <class T>
struct Expected {
  std::vector<double> value;
  std::vector<std::int64_t> place;
};

/// Reduces in plain order; `place` is the index along the (only) reduced axis.
template <class T>
Expected<T> oracle(const std::vector<T>& x, const std::vector<std::int64_t>& shape, AxisSet axes, Reduction kind,
                   T factor) {
  std::size_t kept = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) kept *= (axes >> d & 1) ? 1 : static_cast<std::size_t>(shape[d]);
  Expected<T> e{std::vector<double>(kept), std::vector<std::int64_t>(kept)};
  std::vector<char> seen(kept, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t rest = i, at = 0, scale = 1;
    std::int64_t place = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const std::size_t index = rest % static_cast<std::size_t>(shape[d]);
      rest /= static_cast<std::size_t>(shape[d]);
      if (axes >> d & 1) {
        place = static_cast<std::int64_t>(index);
      } else {
        at += index * scale;
        scale *= static_cast<std::size_t>(shape[d]);
      }
    }
    const double v = static_cast<double>(x[i]) * static_cast<double>(factor);
    double& r = e.value[at];
    switch (kind) {
      case Reduction::sum: r += v; break;
      case Reduction::count_nonzero: r += v != 0; break;
      case Reduction::any: r = r != 0 || v != 0; break;
      case Reduction::all: r = (!seen[at] || r != 0) && v != 0; break;
      case Reduction::min:
      case Reduction::argmin:
        if (!seen[at] || v < r) {
          r = v;
          e.place[at] = place;
        }
        break;
      default:
        if (!seen[at] || v > r) {
          r = v;
          e.place[at] = place;
        }
    }
    seen[at] = 1;
  }
  return e;
}

template <class T>
void check_all(const std::vector<std::int64_t>& shape, std::uint64_t granule = 3) {
  std::size_t count = 1;
  for (std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  const std::vector<T> x = values<T>(count);
  const int dims = static_cast<int>(shape.size());
  for (bool plain : {true, false}) {
    const Plan plan = make_plan<T>(plain);
    for (AxisSet axes = 1; axes < (1u << dims); ++axes) {
      for (Reduction kind : {Reduction::sum, Reduction::min, Reduction::max, Reduction::argmin, Reduction::argmax,
                             Reduction::any, Reduction::all, Reduction::count_nonzero}) {
        const bool places = kind == Reduction::argmin || kind == Reduction::argmax;
        if (places && (axes & (axes - 1)) != 0) continue;
        const Expected<T> expected = oracle(x, shape, axes, kind, plain ? T(1) : T(2));
        const DType result = result_type(kind, dtype_of<T>);
        for (unsigned threads : {1, 2, 3}) {
          Environment env(threads);
          for (unsigned pes : {1, 2, 5}) {
            std::vector<std::byte> out(expected.value.size() * 8 + 8);
            const std::uint64_t rows = static_cast<std::uint64_t>(shape[0]);
            const UnitGrid grid(granule);
            const std::uint64_t row = count / rows;
            RowFold whole(kind, dtype_of<T>, expected.value.size());
            std::size_t written = 0;
            for (unsigned pe = 0; pe < pes; ++pe) {
              const std::uint64_t granules = (rows + granule - 1) / granule;
              const std::uint64_t begin = std::min(granules * pe / pes * granule, rows);
              const std::uint64_t end = std::min(granules * (pe + 1) / pes * granule, rows);
              Domain domain;
              domain.dims = dims;
              for (int d = 0; d < dims; ++d) domain.shape[d] = shape[static_cast<std::size_t>(d)];
              domain.shape[0] = static_cast<std::int64_t>(end - begin);
              domain.first = begin * row;
              const Leaf leaf = Leaf::dense(x.data() + begin * row, domain);
              if (axes & 1) {
                RowFold mine(kind, dtype_of<T>, expected.value.size());
                reduce_rows(plan, env.work, domain, {&leaf, 1}, axes, rows, grid, mine);
                whole.push(RowNodes::from_bytes(mine.nodes().to_bytes()));
              } else {
                reduce_inner(plan, env.work, domain, {&leaf, 1}, kind, axes, out.data() + written * size_of(result));
                written += expected.value.size() / rows * (end - begin);
              }
            }
            if (axes & 1) whole.finish(out.data());
            dispatch(result, [&](auto r) {
              using R = typename decltype(r)::type;
              for (std::size_t i = 0; i < expected.value.size(); ++i) {
                R got;
                std::memcpy(&got, out.data() + i * sizeof(R), sizeof(R));
                const double want = places ? static_cast<double>(expected.place[i]) : expected.value[i];
                ASSERT_EQ(static_cast<double>(got), static_cast<double>(static_cast<R>(want)))
                    << name_of(kind) << " axes " << axes << " at " << i << " threads " << threads << " pes " << pes
                    << " plain " << plain << " shape " << ::testing::PrintToString(shape);
              }
            });
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Axes, AllSetsOfAxes) {
  check_all<double>({10, 7});
  check_all<double>({7, 3, 5});
  check_all<std::int64_t>({4, 1, 3, 6});
  check_all<float>({3, 40, 35});
  check_all<std::int16_t>({5, 64, 2});
}

TEST(Axes, LongAndNarrow) {
  check_all<double>({5000, 3});
  check_all<double>({3, 2500});
}

TEST(Axes, WideRowsAreSharedOutByColumns) {
  check_all<double>({4, 7000});
  check_all<std::int32_t>({4, 7001});
}

// Rows that are units by themselves are joined eight at a time.
TEST(Axes, RowsAsUnits) {
  check_all<double>({27, 131}, 1);
  check_all<float>({16, 3, 50}, 1);
  check_all<std::int16_t>({41, 150}, 1);
}

TEST(Axes, RowsAsUnitsLeaveTheRangeOfTheirType) {
  const std::uint64_t rows = 19, width = 200;
  for (const Reduction kind : {Reduction::sum, Reduction::prod}) {
    std::vector<double> x(rows * width, 1.5), expected(width, 0.0);
    // Partial sums and products are infinite in some rows, the results are not.
    for (std::uint64_t row = 0; row < 16; ++row) {
      const double large = kind == Reduction::sum ? (row < 4 ? 1e308 : -1e308) : row % 4 < 2 ? 1e200 : 1e-200;
      x[row * width + 7] = row < 8 ? large : 1.0;
    }
    Environment env(2);
    Domain domain;
    domain.dims = 2;
    domain.shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(width)};
    const Leaf leaf = Leaf::dense(x.data(), domain);
    RowFold fold(kind, DType::f64, width);
    reduce_rows(make_plan<double>(true), env.work, domain, {&leaf, 1}, 1, rows, UnitGrid(1), fold);
    fold.finish(expected.data());
    if (kind == Reduction::sum) {
      EXPECT_EQ(expected[6], 1.5 * 19);
      EXPECT_EQ(expected[7], 8 + 1.5 * 3);
    } else {
      EXPECT_DOUBLE_EQ(expected[6], std::pow(1.5, 19));
      EXPECT_DOUBLE_EQ(expected[7], std::pow(1.5, 3));
    }
  }
}

TEST(Axes, FloatSumsHaveTheSameBits) {
  std::mt19937_64 random(3);
  const std::uint64_t rows = 5000, width = 9;
  std::vector<double> x(rows * width);
  for (double& v : x) v = static_cast<double>(random()) * 1e-19;
  const Plan plan = make_plan<double>(true);
  std::vector<double> first;
  for (unsigned threads : {1, 2, 3}) {
    Environment env(threads);
    for (unsigned pes : {1, 2, 3, 4}) {
      const UnitGrid grid(100);
      RowFold whole(Reduction::sum, DType::f64, width);
      for (unsigned pe = 0; pe < pes; ++pe) {
        const std::uint64_t begin = 50 * pe / pes * 100, end = 50 * (pe + 1) / pes * 100;
        Domain domain;
        domain.dims = 2;
        domain.shape = {static_cast<std::int64_t>(end - begin), static_cast<std::int64_t>(width)};
        domain.first = begin * width;
        const Leaf leaf = Leaf::dense(x.data() + begin * width, domain);
        RowFold mine(Reduction::sum, DType::f64, width);
        reduce_rows(plan, env.work, domain, {&leaf, 1}, 1, rows, grid, mine);
        whole.push(mine.nodes());
      }
      std::vector<double> sums(width);
      whole.finish(sums.data());
      if (first.empty()) first = sums;
      ASSERT_EQ(sums, first);
    }
  }
}

TEST(Axes, NothingToReduce) {
  Environment env(1);
  const Plan plan = make_plan<double>(true);
  Domain domain;
  domain.dims = 2;
  domain.shape = {3, 0};
  const Leaf leaf = Leaf::dense(nullptr, domain);
  double out[3] = {7, 7, 7};
  reduce_inner(plan, env.work, domain, {&leaf, 1}, Reduction::sum, 2, out);
  for (double v : out) EXPECT_EQ(v, 0.0);
  EXPECT_THROW(reduce_inner(plan, env.work, domain, {&leaf, 1}, Reduction::min, 2, out), ValueError);
}

TEST(Axes, Scans) {
  const std::uint64_t outer = 6, length = 50, inner = 5;
  const std::vector<double> x = values<double>(outer * length * inner);
  for (unsigned threads : {1, 3}) {
    Environment env(threads);
    std::vector<double> y(x.size());
    scan_axis(env.work, Scan::cumsum, DType::f64, x.data(), y.data(), outer, length, inner);
    for (std::uint64_t o = 0; o < outer; ++o) {
      for (std::uint64_t i = 0; i < inner; ++i) {
        double sum = 0;
        for (std::uint64_t k = 0; k < length; ++k) {
          sum += x[(o * length + k) * inner + i];
          ASSERT_EQ(y[(o * length + k) * inner + i], sum);
        }
      }
    }
    std::vector<double> z = x;
    scan_axis(env.work, Scan::cummax, DType::f64, z.data(), z.data(), outer, length * inner, 1);
    for (std::uint64_t o = 0; o < outer; ++o) {
      double best = x[o * length * inner];
      for (std::uint64_t k = 0; k < length * inner; ++k) {
        best = std::max(best, x[o * length * inner + k]);
        ASSERT_EQ(z[o * length * inner + k], best);
      }
    }
    // Axis 0, over PEs.
    const std::uint64_t rows = 3000, width = 5;
    const std::vector<double> a = values<double>(rows * width);
    for (unsigned pes : {1, 2, 3}) {
      std::vector<double> b(a.size());
      const UnitGrid grid(100);
      const Plan plan = make_plan<double>(true);
      RowFold before(Reduction::sum, DType::f64, width);
      for (unsigned pe = 0; pe < pes; ++pe) {
        const std::uint64_t begin = 30 * pe / pes * 100, end = 30 * (pe + 1) / pes * 100;
        scan_rows(env.work, Scan::cumsum, DType::f64, a.data() + begin * width, b.data() + begin * width, end - begin,
                  width, begin, rows, grid, begin == 0 ? nullptr : &before.nodes());
        Domain domain;
        domain.dims = 2;
        domain.shape = {static_cast<std::int64_t>(end - begin), static_cast<std::int64_t>(width)};
        domain.first = begin * width;
        const Leaf leaf = Leaf::dense(a.data() + begin * width, domain);
        reduce_rows(plan, env.work, domain, {&leaf, 1}, 1, rows, grid, before);
      }
      std::vector<double> sums(width);
      for (std::uint64_t i = 0; i < a.size(); ++i) {
        sums[i % width] += a[i];
        ASSERT_EQ(b[i], sums[i % width]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace atl::array
