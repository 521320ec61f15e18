// SPDX-License-Identifier: Apache-2.0
// sort, argsort and coargsort against std::stable_sort in NumPy's order.
#include "atoll/array/kernel/sort.hpp"
#include "atoll/base/error.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "sort_cases.hpp"

namespace atl::array {
namespace {

using cases::Shape;

// A copy whose first element starts `offset` bytes past a 64-byte border.
template <class T>
class Misaligned {
 public:
  Misaligned(const std::vector<T>& values, std::size_t offset) : bytes_(new char[values.size() * sizeof(T) + 192]) {
    data_ = bytes_.get() + (64 - reinterpret_cast<std::uintptr_t>(bytes_.get()) % 64) + offset;
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value = values[i];
      std::memcpy(data_ + i * sizeof(T), &value, sizeof(T));
    }
  }
  char* data() { return data_; }

 private:
  std::unique_ptr<char[]> bytes_;
  char* data_;
};

template <class T>
std::vector<std::int64_t> oracle(const std::vector<T>& values, std::int64_t first) {
  std::vector<std::int64_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    return cases::before<T>(values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)]);
  });
  for (auto& row : rows) row += first;
  return rows;
}

class Sort : public testing::TestWithParam<unsigned> {
 protected:
  ThreadPool pool_{GetParam()};
  SystemMemory memory_;
  Monitor monitor_;
  Work work_{pool_, memory_, monitor_};

  template <class T>
  void check(Shape shape, std::size_t n, std::size_t offset) {
    SCOPED_TRACE(testing::Message() << name_of(dtype_of<T>) << " " << cases::shape_names[static_cast<int>(shape)]
                                    << " n=" << n << " offset=" << offset);
    const std::vector<T> values = cases::make<T>(shape, n, n + 1);
    Misaligned<T> in(values, offset);
    const std::vector<std::int64_t> expected = oracle(values, 1000);
    std::vector<std::int64_t> rows(n, -1);
    argsort(work_, dtype_of<T>, in.data(), n, 1000, rows.data());
    ASSERT_TRUE(rows == expected);

    // Sorted values: equal to the oracle's as values, and the same number of negative zeros.
    std::unique_ptr<T[]> out(new T[n + 1]);
    sort(work_, dtype_of<T>, in.data(), out.get(), n);
    auto same = [](T a, T b) { return a == b || (a != a && b != b); };
    auto is_negative_zero = [](T a) {
      if constexpr (std::is_floating_point_v<T>) return a == 0 && std::signbit(a);
      else return false;
    };
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(same(out[i], values[static_cast<std::size_t>(expected[i] - 1000)])) << i;
    ASSERT_EQ(std::count_if(values.begin(), values.end(), is_negative_zero),
              std::count_if(out.get(), out.get() + n, is_negative_zero));
    std::unique_ptr<T[]> in_place(new T[n + 1]);
    std::copy(values.begin(), values.end(), in_place.get());
    sort(work_, dtype_of<T>, in_place.get(), in_place.get(), n);
    ASSERT_TRUE(std::equal(out.get(), out.get() + n, in_place.get(), same));
    for (std::size_t i = 0; i < n; ++i) {
      T value;
      std::memcpy(&value, in.data() + i * sizeof(T), sizeof(T));
      ASSERT_TRUE(same(value, values[i])) << "input changed at " << i;
    }
  }

  template <class Body>
  void every_type(Body&& body) {
    for (std::size_t type = 0; type < dtype_count; ++type) {
      dispatch(static_cast<DType>(type), body);
      if (HasFatalFailure()) return;
    }
  }
};

TEST_P(Sort, SmallSizes) {
  every_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (Shape shape : cases::all_shapes) {
      for (std::size_t n : {0, 1, 2, 3, 7, 8, 9, 15, 17, 31, 33, 63, 64, 65, 257, 511, 512, 513, 5000}) {
        check<T>(shape, n, n % 3 == 0 ? 0 : n % 13);
        if (HasFatalFailure()) return;
      }
    }
  });
}

