// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/move.hpp"

#include <cstring>
#include <tuple>

#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/kernel/fill.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

using Strides = std::array<std::int64_t, max_ndim>;  // in bytes

Strides contiguous_strides(const Shape& shape, DType dtype) {
  Strides strides{};
  auto stride = static_cast<std::int64_t>(size_of(dtype));
  for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// A box of elements: addresses of its first element on both sides, its shape and strides.
void copy_box(Engine& engine, DType dtype, const Shape& box, const std::byte* from, const Strides& from_strides,
              std::byte* to, const Strides& to_strides, Interruptible interruptible = Interruptible::yes) {
  if (box.size() == 0) return;
  copy_strided(engine.work(interruptible), size_of(dtype), static_cast<std::size_t>(box.ndim()), box.begin(), to,
               to_strides.data(), from, from_strides.data());
}

/// Strides with which `value` is read along `shape`, 0 where it broadcasts.
Strides broadcast_strides(const Shape& value, const Shape& shape, DType dtype) {
  const Strides own = contiguous_strides(value, dtype);
  Strides strides{};
  const int shift = shape.ndim() - value.ndim();
  for (int axis = 0; axis < value.ndim(); ++axis)
    if (value[axis] != 1) strides[static_cast<std::size_t>(axis + shift)] = own[static_cast<std::size_t>(axis)];
  return strides;
}

/// The rows of `source` that follow one another at a distance of `step`, cut where the owner changes. Calls
/// `visit(first result row, count, first source row)`.
template <class Visit>
void for_row_runs(const Distribution& source, std::int64_t start, std::int64_t step, std::int64_t begin,
                  std::int64_t end, Visit&& visit) {
  while (begin < end) {
    const std::int64_t row = start + begin * step;
    const std::uint32_t owner = source.owner(row);
    std::int64_t count = end - begin;
    if (step > 0) count = std::min(count, (source.end(owner) - 1 - row) / step + 1);
    if (step < 0) count = std::min(count, (row - source.begin(owner)) / -step + 1);
    visit(begin, count, row);
    begin += count;
  }
}

/// One PE, whole rows: the result can be the same memory.
Array alias(const Array& array, DType dtype, const Shape& shape, std::size_t offset_bytes, Engine& engine) {
  Storage storage{array->storage.data + offset_bytes, array->storage.owner, array->storage.exported};
  return std::make_shared<ArrayData>(
      ArrayData{dtype, shape, Distribution(shape, 1, engine.grain()), 0, std::move(storage), 0, nullptr});
}

Shape counts_of(const std::vector<Slice>& slices) {
  Shape shape;
  for (const Slice& slice : slices) shape.push_back(slice.count);
  return shape;
}

/// Which bytes of each row of `source` hold a box: from the first byte of its first element to behind its last.
std::pair<std::size_t, std::size_t> span_of(std::int64_t first, const Shape& box, const Strides& strides, int row_axis,
                                            DType dtype) {
  std::int64_t low = first, high = first;
  for (int axis = 0; axis < box.ndim(); ++axis) {
    if (axis == row_axis) continue;
    const std::int64_t reach = (box[axis] - 1) * strides[static_cast<std::size_t>(axis)];
    (reach < 0 ? low : high) += reach;
  }
  return {static_cast<std::size_t>(low), static_cast<std::size_t>(high) + size_of(dtype)};
}

}  // namespace

Array empty(Engine& engine, DType dtype, Shape shape) { return engine.make(dtype, shape); }

Array full(Engine& engine, DType dtype, Shape shape, std::uint64_t bits) {
  Array result = engine.make(dtype, shape);
  engine.interruptibly(shape.size(), [&] {
    fill(engine.work(), dtype, bits, result->bytes(), static_cast<std::size_t>(result->local_size()));
  });
  return result;
}

Array copy(Engine& engine, Array array) {
  Array result = engine.make(array->dtype, array->shape);
  engine.interruptibly(array->shape.size(),
                       [&] { copy_bytes(engine.work(), result->bytes(), array->bytes(), array->local_bytes()); });
  return result;
}

