// SPDX-License-Identifier: Apache-2.0
// Groups and distinct values against a map from ordered bits.
#include "atoll/array/kernel/group.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <tuple>

#include "sort_cases.hpp"

namespace atl::array {
namespace {

using cases::Shape;

class Group : public testing::TestWithParam<unsigned> {
 protected:
  ThreadPool pool_{GetParam()};
  SystemMemory memory_;
  Monitor monitor_;
  Work work_{pool_, memory_, monitor_};

  template <class T>
  void check(Shape shape, std::size_t n) {
    SCOPED_TRACE(testing::Message() << name_of(dtype_of<T>) << " " << cases::shape_names[static_cast<int>(shape)]
                                    << " n=" << n);
    const std::vector<T> made = cases::make<T>(shape, n, n + 3);
    std::unique_ptr<T[]> values(new T[n + 1]);
    std::copy(made.begin(), made.end(), values.get());
    struct Expected {
      std::int64_t first, count, number;
    };
    std::map<std::uint64_t, Expected> groups;
    for (std::size_t i = 0; i < n; ++i) {
      auto& group =
          groups.try_emplace(ordered_bits(values[i]), Expected{static_cast<std::int64_t>(i), 0, 0}).first->second;
      ++group.count;
    }
    std::int64_t number = 0;
    for (auto& [bits, group] : groups) group.number = number++;

    for (int wish : {0, 3, 4, 7}) {
      UniqueWants wants{(wish & 1) != 0, (wish & 2) != 0, (wish & 4) != 0};
      Unique found = unique(work_, dtype_of<T>, values.get(), n, wants);
      ASSERT_EQ(found.count, groups.size());
      std::size_t i = 0;
      for (const auto& [bits, group] : groups) {
        T value;
        std::memcpy(&value, found.values.data() + i * sizeof(T), sizeof(T));
        ASSERT_EQ(ordered_bits(value), bits);
        if (wants.index) { ASSERT_EQ(found.index[i], group.first); }
        if (wants.counts) { ASSERT_EQ(found.counts[i], group.count); }
        ++i;
      }
      if (!wants.inverse) continue;
      for (std::size_t row = 0; row < n; ++row) {
        ASSERT_EQ(found.inverse[row], groups.find(ordered_bits(values[row]))->second.number) << row;
      }
    }
  }
};

TEST_P(Group, UniqueAgreesWithAMap) {
  for (std::size_t type = 0; type < dtype_count; ++type) {
    dispatch(static_cast<DType>(type), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (Shape shape : cases::all_shapes) {
        for (std::size_t n : {0, 1, 2, 100, 5000}) {
          check<T>(shape, n);
          if (HasFatalFailure()) return;
        }
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(Group, ManyRows) {
  for (Shape shape : cases::all_shapes) {
    check<std::int64_t>(shape, 70'001);
    if (HasFatalFailure()) return;
  }
}

#ifdef NDEBUG
TEST_P(Group, LargeBuckets) {
  for (Shape shape : {Shape::uniform, Shape::heavy_middle, Shape::few}) { check<std::int64_t>(shape, 300'001); }
}
#endif

TEST_P(Group, SeveralColumns) {
  for (std::size_t n : {0, 1, 1000, 20'000}) {
    for (Shape shape : {Shape::few, Shape::uniform, Shape::zipf, Shape::constant}) {
      const auto first = cases::make<std::int64_t>(shape, n, 1);
      const auto second = cases::make<std::int8_t>(Shape::few, n, 2);
      const auto third = cases::make<double>(Shape::specials, n, 3);
      std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::pair<std::int64_t, std::int64_t>> groups;
      auto key_of = [&](std::size_t i) {
        return std::tuple(ordered_bits(first[i]), ordered_bits(second[i]), ordered_bits(third[i]));
      };
      for (std::size_t i = n; i-- > 0;) {
        auto& group = groups[key_of(i)];
        group.first = static_cast<std::int64_t>(i);
        ++group.second;
      }
      const Key keys[] = {{DType::i64, first.data()}, {DType::i8, second.data()}, {DType::f64, third.data()}};
      Groups found = group_rows(work_, keys, n, {true, true, true});
      ASSERT_EQ(found.count, groups.size());
      std::size_t number = 0;
      for (const auto& [key, group] : groups) {
        ASSERT_EQ(found.first[number], group.first);
        ASSERT_EQ(found.counts[number], group.second);
        ++number;
      }
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(found.ids[i], std::distance(groups.begin(), groups.find(key_of(i)))) << i;
        if (i > 200) break;  // distance() walks the map
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Group, testing::Values(1u, 2u, 3u));

}  // namespace
}  // namespace atl::array
