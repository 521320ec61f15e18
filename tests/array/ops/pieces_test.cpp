// SPDX-License-Identifier: Apache-2.0
// Parts of other PEs that are larger than the staging memory of a job of several nodes, and spans that lie far apart.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/reduce.hpp"
#include "atoll/array/ops/select.hpp"
#include "atoll/array/ops/sort.hpp"
#include "atoll/base/error.hpp"
#include "fixture.hpp"

namespace atl::array::testing {
namespace {

class Pieces : public OnPes {};

constexpr std::int64_t many = 450000;  // 3.4 MiB: a PE of two has more than one staging memory

TEST_P(Pieces, OfSlicesAndTransposes) {
  run([](Engine& engine) {
    const auto values = random_integers(many, INT64_MIN, INT64_MAX, 11);
    const Array array = to_array(engine, values);
    for (const Slice slice :
         {Slice{many - 1, -1, many}, Slice{5, 3, many / 3 - 2}, Slice{many - 1, -700, many / 700}}) {
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < slice.count; ++i)
        expected.push_back(values[static_cast<std::size_t>(slice.start + i * slice.step)]);
      ASSERT_EQ(to_vector<std::int64_t>(engine, get_slice(engine, array, {slice})), expected);
    }
    const std::int64_t rows = 450, columns = 1000;
    const Array table = reshape(engine, array, Shape{rows, columns});
    std::vector<std::int64_t> transposed(many), column;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        transposed[static_cast<std::size_t>(j * rows + i)] = values[static_cast<std::size_t>(i * columns + j)];
    ASSERT_EQ(to_vector<std::int64_t>(engine, transpose(engine, table, {1, 0})), transposed);
    for (std::int64_t i = rows; i-- > 0;) column.push_back(values[static_cast<std::size_t>(i * columns + 7)]);
    ASSERT_EQ(to_vector<std::int64_t>(engine, get_slice(engine, table, {{rows - 1, -1, rows}, {7, 1, 1}})), column);
  });
}

TEST_P(Pieces, OfRowsWiderThanStaging) {
  run([](Engine& engine) {
    const std::int64_t columns = 150000;  // 1.1 MiB
    const auto values = random_integers(3 * columns, 0, 1 << 30, 12);
    const Array table = to_array(engine, values, Shape{3, columns});
    auto expected = values;
    std::rotate(expected.begin(), expected.begin() + columns, expected.end());
    const Array chosen = to_array(engine, std::vector<std::int64_t>{1, -1, 0});
    ASSERT_EQ(to_vector<std::int64_t>(engine, take(engine, table, chosen)), expected);
    std::vector<std::int64_t> reversed;
    for (int row = 2; row >= 0; --row)
      reversed.insert(reversed.end(), values.begin() + row * columns, values.begin() + (row + 1) * columns);
    ASSERT_EQ(to_vector<std::int64_t>(engine, get_slice(engine, table, {{2, -1, 3}, {0, 1, columns}})), reversed);
    const Array places = to_array(engine, std::vector<std::int64_t>{2, 1, 0});
    assign_index(engine, table, places, to_array(engine, values, Shape{3, columns}), AssignMode::set);
    ASSERT_EQ(to_vector<std::int64_t>(engine, table), reversed);
  });
}

TEST_P(Pieces, OfChosenRows) {
  run([](Engine& engine) {
    const auto values = random_integers(many, INT64_MIN, INT64_MAX, 13);
    // Uneven: most ask the first PEs.
    auto indices = random_integers(many, 0, many - 1, 14);
    for (std::size_t i = 0; i < indices.size(); i += 2) indices[i] = indices[i] / 100 - (i % 4 == 0 ? many : 0);
    auto at = [&](std::size_t i) { return static_cast<std::size_t>(indices[i] + (indices[i] < 0 ? many : 0)); };
    const Array array = to_array(engine, values), chosen = to_array(engine, indices);
    std::vector<std::int64_t> expected(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) expected[i] = values[at(i)];
    ASSERT_EQ(to_vector<std::int64_t>(engine, take(engine, array, chosen)), expected);

    expected.assign(many, -1);
    for (std::size_t i = 0; i < indices.size(); ++i) expected[at(i)] = values[i];
    const Array target = full(engine, DType::i64, Shape{many}, ~std::uint64_t{0});
    assign_index(engine, target, chosen, array, AssignMode::set);
    ASSERT_EQ(to_vector<std::int64_t>(engine, target), expected);

    // Sums of floating-point numbers of very different size show any other order.
    std::vector<double> parts(many), sums(many, 0.0);
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = std::ldexp(1.0 + static_cast<double>(i), static_cast<int>(i % 97));
    for (std::size_t i = 0; i < parts.size(); ++i) sums[at(i)] += parts[i];
    const Array total = full(engine, DType::f64, Shape{many}, 0);
    assign_index(engine, total, chosen, to_array(engine, parts), AssignMode::add);
    ASSERT_EQ(to_vector<double>(engine, total), sums);
    EXPECT_THROW(take(engine, array, to_array(engine, std::vector<std::int64_t>{0, many})), IndexError);
  });
}

TEST_P(Pieces, OfScansAndSelections) {
  run([](Engine& engine) {
    const auto values = random_integers(many, -1000, 1000, 15);
    std::vector<std::int64_t> sums(values.size()), positive;
    std::partial_sum(values.begin(), values.end(), sums.begin());
    const Array array = to_array(engine, values);
    ASSERT_EQ(to_vector<std::int64_t>(engine, scan_along(engine, array, Scan::cumsum, 0)), sums);
    // Nearly all of what is selected comes from the back and goes to PEs before.
    std::vector<std::uint8_t> mask(values.size());
    for (std::size_t i = 0; i < mask.size(); ++i) {
      mask[i] = i > mask.size() / 3 ? 1 : 0;
      if (mask[i] != 0) positive.push_back(values[i]);
    }
    const Array selector = from_buffer(engine, DType::b1, Shape{many}, {mask.data()});
    ASSERT_EQ(to_vector<std::int64_t>(engine, compress_rows(engine, array, selector)), positive);
    assign_mask(engine, array, selector, to_array(engine, positive));
    ASSERT_EQ(to_vector<std::int64_t>(engine, array), values);
  });
}

TEST_P(Pieces, OfTiesThatDoNotFitAWord) {
  run([](Engine& engine) {
    // 64 bits of key that differ in the lowest ones only within a group, and a second column to decide.
    const std::size_t n = 60000;
    auto first = random_integers(n, 0, 1500, 16);
    for (auto& value : first) value = INT64_MIN + (value / 3 << 52) + value % 3;
    const auto second = random_integers(n, 0, 40, 17);
    std::vector<std::int64_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      return std::pair(first[i], second[i]) < std::pair(first[j], second[j]);
    });
    const Array order = coargsort_arrays(engine, {to_array(engine, first), to_array(engine, second)});
    ASSERT_EQ(to_vector<std::int64_t>(engine, order), expected);
  });
}

// The path of one node is tested with every operation; here it is the comparison.
INSTANTIATE_TEST_SUITE_P(Pes, Pieces,
                         ::testing::Combine(::testing::Values(2u, 3u, 5u),
                                            ::testing::Values(atl::testing::Fabric::loop, atl::testing::Fabric::nodes),
                                            ::testing::Values(2u)),
                         name_of_param);
ATOLL_ON_NETWORK(Pieces);

}  // namespace
}  // namespace atl::array::testing
