// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/matmul.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/array/kernel/matmul.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/base/assertion.hpp"

namespace atl::array {
namespace {

// Rows of the second matrix that pass at a time: 8 MiB, but whole depths.
std::int64_t piece_rows(std::size_t row_bytes) {
  const std::size_t depths = (std::size_t{8} << 20) / std::max<std::size_t>(1, row_bytes * product_depth);
  return static_cast<std::int64_t>(std::max<std::size_t>(1, depths) * product_depth);
}

MatrixView view_of(const ArrayData& matrix, bool transposed) {
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  return transposed ? MatrixView{matrix.bytes(), 1, columns} : MatrixView{matrix.bytes(), columns, 1};
}

Array multiply_floats(Engine& engine, const ArrayData& a, const ArrayData& b, std::uint8_t transposed) {
  const bool first = (transposed & static_cast<std::uint8_t>(Transposed::first)) != 0;
  const bool second = (transposed & static_cast<std::uint8_t>(Transposed::second)) != 0;
  const std::int64_t m = a.shape[first ? 1 : 0], k = a.shape[first ? 0 : 1], n = b.shape[second ? 0 : 1];
  ATOLL_EXPECT(k == b.shape[second ? 1 : 0]);
  Array result = engine.make(a.dtype, Shape{m, n});
  multiply(engine.work(), a.dtype, view_of(a, first), view_of(b, second), result->bytes(), static_cast<std::size_t>(m),
           static_cast<std::size_t>(k), static_cast<std::size_t>(n));
  return result;
}

}  // namespace

Array multiply_matrices(Engine& engine, Array a, Array b, std::uint8_t transposed) {
  engine.begin_operation("matmul");
  ATOLL_EXPECT(a->dtype == b->dtype && a->shape.ndim() == 2 && b->shape.ndim() == 2);
  ATOLL_EXPECT(transposed <= static_cast<std::uint8_t>(Transposed::both));
  if (engine.npes() == 1 && is_float(a->dtype)) return multiply_floats(engine, *a, *b, transposed);
  ATOLL_EXPECT(transposed == 0 && a->shape[1] == b->shape[0]);
  const std::int64_t inner = a->shape[1];
  const auto columns = static_cast<std::size_t>(b->shape[1]), stride = static_cast<std::size_t>(inner);
  Array result = engine.make(a->dtype, Shape{a->shape[0], b->shape[1]});
  std::memset(result->bytes(), 0, result->local_bytes());
  Work work = engine.work();
  const auto rows = static_cast<std::size_t>(result->local_rows());
  const std::size_t element = size_of(a->dtype);
  if (engine.npes() == 1) {
    if (rows == 1) add_row_product(work, a->dtype, a->bytes(), b->bytes(), result->bytes(), stride, columns);
    else add_product(work, a->dtype, a->bytes(), stride, b->bytes(), result->bytes(), rows, stride, columns);
    return result;
  }
  OpenBlocks left(engine, *a);
  OpenBlocks right(engine, *b);
  Buffer<std::byte> own, piece;
  const std::byte* from = a->bytes();
  const bool apart = a->first_row() != result->first_row() || a->local_rows() != result->local_rows();
  const std::int64_t step = std::min(std::max<std::int64_t>(1, inner), piece_rows(b->row_bytes()));
  engine.together([&] {
    if (apart) own = Buffer<std::byte>(engine.memory(), rows * a->row_bytes());
    piece = Buffer<std::byte>(engine.memory(), static_cast<std::size_t>(step) * b->row_bytes());
  });
  engine.together([&] {
    if (apart) {
      left.read_rows(result->first_row(), result->first_row() + result->local_rows(), own.data());
      from = own.data();
    }
    for (std::int64_t first = 0; first < inner && rows > 0 && columns > 0; first += step) {
      const std::int64_t count = std::min(step, inner - first);
      right.read_rows(first, first + count, piece.data());
      right.reach().complete();
      const std::byte* const factors = from + static_cast<std::size_t>(first) * element;
      const auto depth = static_cast<std::size_t>(count);
      if (a->shape[0] == 1) add_row_product(work, a->dtype, factors, piece.data(), result->bytes(), depth, columns);
      else add_product(work, a->dtype, factors, stride, piece.data(), result->bytes(), rows, depth, columns);
    }
  });
  right.close();
  left.close();
  return result;
}

Array multiply_stacks(Engine& engine, Array a, Array b) {
  engine.begin_operation("matmul");
  ATOLL_EXPECT(a->dtype == b->dtype && a->shape.ndim() == 3 && b->shape.ndim() == 3 && a->shape[0] == b->shape[0] &&
               a->shape[2] == b->shape[1]);
  Array result = engine.make(a->dtype, Shape{a->shape[0], a->shape[1], b->shape[2]});
  std::memset(result->bytes(), 0, result->local_bytes());
  auto length = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
  // Both lie with their products, but where matrices are so small that several stay together.
  Buffer<std::byte> moved[2];
  const std::byte* from[2];
  const Array* sources[2] = {&a, &b};
  for (int side = 0; side < 2; ++side) {
    const ArrayData& source = **sources[side];
    from[side] = source.bytes();
    if (source.distribution.block_rows() == result->distribution.block_rows()) continue;
    moved[side] = redistribute(engine, source, result->distribution);
    from[side] = moved[side].data();
  }
  engine.together([&] {
    add_products(engine.work(), a->dtype, from[0], from[1], result->bytes(), length(result->local_rows()),
                 length(a->shape[1]), length(a->shape[2]), length(b->shape[2]));
  });
  return result;
}

}  // namespace atl::array
