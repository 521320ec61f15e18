// SPDX-License-Identifier: Apache-2.0
#include "limit/movement.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "atoll/base/random.hpp"

namespace atl {
namespace {

TEST(LimitMovement, LoopsAreCorrect) {
  for (unsigned threads : {1u, 2u, 3u}) {
    ThreadPool pool(threads);
    for (std::size_t n : {1, 8, 100, 20000}) {
      std::unique_ptr<std::int64_t, decltype(&std::free)> out(
          static_cast<std::int64_t*>(std::aligned_alloc(64, (n * 8 + 63) / 64 * 64)), &std::free);
      std::vector<std::int64_t> values(n), order(n), counts(100), expected(100, 0);
      std::vector<double> unit(n);
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[to_bounded(random_bits(1, i), i)]);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<std::int64_t>(random_bits(2, i));
        unit[i] = to_unit_interval(random_bits(3, i));
        ++expected[static_cast<std::size_t>(unit[i] * 100)];
      }
      limit::gather(pool, values.data(), order.data(), out.get(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out.get()[i], values[static_cast<std::size_t>(order[i])]);
      limit::scatter(pool, values.data(), order.data(), out.get(), n);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out.get()[order[i]], values[i]);
      limit::histogram(pool, unit.data(), n, 100, counts.data());
      EXPECT_EQ(counts, expected);
      std::vector<std::uint64_t> bitmap(n / 64 + 1);
      for (std::uint64_t& word : bitmap) word = random_bits(4, static_cast<std::uint64_t>(&word - bitmap.data()));
      auto found = std::make_unique<bool[]>(n);
      limit::isin_dense(pool, order.data(), n, bitmap.data(), found.get());
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(found[i], (bitmap[static_cast<std::size_t>(order[i]) / 64] >> (order[i] % 64) & 1) != 0);
    }
  }
}

}  // namespace
}  // namespace atl
