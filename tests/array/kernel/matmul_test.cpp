// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/matmul.hpp"

#include <cmath>
#include <vector>

#include "atoll/base/random.hpp"
#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

// Around the tile (6 rows; 4 to 32 columns), the chunk (96 rows) and the depth (256), against plain loops.
TEST(MatMul, IsTheSumOfProducts) {
  const std::size_t sizes[][3] = {{1, 1, 1},      {6, 3, 8},    {7, 5, 9},   {5, 256, 33}, {13, 257, 17},
                                  {97, 300, 5},   {193, 2, 65}, {2, 600, 1}, {12, 64, 64}, {1, 600, 2},
                                  {1, 259, 1100}, {1, 3, 37},   {33, 31, 1}, {40, 770, 1}, {1, 300, 1}};
  for (unsigned threads : {1u, 3u})
    for (const auto& [m, k, n] : sizes)
      for (int code = 0; code < static_cast<int>(dtype_count); ++code) {
        const auto type = static_cast<DType>(code);
        SCOPED_TRACE(std::string(name_of(type)) + " " + std::to_string(m) + "x" + std::to_string(k) + "x" +
                     std::to_string(n));
        dispatch(type, [&]<class T>(Type<T>) {
          SequentialRandom random(7);
          auto fill = [&](std::size_t count) {
            std::vector<std::uint8_t> bytes(count * sizeof(T));
            auto* values = reinterpret_cast<T*>(bytes.data());
            for (std::size_t i = 0; i < count; ++i)
              values[i] = std::is_same_v<T, bool>
                              ? static_cast<T>(random.below(4) == 0)
                              : static_cast<T>(random.below(200)) / static_cast<T>(std::is_floating_point_v<T> ? 7 : 1);
            return bytes;
          };
          const auto a = fill(m * (k + 2)), b = fill(k * n);
          auto c = fill(m * n);
          const auto* x = reinterpret_cast<const T*>(a.data());
          const auto* y = reinterpret_cast<const T*>(b.data());
          std::vector<double> wanted(m * n);
          std::vector<std::uint64_t> whole(m * n);
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              const T start = reinterpret_cast<const T*>(c.data())[i * n + j];
              wanted[i * n + j] = static_cast<double>(start), whole[i * n + j] = static_cast<std::uint64_t>(start);
              for (std::size_t l = 0; l < k; ++l) {
                wanted[i * n + j] += static_cast<double>(x[i * (k + 2) + l]) * static_cast<double>(y[l * n + j]);
                whole[i * n + j] +=
                    static_cast<std::uint64_t>(x[i * (k + 2) + l]) * static_cast<std::uint64_t>(y[l * n + j]);
              }
            }
          Harness harness(threads);
          if (m == 1) add_row_product(harness.work, type, x, y, c.data(), k, n);
          else add_product(harness.work, type, x, k + 2, y, c.data(), m, k, n);
          for (std::size_t i = 0; i < m * n; ++i) {
            const T found = reinterpret_cast<const T*>(c.data())[i];
            if constexpr (std::is_floating_point_v<T>) {
              const double unit = sizeof(T) == 8 ? 1e-14 : 1e-5;
              ASSERT_NEAR(static_cast<double>(found), wanted[i], unit * (1 + std::abs(wanted[i]))) << i;
            } else if constexpr (std::is_same_v<T, bool>) {
              ASSERT_EQ(found, whole[i] != 0) << i;
            } else {
              ASSERT_EQ(found, static_cast<T>(whole[i])) << i;
            }
          }
        });
      }
}

// Along the rows of a matrix and down its columns: in parts with borders at the depth, and on any number of threads.
TEST(MatMul, ProductsWithVectorsKeepTheirBits) {
  const std::size_t m = 37, k = 1300;
  std::vector<double> matrix(m * k), v(k);
  SequentialRandom random(5);
  for (auto* values : {&matrix, &v})
    for (double& x : *values) x = static_cast<double>(random.below(1000)) / 7;
  for (const bool along : {true, false}) {
    std::vector<double> first;
    for (unsigned threads : {1u, 2u, 5u})
      for (std::size_t part : {product_depth, 3 * product_depth, k}) {
        Harness harness(threads);
        std::vector<double> c(m);
        for (std::size_t at = 0; at < k; at += part) {
          const std::size_t count = std::min(part, k - at);
          if (along) add_product(harness.work, DType::f64, matrix.data() + at, k, v.data() + at, c.data(), m, count, 1);
          else add_row_product(harness.work, DType::f64, v.data() + at, matrix.data() + at * m, c.data(), count, m);
        }
        if (first.empty()) first = c;
        ASSERT_EQ(c, first) << "threads " << threads << " part " << part << " along " << along;
      }
  }
}