Array get_slice(Engine& engine, Array array, std::vector<Slice> slices) {
  const Shape shape = counts_of(slices);
  ATOLL_ASSERT(shape.ndim() == array->shape.ndim());
  if (shape.ndim() == 0) return copy(engine, array);
  bool whole_rows = slices[0].step == 1 || slices[0].count <= 1;
  for (int axis = 1; axis < shape.ndim(); ++axis)
    whole_rows = whole_rows && shape[axis] == array->shape[axis] && slices[static_cast<std::size_t>(axis)].step > 0;
  if (engine.npes() == 1 && whole_rows && shape.size() > 0)
    return alias(array, array->dtype, shape, static_cast<std::size_t>(slices[0].start) * array->row_bytes(), engine);

  Array result = engine.make(array->dtype, shape);
  OpenBlocks blocks(engine, *array);
  Strides from = contiguous_strides(array->shape, array->dtype);
  const Strides to = contiguous_strides(shape, array->dtype);
  std::int64_t inner_offset = 0;
  for (std::size_t axis = 0; axis < slices.size(); ++axis) {
    if (axis > 0) inner_offset += slices[axis].start * from[axis];
    from[axis] *= slices[axis].step;
  }
  engine.interruptibly(shape.size(), [&] {
    if (result->local_size() == 0) return;
    std::size_t low, high;
    std::tie(low, high) = span_of(inner_offset, shape, from, 0, array->dtype);
    const std::int64_t corner = inner_offset - static_cast<std::int64_t>(low);
    auto copy_rows = [&](std::int64_t begin, std::int64_t count, std::int64_t row) {
      std::byte* target = result->bytes() + static_cast<std::size_t>(begin - result->first_row()) * result->row_bytes();
      auto copy_spans = [&](std::int64_t i, std::int64_t n, const std::byte* spans, std::int64_t stride) {
        from[0] = stride;
        copy_box(engine, array->dtype, shape.with_rows(n), spans + corner, from,
                 target + static_cast<std::size_t>(i) * result->row_bytes(), to);
      };
      blocks.read_spans({row, slices[0].step, count, low, high}, copy_spans);
    };
    return for_row_runs(array->distribution, slices[0].start, slices[0].step, result->first_row(),
                        result->first_row() + result->local_rows(), copy_rows);
  });
  blocks.close();
  return result;
}

void assign_slice(Engine& engine, Array array, std::vector<Slice> slices, Array value) {
  const Shape shape = counts_of(slices);
  // The value's rows lie elsewhere unless it broadcasts along axis 0; then everybody takes a copy of it.
  const bool has_rows = value->shape.ndim() == shape.ndim() && shape.ndim() > 0 && value->shape[0] != 1;
  Buffer<std::byte> everywhere;
  if (!has_rows) everywhere = replicate(engine, *value);
  // When both sides share memory (a[1:] = a[:-1]), the value is read as it was before.
  Array source = value;
  if (has_rows && value->storage.owner == array->storage.owner && engine.npes() == 1) source = copy(engine, value);
  OpenBlocks blocks(engine, *source);

  const Strides own = contiguous_strides(array->shape, array->dtype);
  Strides to = own;
  const Strides from = broadcast_strides(value->shape, shape, array->dtype);
  std::int64_t inner_offset = 0;
  for (std::size_t axis = 0; axis < slices.size(); ++axis) {
    if (axis > 0) inner_offset += slices[axis].start * own[axis];
    to[axis] *= slices[axis].step;
  }
  // The result rows [begin, end) whose targets are mine.
  std::int64_t begin = 0, end = shape.rows();
  if (shape.ndim() > 0 && shape.size() > 0) {
    const Slice& rows = slices[0];
    const std::int64_t mine = array->first_row(), past = mine + array->local_rows();
    auto first_at_least = [&](std::int64_t row) {  // smallest i with start + i * step >= row, for step > 0
      return std::clamp<std::int64_t>(row <= rows.start ? 0 : (row - rows.start + rows.step - 1) / rows.step, 0,
                                      rows.count);
    };
    auto first_below = [&](std::int64_t row) {  // smallest i with start + i * step < row, for step < 0
      return std::clamp<std::int64_t>(row > rows.start ? 0 : (rows.start - row) / -rows.step + 1, 0, rows.count);
    };
    if (rows.count <= 1) {
      if (rows.start < mine || rows.start >= past) end = 0;
    } else if (rows.step > 0) {
      begin = first_at_least(mine);
      end = first_at_least(past);
    } else {
      begin = first_below(past);
      end = first_below(mine);
    }
  } else if (array->local_size() == 0 || shape.size() == 0) {
    end = 0;
  }
  auto target = [&](std::int64_t result_row) {
    const std::int64_t row =
        (shape.ndim() > 0 ? slices[0].start + result_row * slices[0].step : 0) - array->first_row();
    return array->bytes() + row * static_cast<std::int64_t>(array->row_bytes()) + inner_offset;
  };
  if (begin < end) {
    if (has_rows) {
      blocks.read_pieces(begin, end, [&](std::int64_t first, std::int64_t last, const std::byte* rows) {
        copy_box(engine, array->dtype, shape.with_rows(last - first), rows, from, target(first), to, Interruptible::no);
      });
    } else {
      copy_box(engine, array->dtype, shape.ndim() > 0 ? shape.with_rows(end - begin) : shape, everywhere.data(), from,
               target(begin), to, Interruptible::no);
    }
  }
  blocks.close();
}

