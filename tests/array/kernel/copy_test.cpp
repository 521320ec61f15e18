// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/copy.hpp"

#include <algorithm>
#include <numeric>

#include "atoll/array/kernel/fill.hpp"
#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

TEST(CopyBytes, CopiesExactlyThatMuch) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t count : {0, 1, 63, 64, 65, 1000, 65536, 65537, 200001, 5000003}) {
      for (std::size_t shift : {0, 1, 17}) {
        std::vector<unsigned char> from(count);
        for (std::size_t i = 0; i < count; ++i) from[i] = static_cast<unsigned char>(random_bits(1, i));
        Guarded<unsigned char> to(count, shift);
        copy_bytes(harness.work, to.data(), from.data(), count);
        EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << count << " " << shift;
        EXPECT_TRUE(to.intact());
      }
    }
  }
}

TEST(Fill, WritesEveryElement) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      T value = std::is_same_v<T, bool> ? T(1) : static_cast<T>(-3);
      for (std::size_t count : {0, 1, 7, 64, 65, 1000, 70001, 3000001}) {
        for (std::size_t shift : {0, 1, 3}) {
          Guarded<T> to(count, shift);
          fill(harness.work, dtype_of<T>, bits_of(value), to.data(), count);
          EXPECT_EQ(std::count(to.begin(), to.end(), value), static_cast<std::ptrdiff_t>(count));
          EXPECT_TRUE(to.intact());
        }
      }
    });
  }
}

// Every layout: axes permuted, reversed, stepped, broadcast.
template <class T>
void check_strided(const Work& work, std::vector<std::int64_t> shape, std::vector<std::size_t> order, int step,
                   bool reverse, bool broadcast) {
  std::size_t ndim = shape.size();
  std::vector<std::int64_t> from_strides(ndim), to_strides(ndim);
  std::int64_t from_count = 1, total = 1;
  for (std::size_t k = ndim; k-- > 0;) {  // the source is laid out with its axes in `order`
    std::size_t axis = order[k];
    if (broadcast && k == 0) continue;
    from_strides[axis] = from_count * static_cast<std::int64_t>(sizeof(T));
    from_count *= shape[axis] * (k + 1 == ndim ? step : 1);
    if (k + 1 == ndim) from_strides[axis] *= step;
  }
  for (std::size_t k = ndim; k-- > 0;) {
    to_strides[k] = total * static_cast<std::int64_t>(sizeof(T));
    total *= shape[k];
  }
  std::vector<T> from(static_cast<std::size_t>(std::max<std::int64_t>(from_count, 1)));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(random_bits(3, i));
  Guarded<T> to(static_cast<std::size_t>(total), 1);
  const auto* start = reinterpret_cast<const unsigned char*>(from.data());
  if (reverse && total > 0) {
    for (std::size_t k = 0; k < ndim; ++k) {
      start += (shape[k] - 1) * from_strides[k];
      from_strides[k] = -from_strides[k];
    }
  }
  copy_strided(work, sizeof(T), ndim, shape.data(), to.data(), to_strides.data(), start, from_strides.data());
  EXPECT_TRUE(to.intact());
  std::vector<std::int64_t> at(ndim, 0);
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t rest = i, offset = 0;
    for (std::size_t k = ndim; k-- > 0;) {
      offset += rest % shape[k] * from_strides[k];
      rest /= shape[k];
    }
    T expected;
    std::memcpy(&expected, start + offset, sizeof(T));
    ASSERT_EQ(to[static_cast<std::size_t>(i)], expected) << "element " << i;
  }
}