// With the bits of products of row-major copies: matrices, vectors on either side, and a matrix with its own transpose.
TEST(MatMul, OfTransposesHasTheBitsOfCopies) {
  const std::size_t sizes[][3] = {{5, 7, 9},    {97, 300, 130}, {33, 513, 33}, {1, 300, 40},  {40, 300, 1},
                                  {1, 1, 1100}, {250, 270, 1},  {1, 40, 1},    {1, 259, 1031}};
  auto check = [&]<class T>(Type<T>, DType type) {
    SequentialRandom random(11);
    auto fill = [&](std::size_t count) {
      std::vector<T> values(count);
      for (T& x : values) x = static_cast<T>(random.below(1000)) / 7 - 50;
      return values;
    };
    auto transposed = [](const std::vector<T>& x, std::size_t rows, std::size_t columns) {
      std::vector<T> y(x.size());
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
      return y;
    };
    for (unsigned threads : {1u, 3u})
      for (const auto& [m, k, n] : sizes) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n));
        Harness harness(threads);
        const std::vector<T> a = fill(m * k), b = fill(k * n), at = transposed(a, m, k), bt = transposed(b, k, n);
        std::vector<T> wanted(m * n);
        if (m == 1) add_row_product(harness.work, type, a.data(), b.data(), wanted.data(), k, n);
        else add_product(harness.work, type, a.data(), k, b.data(), wanted.data(), m, k, n);
        for (const MatrixView left : {MatrixView{a.data(), k, 1}, MatrixView{at.data(), 1, m}})
          for (const MatrixView right : {MatrixView{b.data(), n, 1}, MatrixView{bt.data(), 1, k}}) {
            std::vector<T> found(m * n, T{-1});
            multiply(harness.work, type, left, right, found.data(), m, k, n);
            ASSERT_EQ(found, wanted);
          }
        if (m == 1) continue;
        std::vector<T> square(m * m), half(m * m);
        add_product(harness.work, type, a.data(), k, at.data(), square.data(), m, k, m);
        multiply(harness.work, type, {a.data(), k, 1}, {a.data(), 1, k}, half.data(), m, k, m);
        ASSERT_EQ(half, square);
        multiply(harness.work, type, {at.data(), 1, m}, {at.data(), m, 1}, half.data(), m, k, m);
        ASSERT_EQ(half, square);
      }
  };
  check(Type<double>{}, DType::f64);
  check(Type<float>{}, DType::f32);
}

// A PE may hold one row of a product.
TEST(MatMul, HasTheSameBitsRowByRow) {
  const std::size_t m = 5, k = 700, n = 37;
  Harness harness(1);
  std::vector<double> a(m * k), b(k * n), whole(m * n), rows(m * n);
  SequentialRandom random(3);
  for (auto* values : {&a, &b})
    for (double& x : *values) x = static_cast<double>(random.below(1000)) / 7;
  add_product(harness.work, DType::f64, a.data(), k, b.data(), whole.data(), m, k, n);
  for (std::size_t row = 0; row < m; ++row)
    add_product(harness.work, DType::f64, a.data() + row * k, k, b.data(), rows.data() + row * n, 1, k, n);
  ASSERT_EQ(rows, whole);
}

TEST(MatMul, OfStacksIsThatOfEach) {
  for (unsigned threads : {1u, 3u})
    for (std::size_t side : {3u, 40u}) {
      Harness harness(threads);
      const std::size_t count = 5, each = side * side;
      std::vector<double> a(count * each), b(count * each), found(count * each), wanted(each);
      SequentialRandom random(side);
      for (auto* values : {&a, &b})
        for (double& x : *values) x = static_cast<double>(random.below(9));
      add_products(harness.work, DType::f64, a.data(), b.data(), found.data(), count, side, side, side);
      for (std::size_t i = 0; i < count; ++i) {
        std::fill(wanted.begin(), wanted.end(), 0.0);
        add_product(harness.work, DType::f64, a.data() + i * each, side, b.data() + i * each, wanted.data(), side, side,
                    side);
        for (std::size_t j = 0; j < each; ++j) ASSERT_EQ(found[i * each + j], wanted[j]);  // whole numbers: exact
      }
    }
}

}  // namespace
}  // namespace atl::array