Array reshape(Engine& engine, Array array, Shape shape) {
  ATOLL_VALIDATE(shape.size() == array->shape.size(), ValueError, "cannot reshape array of size {} into shape {}",
                 array->shape.size(), shape.to_string());
  return reinterpret(engine, array, array->dtype, shape);
}

Array reinterpret(Engine& engine, Array array, DType dtype, Shape shape) {
  ATOLL_EXPECT(shape.size() * static_cast<std::int64_t>(size_of(dtype)) ==
               array->shape.size() * static_cast<std::int64_t>(size_of(array->dtype)));
  if (engine.npes() == 1) return alias(array, dtype, shape, 0, engine);
  Array result = engine.make(dtype, shape);
  OpenBlocks blocks(engine, *array);
  const std::size_t begin = static_cast<std::size_t>(result->first_index()) * size_of(dtype);
  engine.interruptibly(shape.size(), [&] { blocks.read_bytes(begin, begin + result->local_bytes(), result->bytes()); });
  blocks.close();
  return result;
}

Array transpose(Engine& engine, Array array, std::vector<int> axes) {
  Shape shape;
  for (int axis : axes) shape.push_back(array->shape[axis]);
  Array result = engine.make(array->dtype, shape);
  OpenBlocks blocks(engine, *array);
  const Strides own = contiguous_strides(array->shape, array->dtype);
  const Strides to = contiguous_strides(shape, array->dtype);
  Strides from{};
  int spread = 0;  // the result axis along which the source is spread over the PEs
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    from[axis] = own[static_cast<std::size_t>(axes[axis])];
    if (axes[axis] == 0) spread = static_cast<int>(axis);
  }
  const auto row_axis = static_cast<std::size_t>(spread);
  auto take_from = [&](std::uint32_t peer) {
    std::int64_t first = array->distribution.begin(peer), last = array->distribution.end(peer);
    Shape box = shape.with_rows(result->local_rows());
    std::int64_t from_offset = 0, to_offset = 0;
    if (spread == 0) {
      first = std::max(first, result->first_row());
      last = std::min(last, result->first_row() + result->local_rows());
      to_offset = (first - result->first_row()) * to[0];
    } else {
      from_offset = result->first_row() * from[0];
      to_offset = first * to[row_axis];
    }
    if (first >= last) return;
    const auto [low, high] = span_of(from_offset, box, from, spread, array->dtype);
    const std::int64_t corner = from_offset - static_cast<std::int64_t>(low);
    blocks.read_spans({first, 1, last - first, low, high}, [&](std::int64_t i, std::int64_t n, const std::byte* spans,
                                                               std::int64_t stride) {
      Strides strides = from;
      strides[row_axis] = stride;
      box[spread] = n;
      copy_box(engine, array->dtype, box, spans + corner, strides, result->bytes() + to_offset + i * to[row_axis], to);
    });
  };
  engine.interruptibly(shape.size(), [&] {
    // Each PE starts with another peer, so that no PE's memory is asked by all at once.
    for (std::uint32_t step = 0; step < engine.npes() && result->local_size() > 0; ++step)
      take_from((engine.pe() + step) % engine.npes());
  });
  blocks.close();
  return result;
}