TEST_P(Sort, PartitionedSizes) {
  every_type([&](auto tag) {
    using T = typename decltype(tag)::type;
    for (Shape shape : cases::all_shapes) {
      if (sizeof(T) == 1 && shape != Shape::uniform && shape != Shape::specials) continue;
      check<T>(shape, 65'536 + 7 * sizeof(T) + 1, sizeof(T) == 1 ? 3 : 5);
      if (HasFatalFailure()) return;
    }
  });
}

#if defined(NDEBUG) && !defined(ATOLL_EMULATED)
TEST_P(Sort, Million) {
  for (Shape shape : cases::all_shapes) {
    check<std::int64_t>(shape, 1'000'003, 0);
    check<double>(shape, 1'000'001, 0);
    if (HasFatalFailure()) return;
  }
  check<std::int32_t>(Shape::uniform, 1'000'003, 0);
  check<float>(Shape::specials, 1'000'003, 0);
}
#endif

TEST_P(Sort, CoargsortIsLexicographicAndStable) {
  auto check_columns = [&](std::size_t n, Shape a, Shape b, Shape c) {
    SCOPED_TRACE(testing::Message() << "n=" << n << " shapes " << cases::shape_names[static_cast<int>(a)] << " "
                                    << cases::shape_names[static_cast<int>(b)] << " "
                                    << cases::shape_names[static_cast<int>(c)]);
    const auto first = cases::make<std::int64_t>(a, n, 1);
    const auto second = cases::make<double>(b, n, 2);
    const auto third = cases::make<std::uint16_t>(c, n, 3);
    const Key keys[] = {{DType::i64, first.data()}, {DType::f64, second.data()}, {DType::u16, third.data()}};
    for (std::size_t columns = 0; columns <= 3; ++columns) {
      std::vector<std::int64_t> expected(n), rows(n, -1);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t x, std::int64_t y) {
        auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
        if (columns > 0 && first[i] != first[j]) return first[i] < first[j];
        if (columns > 1 && cases::before(second[i], second[j])) return true;
        if (columns > 1 && cases::before(second[j], second[i])) return false;
        return columns > 2 && third[i] < third[j];
      });
      coargsort(work_, {keys, columns}, n, 0, rows.data());
      ASSERT_TRUE(rows == expected) << columns << " columns";
    }
  };
  for (std::size_t n : {0, 1, 2, 100, 5000}) {
    for (Shape a : cases::all_shapes) {
      for (Shape b : {Shape::uniform, Shape::specials, Shape::few, Shape::constant})
        check_columns(n, a, b, Shape::narrow);
    }
  }
#if defined(NDEBUG) && !defined(ATOLL_EMULATED)
  for (Shape a : {Shape::uniform, Shape::specials, Shape::narrow})
    check_columns(300'001, a, Shape::few, Shape::uniform);
  check_columns(300'001, Shape::few, Shape::uniform, Shape::few);
  check_columns(300'001, Shape::constant, Shape::specials, Shape::uniform);
#else
  check_columns(70'001, Shape::few, Shape::uniform, Shape::few);
#endif
}

TEST_P(Sort, InterruptionLeavesTheInputIntact) {
  class Stop : public Monitor {
   public:
    explicit Stop(int after) : left_(after) {}
    void checkpoint(std::uint64_t, std::uint64_t) override {
      if (left_-- == 0) throw Interrupted("stopped");
    }

   private:
    int left_;
  };
  const std::size_t n = 200'000;
  const auto values = cases::make<std::int64_t>(Shape::uniform, n, 5);
  for (int after = 0; after < 4; ++after) {
    Stop stop(after);
    Work work{pool_, memory_, stop};
    auto keys = values;
    std::vector<std::int64_t> out(n);
    try {
      argsort(work, DType::i64, keys.data(), n, 0, out.data());
    } catch (const Interrupted&) {}
    EXPECT_TRUE(keys == values);
    Stop again(after);
    Work in_place{pool_, memory_, again};
    try {
      sort(in_place, DType::i64, keys.data(), keys.data(), n);
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    } catch (const Interrupted&) { EXPECT_TRUE(keys == values); }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Sort, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace atl::array
