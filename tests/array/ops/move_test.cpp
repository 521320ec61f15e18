// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/move.hpp"
#include "atoll/base/error.hpp"

#include <numeric>

#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/select.hpp"
#include "fixture.hpp"

namespace atl::array::testing {
namespace {

class Moving : public OnPes {};

std::vector<std::int64_t> counting(std::size_t n) {
  std::vector<std::int64_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_P(Moving, SlicesWithAnyStep) {
  run([](Engine& engine) {
    for (std::int64_t n : {1, 7, 50, 333}) {
      const auto values = counting(static_cast<std::size_t>(n));
      const Array array = to_array(engine, values);
      for (Slice slice : {Slice{0, 1, n}, Slice{n - 1, -1, n}, Slice{n / 3, 1, n / 2}, Slice{0, 3, (n + 2) / 3},
                          Slice{n - 1, -5, (n + 4) / 5}, Slice{n / 2, 1, 0}}) {
        std::vector<std::int64_t> expected;
        for (std::int64_t i = 0; i < slice.count; ++i) expected.push_back(slice.start + i * slice.step);
        ASSERT_EQ(to_vector<std::int64_t>(engine, get_slice(engine, array, {slice})), expected);
        const Array target = to_array(engine, std::vector<std::int64_t>(static_cast<std::size_t>(n), -1));
        assign_slice(engine, target, {slice}, to_array(engine, expected));
        std::vector<std::int64_t> assigned(static_cast<std::size_t>(n), -1);
        for (std::int64_t value : expected) assigned[static_cast<std::size_t>(value)] = value;
        ASSERT_EQ(to_vector<std::int64_t>(engine, target), assigned);
        assign_slice(engine, target, {slice}, to_array(engine, std::vector<std::int64_t>{-7}, Shape{}));
        for (std::int64_t value : expected) assigned[static_cast<std::size_t>(value)] = -7;
        ASSERT_EQ(to_vector<std::int64_t>(engine, target), assigned);
      }
    }
  });
}

TEST_P(Moving, BoxesOfThreeDimensions) {
  run([](Engine& engine) {
    const Shape shape{11, 4, 5};
    const auto values = counting(220);
    const Array array = to_array(engine, values, shape);
    const std::vector<Slice> slices{{9, -2, 5}, {1, 1, 2}, {4, -3, 2}};
    std::vector<std::int64_t> expected, transposed(220);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k) expected.push_back((9 - 2 * i) * 20 + (1 + j) * 5 + 4 - 3 * k);
    ASSERT_EQ(to_vector<std::int64_t>(engine, get_slice(engine, array, slices)), expected);
    for (int i = 0; i < 11; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 5; ++k) transposed[static_cast<std::size_t>((k * 11 + i) * 4 + j)] = i * 20 + j * 5 + k;
    ASSERT_EQ(to_vector<std::int64_t>(engine, transpose(engine, array, {2, 0, 1})), transposed);
    ASSERT_EQ(to_vector<std::int64_t>(engine, reshape(engine, array, Shape{2, 55, 2})), values);
    ASSERT_EQ(to_vector<std::int64_t>(engine, reshape(engine, array, Shape{220})), values);
    EXPECT_THROW(reshape(engine, array, Shape{7}), ValueError);
    // A row vector is assigned to every selected row.
    const Array target = copy(engine, array);
    assign_slice(engine, target, {{0, 1, 11}, {0, 1, 4}, {0, 1, 5}}, to_array(engine, counting(5)));
    auto rows = to_vector<std::int64_t>(engine, target);
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], static_cast<std::int64_t>(i % 5));
    const Array joined =
        concatenate(engine, {array, target, get_slice(engine, array, {{0, 1, 0}, {0, 1, 4}, {0, 1, 5}})}, 0);
    auto both = values;
    both.insert(both.end(), rows.begin(), rows.end());
    ASSERT_EQ(to_vector<std::int64_t>(engine, joined), both);
  });
}

TEST_P(Moving, ConcatenatesAndRollsAlongInnerAxes) {
  run([](Engine& engine) {
    const Array array = to_array(engine, counting(220), Shape{11, 4, 5});
    const Array narrow = get_slice(engine, array, {{0, 1, 11}, {1, 1, 2}, {0, 1, 5}});
    const Array joined =
        concatenate(engine, {array, narrow, get_slice(engine, array, {{0, 1, 11}, {0, 1, 0}, {0, 1, 5}})}, 1);
    const Array last = concatenate(engine, {array, array}, 2);
    const Array rolled = roll(engine, array, 1, 3), turned = roll(engine, array, 2, 2),
                same = roll(engine, array, 2, 0);
    std::vector<std::int64_t> wide, twice, by_three, by_two;
    for (std::int64_t i = 0; i < 11; ++i) {
      for (std::int64_t j = 0; j < 6; ++j)
        for (std::int64_t k = 0; k < 5; ++k) wide.push_back(i * 20 + (j < 4 ? j : j - 3) * 5 + k);
      for (std::int64_t j = 0; j < 4; ++j) {
        for (std::int64_t k = 0; k < 10; ++k) twice.push_back(i * 20 + j * 5 + k % 5);
        for (std::int64_t k = 0; k < 5; ++k) by_three.push_back(i * 20 + (j + 1) % 4 * 5 + k);
        for (std::int64_t k = 0; k < 5; ++k) by_two.push_back(i * 20 + j * 5 + (k + 3) % 5);
      }
    }
    ASSERT_EQ(joined->shape, (Shape{11, 6, 5}));
    ASSERT_EQ(to_vector<std::int64_t>(engine, joined), wide);
    ASSERT_EQ(to_vector<std::int64_t>(engine, last), twice);
    ASSERT_EQ(to_vector<std::int64_t>(engine, rolled), by_three);
    ASSERT_EQ(to_vector<std::int64_t>(engine, turned), by_two);
    ASSERT_EQ(to_vector<std::int64_t>(engine, same), counting(220));
  });
}