namespace {

/// Along an axis after the first: the result's rows are the parts' rows side by side.
Array concatenate_within_rows(Engine& engine, const std::vector<Array>& parts, int axis) {
  Shape shape = parts.front()->shape;
  shape[axis] = 0;
  for (const Array& part : parts) shape[axis] += part->shape[axis];
  Array result = engine.make(parts.front()->dtype, shape);
  const Strides to = contiguous_strides(shape, result->dtype);
  const std::int64_t mine = result->first_row(), past = mine + result->local_rows();
  std::int64_t offset = 0;
  for (const Array& part : parts) {
    const Strides from = contiguous_strides(part->shape, part->dtype);
    OpenBlocks blocks(engine, *part);
    blocks.read_pieces(mine, past, [&](std::int64_t begin, std::int64_t end, const std::byte* rows) {
      copy_box(engine, part->dtype, part->shape.with_rows(end - begin), rows, from,
               result->bytes() + (begin - mine) * to[0] + offset, to);
    });
    blocks.close();
    offset += part->shape[axis] * to[static_cast<std::size_t>(axis)];
  }
  return result;
}

}  // namespace

Array concatenate(Engine& engine, std::vector<Array> parts, int axis) {
  if (axis > 0) return concatenate_within_rows(engine, parts, axis);
  std::int64_t rows = 0;
  for (const Array& part : parts) rows += part->shape.rows();
  const Shape shape = parts.front()->shape.with_rows(rows);
  Array result = engine.make(parts.front()->dtype, shape);
  const std::int64_t mine = result->first_row(), past = mine + result->local_rows();
  std::int64_t first = 0;
  for (const Array& part : parts) {
    OpenBlocks blocks(engine, *part);
    const std::int64_t begin = std::max(mine, first), end = std::min(past, first + part->shape.rows());
    engine.interruptibly(part->shape.size(), [&] {
      if (begin >= end) return;
      const std::size_t offset = static_cast<std::size_t>(begin - mine) * result->row_bytes();
      blocks.read_rows(begin - first, end - first, result->bytes() + offset);
    });
    blocks.close();
    first += part->shape.rows();
  }
  return result;
}

Array roll(Engine& engine, Array array, int axis, std::int64_t shift) {
  ATOLL_EXPECT(axis > 0 && axis < array->shape.ndim() && shift >= 0 && shift < array->shape[axis]);
  Array result = engine.make(array->dtype, array->shape);
  const Strides strides = contiguous_strides(array->shape, array->dtype);
  const std::int64_t extent = array->shape[axis], stride = strides[static_cast<std::size_t>(axis)];
  Shape box = array->shape.with_rows(array->local_rows());
  box[axis] = shift;
  copy_box(engine, array->dtype, box, array->bytes() + (extent - shift) * stride, strides, result->bytes(), strides);
  box[axis] = extent - shift;
  copy_box(engine, array->dtype, box, array->bytes(), strides, result->bytes() + shift * stride, strides);
  return result;
}

Buffer<std::byte> replicate(Engine& engine, const ArrayData& array) {
  Buffer<std::byte> all;
  engine.together([&] {
    all = Buffer<std::byte>(engine.memory(), static_cast<std::size_t>(array.shape.size()) * size_of(array.dtype));
  });
  OpenBlocks blocks(engine, array);
  engine.interruptibly(array.shape.size(), [&] { blocks.read_rows(0, array.shape.rows(), all.data()); });
  blocks.close();
  return all;
}

Buffer<std::byte> redistribute(Engine& engine, const ArrayData& array, const Distribution& distribution) {
  const std::int64_t begin = distribution.begin(engine.pe()), end = distribution.end(engine.pe());
  Buffer<std::byte> mine;
  engine.together(
      [&] { mine = Buffer<std::byte>(engine.memory(), static_cast<std::size_t>(end - begin) * array.row_bytes()); });
  OpenBlocks blocks(engine, array);
  engine.interruptibly(array.shape.size(), [&] { blocks.read_rows(begin, end, mine.data()); });
  blocks.close();
  return mine;
}

}  // namespace atl::array
