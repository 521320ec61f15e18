// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/histogram.hpp"
#include "atoll/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

// The bin that the edges alone decide; -1 outside.
template <class T>
std::int64_t bin_of(T value, const std::vector<double>& edges) {
  auto x = static_cast<double>(value);
  std::size_t bins = edges.size() - 1;
  if (!(x >= edges[0] && x <= edges[bins])) return -1;
  if (x == edges[bins]) return static_cast<std::int64_t>(bins) - 1;
  return std::upper_bound(edges.begin(), edges.end(), x) - edges.begin() - 1;
}

template <class T>
std::vector<double> edges_for(double low, double high, std::size_t bins) {
  std::vector<double> edges(bins + 1);
  uniform_edges(low, high, bins, edges.data());
  if (std::is_same_v<T, float>)
    for (double& edge : edges) edge = static_cast<float>(edge);
  return edges;
}

TEST(Histogram, EdgesAreLinspace) {
  double edges[11];
  uniform_edges(0.0, 1.0, 10, edges);
  EXPECT_EQ(edges[3], 3 * 0.1);  // 0.30000000000000004, as numpy.linspace has it
  EXPECT_EQ(edges[10], 1.0);
}

TEST(Histogram, AgreesWithTheEdges) {
  struct Range {
    double low, high;
  };
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      for (Range range : {Range{0, 1}, Range{0, 100}, Range{-3.7, 88.1}, Range{-1e6, 1e6}, Range{1e6, 1e6 + 1}}) {
        for (std::size_t bins : {1, 2, 3, 10, 100, 1000, 1025, 5000}) {
          auto edges = edges_for<T>(range.low, range.high, bins);
          // Bins narrower than float32 can tell apart: NumPy's single step to a neighbour is all there is.
          if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) continue;
          std::size_t n = bins == 100 ? 40001 : 777;
          std::unique_ptr<T[]> values(new T[n]);
          SequentialRandom random(bins);
          for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t kind = random() % 4;
            if (kind == 0) {
              values[i] = troublesome<T>(random);
            } else {
              double x = kind == 1 ? edges[random.below(bins + 1)]  // exactly on an edge, or one value beside it
                                   : range.low + to_unit_interval(random()) * (range.high - range.low);
              if (std::is_floating_point_v<T>) {
                values[i] = static_cast<T>(x);
                std::uint64_t side = random() % 3;
                if constexpr (std::is_floating_point_v<T>)
                  if (side != 0) values[i] = std::nextafter(values[i], side == 1 ? T(1e30) : T(-1e30));
              } else {
                values[i] = static_cast<T>(static_cast<std::int64_t>(x));
              }
            }
          }
          std::vector<std::int64_t> expected(bins, 0), counts(bins, -1);
          std::vector<double> weights(n), expected_sums(bins, 0.0), sums(bins, -1.0);
          for (std::size_t i = 0; i < n; ++i) {
            weights[i] = to_unit_interval(random_bits(1, i));
            std::int64_t bin = bin_of(values[i], edges);
            if (bin < 0) continue;
            ++expected[static_cast<std::size_t>(bin)];
            expected_sums[static_cast<std::size_t>(bin)] += weights[i];
          }
          DType type = dtype_of<T>;
          histogram_uniform(harness.work, type, values.get(), n, range.low, range.high, bins, counts.data());
          EXPECT_EQ(counts, expected) << range.low << " " << range.high << " " << bins;
          histogram_uniform(harness.work, type, values.get(), n, range.low, range.high, bins, weights.data(),
                            sums.data());
          EXPECT_EQ(sums, expected_sums);
          if (!std::is_same_v<T, float>) {
            histogram_edges(harness.work, type, values.get(), n, edges.data(), bins, counts.data());
            EXPECT_EQ(counts, expected);
            histogram_edges(harness.work, type, values.get(), n, edges.data(), bins, weights.data(), sums.data());
            EXPECT_EQ(sums, expected_sums);
          }
        }
      }
    });
  }
}

// Nothing but values in bins: integers, most of which lie on edges, and numbers of which few do.
TEST(Histogram, AllInBins) {
  struct Range {
    double low, high;
  };
  Harness harness(2);
  for_all_dtypes([&]<class T>(Type<T>) {
    for (Range range : {Range{0, 1}, Range{0, 100}, Range{-90, 110}, Range{0.5, 64.5}, Range{-7, 0}, Range{-0.1, 120.1},
                        Range{0, 49}}) {
      for (std::size_t bins : {1, 7, 10, 49, 100, 490, 1000, 2000}) {
        auto edges = edges_for<T>(range.low, range.high, bins);
        for (double top : {range.high, range.high - 1}) {  // with and without the edge that closes the last bin
          std::vector<T> values;
          SequentialRandom random(bins);
          for (int draw = 0; draw < 4000; ++draw) {
            double x = range.low + to_unit_interval(random()) * (range.high - range.low);
            if (!std::is_floating_point_v<T> || random() % 2 == 0) x = std::round(x);
            const double least = std::is_signed_v<T> ? range.low : std::max(range.low, 0.0);
            if (x >= least && x <= (std::is_same_v<T, bool> ? std::min(top, 1.0) : top))
              values.push_back(static_cast<T>(x));
          }
          std::vector<std::int64_t> expected(bins, 0), counts(bins, -1);
          for (T value : values) ++expected[static_cast<std::size_t>(bin_of(value, edges))];
          std::unique_ptr<T[]> plain(new T[values.size() + 1]);
          std::copy(values.begin(), values.end(), plain.get());
          histogram_uniform(harness.work, dtype_of<T>, plain.get(), values.size(), range.low, range.high, bins,
                            counts.data());
          EXPECT_EQ(counts, expected) << name_of(dtype_of<T>) << " " << range.low << " " << top << " " << bins;
        }
      }
    }
  });
}