TEST(CopyStrided, AgreesWithElementByElement) {
  const std::vector<std::vector<std::int64_t>> shapes{{},          {1},          {5},          {1000},    {40000},
                                                      {0, 3},      {3, 0},       {1, 1},       {4, 4},    {8, 8},
                                                      {17, 65},    {130, 257},   {1, 700},     {700, 1},  {3, 4, 5},
                                                      {20, 1, 33}, {16, 40, 64}, {2, 3, 4, 5}, {2000, 2}, {2, 2000}};
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (const auto& shape : shapes) {
      std::vector<std::size_t> order(shape.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        for (int variant = 0; variant < 5; ++variant) {
          int step = variant == 1 ? 3 : 1;
          bool reverse = variant == 2 || variant == 4, broadcast = variant >= 3;
          dispatch_size(std::size_t{1} << (variant + shape.size()) % 4, [&]<class T>(Type<T>) {
            check_strided<T>(harness.work, shape, order, step, reverse, broadcast);
          });
        }
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
}

TEST(CopyStrided, ReversesLinesAndTakesEveryOtherElement) {
  Harness harness(3);
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3, 1300}, {5, 700'003}})
    for (std::size_t size : {1, 2, 4, 8}) {
      if (size < 8 && shape[1] > 1300) continue;  // one that is large enough for stores past the caches
      dispatch_size(size, [&]<class T>(Type<T>) {
        check_strided<T>(harness.work, shape, {0, 1}, 2, false, false);
        check_strided<T>(harness.work, shape, {0, 1}, 1, true, false);
      });
    }
}

TEST(CopyStrided, LargeTransposesOfEverySizeStream) {
  Harness harness(2);
  for (std::size_t size : {1, 2, 4, 8})
    dispatch_size(size, [&]<class T>(Type<T>) {
      check_strided<T>(harness.work, {1031, static_cast<std::int64_t>(4096 / sizeof(T)) * 2}, {1, 0}, 1, false, false);
      check_strided<T>(harness.work, {1025, 2051}, {1, 0}, 1, true, false);
    });
}

TEST(CopyStrided, WritesToAStridedTarget) {
  Harness harness(2);
  std::vector<std::int64_t> to(1000, -1), from(100);
  std::iota(from.begin(), from.end(), 0);
  const std::int64_t shape[] = {100}, to_strides[] = {-8 * 7}, from_strides[] = {8};
  copy_strided(harness.work, 8, 1, shape, to.data() + 900, to_strides, from.data(), from_strides);
  for (std::int64_t i = 0; i < 1000; ++i) {
    std::int64_t back = 900 - i;
    bool written = back >= 0 && back % 7 == 0 && back / 7 < 100;
    EXPECT_EQ(to[static_cast<std::size_t>(i)], written ? back / 7 : -1);
  }
}

TEST(Reversed, AnyElementSize) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t size : {1, 2, 3, 4, 8, 24}) {
      for (std::size_t n : {0, 1, 2, 65, 30000}) {
        std::vector<unsigned char> from(n * size);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(random_bits(9, i));
        Guarded<unsigned char> to(n * size);
        copy_reversed(harness.work, size, to.data(), from.data(), n);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(std::memcmp(to.data() + i * size, from.data() + (n - 1 - i) * size, size), 0);
        EXPECT_TRUE(to.intact());
      }
    }
  }
}

TEST(TileAndRepeat, FollowNumPy) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t size : {1, 2, 3, 4, 8, 24}) {
      for (std::size_t n : {0, 1, 3, 100, 3000}) {
        for (std::size_t times : {0, 1, 2, 50, 1000}) {
          if (n * times > 200000) continue;
          std::vector<unsigned char> from(n * size);
          for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(random_bits(5, i));
          Guarded<unsigned char> tiled(n * size * times, size), repeated(n * size * times, size);
          tile(harness.work, tiled.data(), from.data(), n * size, times);
          repeat(harness.work, size, repeated.data(), from.data(), n, times);
          for (std::size_t i = 0; i < n * times; ++i) {
            ASSERT_EQ(std::memcmp(tiled.data() + i * size, from.data() + i % n * size, size), 0);
            ASSERT_EQ(std::memcmp(repeated.data() + i * size, from.data() + i / times * size, size), 0);
          }
          EXPECT_TRUE(tiled.intact() && repeated.intact());
        }
      }
    }
  }
}

}  // namespace
}  // namespace atl::array
