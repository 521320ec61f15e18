// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/transfer.hpp"

#include <cstring>

#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {

Array from_buffer(Engine& engine, DType dtype, Shape shape, DriverOnly<const void*> values) {
  Array result = engine.make(dtype, shape);
  const auto* source = static_cast<const std::byte*>(values.value);
  // In SPMD every PE has the values and takes its own rows; a driver sends rows to the workers, which have no values.
  const auto has_values = engine.allgather_value<std::uint8_t>(source != nullptr);
  const bool from_driver = has_values.size() > 1 && has_values[1] == 0;
  if (!from_driver) {
    const std::size_t first = static_cast<std::size_t>(result->first_row()) * result->row_bytes();
    engine.interruptibly(shape.size(),
                         [&] { copy_bytes(engine.work(), result->bytes(), source + first, result->local_bytes()); });
    return result;
  }
  OpenBlocks blocks(engine, *result);
  engine.interruptibly(shape.size(), [&] {
    if (source != nullptr) blocks.write_rows(0, shape.rows(), source);
  });
  blocks.close();
  return result;
}

Array from_local(Engine& engine, DType dtype, Shape local_shape, DriverOnly<const void*> rows) {
  const auto counts = engine.allgather_value<std::int64_t>(local_shape.rows());
  engine.together([&] {
    ATOLL_VALIDATE(rows.value != nullptr || local_shape.size() == 0, ValueError, "from_local needs rows on every PE");
  });
  const std::int64_t total = checked_sum(counts.begin(), counts.end());
  const std::int64_t first = checked_sum(counts.begin(), counts.begin() + engine.pe());
  Array result = engine.make(dtype, local_shape.with_rows(total));
  OpenBlocks blocks(engine, *result);
  engine.interruptibly(result->shape.size(), [&] { blocks.write_rows(first, first + local_shape.rows(), rows.value); });
  blocks.close();
  return result;
}

void to_buffer(Engine& engine, Array array, DriverOnly<void*> destination) {
  OpenBlocks blocks(engine, *array);
  engine.interruptibly(array->shape.size(), [&] {
    if (destination.value != nullptr) blocks.read_rows(0, array->shape.rows(), destination.value);
  });
  blocks.close();
}

namespace {

/// Bytes [begin, end) of an array, as sizes. ValueError where the array has no such bytes.
std::pair<std::size_t, std::size_t> checked_bytes(const ArrayData& array, std::int64_t begin, std::int64_t end) {
  const std::int64_t size = array.shape.size() * static_cast<std::int64_t>(size_of(array.dtype));
  ATOLL_VALIDATE(0 <= begin && begin <= end && end <= size, ValueError, "an array of {} bytes has no bytes {} to {}",
                 size, begin, end);
  return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
}

}  // namespace

void read_bytes(Engine& engine, Array array, std::int64_t begin, std::int64_t end, DriverOnly<void*> destination) {
  const auto [first, stop] = checked_bytes(*array, begin, end);
  OpenBlocks blocks(engine, *array);
  engine.interruptibly(array->shape.size(), [&, first = first, stop = stop] {
    if (destination.value != nullptr) blocks.read_bytes(first, stop, destination.value);
  });
  blocks.close();
}

void write_bytes(Engine& engine, Array array, std::int64_t begin, std::int64_t end, DriverOnly<const void*> source) {
  const auto [first, stop] = checked_bytes(*array, begin, end);
  OpenBlocks blocks(engine, *array);
  engine.interruptibly(array->shape.size(), [&, first = first, stop = stop] {
    if (source.value != nullptr) blocks.write_bytes(first, stop, source.value);
  });
  blocks.close();
}

std::uint64_t item_bits(Engine& engine, Array array) {
  ATOLL_VALIDATE(array->shape.size() == 1, ValueError, "can only convert an array of size 1 to a Python scalar");
  std::uint64_t bits = 0;
  if (array->local_rows() == 1) std::memcpy(&bits, array->bytes(), size_of(array->dtype));
  return engine.npes() == 1 ? bits : engine.allgather_value(bits)[array->distribution.owner(0)];
}

std::uint64_t element_bits(Engine& engine, Array array, std::int64_t position) {
  ATOLL_VALIDATE(position >= 0 && position < array->shape.size(), IndexError,
                 "index {} is out of bounds for {} elements", position, array->shape.size());
  const std::int64_t row = position / array->shape.row_size();
  const std::uint32_t owner = array->distribution.owner(row);
  std::uint64_t bits = 0;
  if (engine.pe() == owner) {
    const auto mine = static_cast<std::size_t>(position - array->first_index());
    std::memcpy(&bits, array->bytes() + mine * size_of(array->dtype), size_of(array->dtype));
  }
  return engine.npes() == 1 ? bits : engine.allgather_value(bits)[owner];
}

void noop(Engine& engine) { engine.barrier(); }

}  // namespace atl::array
