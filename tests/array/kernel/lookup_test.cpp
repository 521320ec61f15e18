// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/lookup.hpp"

#include <algorithm>

#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

// NumPy's order: NaN last and equal to itself.
template <class T>
bool before(T a, T b) {
  return a < b || (a == a && b != b);
}

TEST(SearchSorted, AgreesWithTheLibrary) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      for (std::size_t m : {0, 1, 2, 3, 7, 8, 64, 100, 1000, 20000}) {
        SequentialRandom random(m);
        std::unique_ptr<T[]> table(new T[m + 1]);
        for (std::size_t i = 0; i < m; ++i) table[i] = troublesome<T>(random);
        std::sort(table.get(), table.get() + m, before<T>);
        for (std::size_t n : {0, 1, 7, 63, 64, 65, 1000, 9000}) {
          std::unique_ptr<T[]> values(new T[n + 1]);
          for (std::size_t i = 0; i < n; ++i)
            values[i] = m > 0 && i % 2 == 0 ? table[random.below(m)] : troublesome<T>(random);
          Guarded<std::int64_t> left(n), right(n, 1);
          searchsorted(harness.work, dtype_of<T>, table.get(), m, values.get(), n, Side::left, left.data());
          searchsorted(harness.work, dtype_of<T>, table.get(), m, values.get(), n, Side::right, right.data());
          for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(left[i], std::lower_bound(table.get(), table.get() + m, values[i], before<T>) - table.get());
            ASSERT_EQ(right[i], std::upper_bound(table.get(), table.get() + m, values[i], before<T>) - table.get());
          }
          EXPECT_TRUE(left.intact() && right.intact());
        }
      }
    });
  }
}

template <class T, class Make>
void check_isin(const Work& work, std::size_t n, std::size_t m, Make make) {
  std::unique_ptr<T[]> test(new T[m + 1]), values(new T[n + 1]);
  for (std::size_t i = 0; i < m; ++i) test[i] = make(i);
  for (std::size_t i = 0; i < n; ++i) values[i] = m > 0 && i % 3 == 0 ? test[i % m] : make(i + m);
  std::vector<T> sorted;
  for (std::size_t i = 0; i < m; ++i)
    if (test[i] == test[i]) sorted.push_back(test[i]);
  std::sort(sorted.begin(), sorted.end());
  Guarded<bool> to(n, 1);
  isin(work, dtype_of<T>, values.get(), n, test.get(), m, to.data());
  for (std::size_t i = 0; i < n; ++i) {
    bool expected = values[i] == values[i] && std::binary_search(sorted.begin(), sorted.end(), values[i]);
    ASSERT_EQ(to[i], expected) << "value " << +values[i] << " of " << n << " in " << m;
  }
  EXPECT_TRUE(to.intact());
}

TEST(IsIn, AgreesWithASearch) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      for (std::size_t m : {0, 1, 5, 100, 3000, 20000}) {
        for (std::size_t n : {0, 1, 65, 5000}) {
          SequentialRandom random(m + n);
          check_isin<T>(harness.work, n, m, [&](std::size_t) { return troublesome<T>(random); });
          check_isin<T>(harness.work, n, m, [&](std::size_t) { return static_cast<T>(random() % 5000); });
          // Far apart, equal in the low bits: an adversary for multiplicative hashing.
          check_isin<T>(harness.work, n, m, [&](std::size_t i) { return static_cast<T>(random_bits(1, i) << 44); });
          check_isin<T>(harness.work, n, m, [&](std::size_t i) { return static_cast<T>(i << 20); });
        }
      }
    });
  }
}

// So many that every thread has a bitmap of its own.
TEST(IsIn, ManyTestValuesThatLieTogether) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      SequentialRandom random(threads);
      check_isin<T>(harness.work, 500, 70000,
                    [&](std::size_t) { return static_cast<T>(static_cast<T>(random() % 400000) - static_cast<T>(7)); });
      check_isin<T>(harness.work, 500, 70000, [&](std::size_t i) { return static_cast<T>(i < 69999 ? 5 : 90000); });
    });
  }
}

TEST(IsIn, NegativeZeroIsZeroAndNanIsNothing) {
  Harness harness(1);
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (double far : {1.0, 1e300}) {
    std::vector<double> values{0.0, -0.0, nan, far}, test{-0.0, nan, far};
    bool to[4];
    isin(harness.work, DType::f64, values.data(), 4, test.data(), 3, to);
    EXPECT_TRUE(to[0] && to[1] && !to[2] && to[3]);
    isin(harness.work, DType::f64, values.data(), 4, &nan, 1, to);
    EXPECT_FALSE(to[0] || to[1] || to[2] || to[3]);
  }
}

}  // namespace
}  // namespace atl::array