TEST_P(Moving, IndexingByData) {
  run([](Engine& engine) {
    const std::int64_t n = 300;
    const auto values = random_integers(static_cast<std::size_t>(n), -1000, 1000, 1),
               where = random_integers(777, -n, n - 1, 2);
    const Array array = to_array(engine, values), indices = to_array(engine, where);
    auto row = [&](std::int64_t i) { return static_cast<std::size_t>(i < 0 ? i + n : i); };
    std::vector<std::int64_t> taken;
    for (std::int64_t i : where) taken.push_back(values[row(i)]);
    ASSERT_EQ(to_vector<std::int64_t>(engine, take(engine, array, indices)), taken);

    auto set = values, added = values;
    const auto news = counting(777);
    for (std::size_t i = 0; i < where.size(); ++i) {
      set[row(where[i])] = news[i];
      added[row(where[i])] += news[i];
    }
    Array target = copy(engine, array);
    assign_index(engine, target, indices, to_array(engine, news), AssignMode::set);
    ASSERT_EQ(to_vector<std::int64_t>(engine, target), set);
    target = copy(engine, array);
    assign_index(engine, target, indices, to_array(engine, news), AssignMode::add);
    ASSERT_EQ(to_vector<std::int64_t>(engine, target), added);

    const Array bad = to_array(engine, std::vector<std::int64_t>{0, 5, n, 3});
    EXPECT_THROW(take(engine, array, bad), IndexError);
    EXPECT_THROW(assign_index(engine, target, bad, to_array(engine, counting(4)), AssignMode::set), IndexError);
    ASSERT_EQ(to_vector<std::int64_t>(engine, target), added);

    // Rows of a matrix, by indices of two dimensions.
    const Array matrix = to_array(engine, counting(60), Shape{20, 3});
    const auto rows = to_vector<std::int64_t>(
        engine, take(engine, matrix, to_array(engine, std::vector<std::int64_t>{19, 0, -1, 7, 7, 2}, Shape{2, 3})));
    std::vector<std::int64_t> expected;
    for (std::int64_t i : {19, 0, 19, 7, 7, 2})
      for (std::int64_t k = 0; k < 3; ++k) expected.push_back(i * 3 + k);
    ASSERT_EQ(rows, expected);
  });
}

TEST_P(Moving, SelectingByMask) {
  run([](Engine& engine) {
    for (std::size_t n : {0, 1, 9, 500, 40000}) {
      for (int kind = 0; kind < 4; ++kind) {
        const auto values = random_integers(n, 0, 1000, 3);
        std::vector<std::uint8_t> mask(n);
        for (std::size_t i = 0; i < n; ++i)
          mask[i] = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? values[i] % 3 == 0 : i * 4 >= 3 * n;
        Array selector = to_array(engine, mask);
        selector->dtype = DType::b1;
        std::vector<std::int64_t> selected, places;
        for (std::size_t i = 0; i < n; ++i)
          if (mask[i] != 0) {
            selected.push_back(values[i]);
            places.push_back(static_cast<std::int64_t>(i));
          }
        const Array array = to_array(engine, values);
        const Array some = compress_rows(engine, array, selector);
        ASSERT_EQ(to_vector<std::int64_t>(engine, some), selected);
        ASSERT_EQ(to_vector<std::int64_t>(engine, find_true(engine, selector)), places);
        const Array target = full(engine, DType::i64, array->shape, 0);
        assign_mask(engine, target, selector, some);
        auto expected = values;
        for (std::size_t i = 0; i < n; ++i)
          if (mask[i] == 0) expected[i] = 0;
        ASSERT_EQ(to_vector<std::int64_t>(engine, target), expected);
        assign_mask(engine, target, selector, to_array(engine, std::vector<std::int64_t>{-5}, Shape{}));
        for (std::int64_t place : places) expected[static_cast<std::size_t>(place)] = -5;
        ASSERT_EQ(to_vector<std::int64_t>(engine, target), expected);
      }
    }
  });
}

ATOLL_ON_PES(Moving);

}  // namespace
}  // namespace atl::array::testing