// Numbers whose positions have a bin's low bits, far outside.
TEST(Histogram, HugeNumbersAreOutside) {
  Harness harness(1);
  std::vector<double> values(64, 0.5);
  for (double huge : {0x1.0p32, 0x1.0p51, 0x1.0p52, 0x1.8p52, 0x1.0p53, 0x1.0p60, 1e300,
                      std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (double value : {huge, -huge, huge + 1}) {
      values[13] = value;
      std::vector<std::int64_t> counts(100);
      histogram_uniform(harness.work, DType::f64, values.data(), values.size(), 0, 100, 100, counts.data());
      EXPECT_EQ(counts[0], 63) << value;
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 63) << value;
    }
  }
}

TEST(Histogram, UnevenAndRepeatedEdges) {
  Harness harness(2);
  std::vector<double> values{0, 1, 1, 2, 2, 2, 5, 7, std::nan(""), -1, 8}, edges{0, 1, 1, 2, 7};
  std::vector<std::int64_t> counts(4);
  histogram_edges(harness.work, DType::f64, values.data(), values.size(), edges.data(), 4, counts.data());
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 0, 2, 5}));  // numpy.histogram gives the same
}

TEST(Histogram, MillionsOfBins) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    std::size_t bins = 3000000, n = 100000;
    std::vector<double> values(n);
    std::vector<std::int64_t> counts(bins), expected(bins, 0);
    auto edges = edges_for<double>(0, 1, bins);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = to_unit_interval(random_bits(8, i));
      ++expected[static_cast<std::size_t>(bin_of(values[i], edges))];
    }
    histogram_uniform(harness.work, DType::f64, values.data(), n, 0, 1, bins, counts.data());
    EXPECT_TRUE(counts == expected);
  }
}

TEST(Histogram, NothingToCount) {
  Harness harness(2);
  std::vector<std::int64_t> counts{7, 7};
  histogram_uniform(harness.work, DType::f64, nullptr, 0, 0, 1, 2, counts.data());
  EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 0}));
  EXPECT_FALSE(bincount(harness.work, DType::i64, nullptr, 0, 0, counts.data()));
  EXPECT_THROW(histogram_uniform(harness.work, DType::f64, nullptr, 0, 0, 1, 0, counts.data()), ValueError);
}

TEST(Bincount, AgreesWithALoop) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      if constexpr (!std::is_floating_point_v<T>) {
        for (std::size_t bins : {1, 2, 100, 127, 5000, 200000}) {
          for (std::size_t n : element_counts()) {
            std::uint64_t below = std::min<std::uint64_t>(bins, std::is_same_v<T, bool> ? 2
                                                                : sizeof(T) == 1        ? 128
                                                                : sizeof(T) == 2        ? 32768
                                                                                        : bins);
            std::unique_ptr<T[]> values(new T[n + 1]);
            std::vector<std::int64_t> counts(bins, -1), expected(bins, 0);
            std::vector<double> weights(n), sums(bins, -1), expected_sums(bins, 0.0);
            for (std::size_t i = 0; i < n; ++i) {
              std::uint64_t bin = i % 3 == 0 ? below - 1 : to_bounded(random_bits(3, i), below);
              values[i] = static_cast<T>(bin);
              weights[i] = to_unit_interval(random_bits(4, i));
              ++expected[bin];
              expected_sums[bin] += weights[i];
            }
            EXPECT_FALSE(bincount(harness.work, dtype_of<T>, values.get(), n, bins, counts.data()));
            EXPECT_TRUE(counts == expected);
            EXPECT_FALSE(bincount(harness.work, dtype_of<T>, values.get(), n, bins, weights.data(), sums.data()));
            EXPECT_TRUE(sums == expected_sums);
          }
        }
      }
    });
    std::vector<std::int64_t> values(50000, 3), counts(4);
    values[40000] = -1;
    values[45000] = 4;
    BadIndex bad = bincount(harness.work, DType::i64, values.data(), values.size(), 4, counts.data());
    EXPECT_EQ(bad.position, 40000);
    EXPECT_EQ(bad.value, -1);
  }
}

}  // namespace
}  // namespace atl::array
