// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/index.hpp"

#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/routing.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

/// All rows, when all PEs' memory is mapped.
PeerBlocks peer_blocks(const OpenBlocks& blocks) {
  const Distribution& distribution = blocks.distribution();
  if (distribution.npes() == 1) return PeerBlocks(blocks.reach().mapped(0), distribution.rows(), blocks.row_bytes());
  std::vector<void*> bases;
  std::vector<std::int64_t> begins;
  for (std::uint32_t pe = 0; pe < distribution.npes(); ++pe) {
    bases.push_back(blocks.reach().mapped(pe));
    begins.push_back(distribution.begin(pe));
  }
  begins.push_back(distribution.rows());
  return PeerBlocks(bases, begins, blocks.row_bytes());
}

/// Runs `find`, which returns a bad index of this PE if it meets one. Every PE throws when any PE met one: that of the
/// lowest PE.
template <class Find>
void agree_on(Engine& engine, Find&& find, std::int64_t rows) {
  engine.together([&] {
    const BadIndex bad = find();
    ATOLL_VALIDATE(!bad, IndexError, "index {} is out of bounds for axis 0 with size {}", bad.value, rows);
  });
}

/// Rows one after another, whatever the rest of the shape: so that a row of any width can be handled as an element.
Shape result_shape(const ArrayData& array, const ArrayData& indices) {
  Shape shape = indices.shape;
  for (std::int64_t extent : array.shape.inner()) shape.push_back(extent);
  return shape;
}

/// The rows to assign: one for each index, or one for all.
struct RowValues {
  const std::byte* each;
  const std::byte* same;
  std::size_t row_bytes;
  std::size_t stride() const { return same != nullptr ? 0 : row_bytes; }
};

void assign_rows(const Work& work, const ArrayData& array, AssignMode mode, const PeerBlocks& to,
                 const std::int64_t* indices, std::size_t count, const std::byte* values, std::size_t stride,
                 RowRange only) {
  const auto row_size = static_cast<std::size_t>(array.shape.row_size());
  (void)(mode == AssignMode::set
             ? scatter(work, to, indices, count, values, stride, only, Bounds::checked)
             : scatter_add(work, array.dtype, row_size, to, indices, count, values, stride, only, Bounds::checked));
}

/// Every PE writes its own rows: it goes through the indices of all PEs where they lie.
void assign_here(Engine& engine, const ArrayData& array, const ArrayData& indices, RowValues values, AssignMode mode) {
  OpenBlocks target(engine, array);
  OpenBlocks index_blocks(engine, indices);
  const Reach value_blocks(engine, values.each);
  const PeerBlocks to = peer_blocks(target);
  const RowRange mine{array.first_row(), array.first_row() + array.local_rows()};
  for (std::uint32_t pe = 0; pe < engine.npes() && array.local_rows() > 0; ++pe) {
    const auto count = static_cast<std::size_t>(indices.distribution.count(pe) * indices.shape.row_size());
    if (count == 0) continue;
    const auto* from = reinterpret_cast<const std::int64_t*>(index_blocks.reach().mapped(pe));
    assign_rows(engine.work(Interruptible::no), array, mode, to, from, count,
                values.same != nullptr ? values.same : value_blocks.mapped(pe), values.stride(), mine);
  }
  target.close();
}

/// Every PE writes its own rows: indices and values come to it in the same order as above.
void assign_over_nodes(Engine& engine, const ArrayData& array, const ArrayData& indices, RowValues values,
                       AssignMode mode) {
  OpenBlocks target(engine, array);
  Routing routing(engine, target, indices.data<std::int64_t>(), static_cast<std::size_t>(indices.local_size()),
                  values.same != nullptr ? std::nullopt : std::optional(values.each));
  const PeerBlocks own(array.bytes(), array.local_rows(), values.row_bytes);
  routing.for_all_requests([&](const Routing::Requests& requests) {
    assign_rows(engine.work(Interruptible::no), array, mode, own, requests.rows, requests.count,
                values.same != nullptr ? values.same : requests.values, values.stride(), {});
  });
  target.close();
}

}  // namespace

Array take(Engine& engine, Array array, Array indices) {
  engine.begin_operation("gather");
  ATOLL_ASSERT(indices->dtype == DType::i64);
  const Shape shape = result_shape(*array, *indices);
  const auto count = static_cast<std::size_t>(indices->local_size());
  // Indices of several dimensions, or wide rows, may be spread by another grain than the result: gather into rows that
  // lie like the indices, and move those.
  Array result = engine.make(array->dtype, shape);
  const bool aligned = engine.npes() == 1 || shape.ndim() == 0 ||
                       (indices->shape.ndim() > 0 && result->distribution == indices->distribution);
  Buffer<std::byte> moved;
  const std::int64_t* local = indices->data<std::int64_t>();
  std::size_t local_count = count;
  if (!aligned) {
    if (indices->shape.ndim() > 0) {
      moved = redistribute(engine, *indices, result->distribution);
      local_count = static_cast<std::size_t>(result->local_rows() * indices->shape.row_size());
    } else {
      moved = replicate(engine, *indices);
      // A scalar index selects one row, spread over the PEs along its own first axis: everybody reads its piece.
      OpenBlocks blocks(engine, *array);
      std::int64_t row = *reinterpret_cast<const std::int64_t*>(moved.data());
      agree_on(
          engine,
          [&] {
            if (row < -array->shape.rows() || row >= array->shape.rows()) return BadIndex{0, row};
            if (row < 0) row += array->shape.rows();
            const std::int64_t first = row * array->shape.row_size() + result->first_index();
            const std::size_t begin = static_cast<std::size_t>(first) * size_of(array->dtype);
            blocks.read_bytes(begin, begin + result->local_bytes(), result->bytes());
            return BadIndex{};
          },
          array->shape.rows());
      return result;
    }
    local = reinterpret_cast<const std::int64_t*>(moved.data());
  }
  OpenBlocks blocks(engine, *array);
  Work work = engine.work();
  const bool checked_only = array->row_bytes() == 0 || engine.spans_nodes();
  agree_on(
      engine,
      [&] {
        return checked_only ? check_indices(work, local, local_count, array->shape.rows())
                            : gather(work, peer_blocks(blocks), local, local_count, result->bytes());
      },
      array->shape.rows());
  if (engine.spans_nodes() && array->row_bytes() != 0)
    gather_over_nodes(engine, blocks, local, local_count, result->bytes());
  if (engine.npes() > 1) blocks.close();
  return result;
}

void assign_index(Engine& engine, Array array, Array indices, Array value, AssignMode mode) {
  engine.begin_operation("scatter");
  ATOLL_ASSERT(indices->dtype == DType::i64 && value->dtype == array->dtype);
  const std::int64_t rows = array->shape.rows();
  const std::size_t row_bytes = array->row_bytes();
  Work work = engine.work(Interruptible::no);
  const bool one_row = !(value->shape == result_shape(*array, *indices));
  agree_on(
      engine,
      [&] {
        return check_indices(engine.work(), indices->data<std::int64_t>(),
                             static_cast<std::size_t>(indices->local_size()), rows);
      },
      rows);
  if (row_bytes == 0) return;

  // Every PE writes its own rows: it goes through the indices of all PEs in order, so that the last one wins (or sums
  // are added in order) exactly as with one PE.
  Buffer<std::byte> everywhere;
  if (one_row) {
    everywhere = replicate(engine, *value);
    if (value->shape.size() == 1 && array->shape.row_size() > 1) {
      Buffer<std::byte> row(engine.memory(), row_bytes);
      for (std::size_t at = 0; at < row_bytes; at += size_of(array->dtype))
        std::memcpy(row.data() + at, everywhere.data(), size_of(array->dtype));
      everywhere = std::move(row);
    }
  }
  Buffer<std::byte> moved;
  const std::byte* values = one_row ? everywhere.data() : value->bytes();
  if (engine.npes() == 1) {
    assign_rows(work, *array, mode, PeerBlocks(array->bytes(), rows, row_bytes), indices->data<std::int64_t>(),
                static_cast<std::size_t>(indices->local_size()), values, one_row ? 0 : row_bytes, {});
    return;
  }
  if (!one_row && indices->shape.ndim() > 0 && !(value->distribution == indices->distribution)) {
    moved = redistribute(engine, *value, indices->distribution);
    values = moved.data();
  } else if (!one_row && indices->shape.ndim() == 0) {
    moved = replicate(engine, *value);
    values = moved.data();
  }
  const RowValues source{values, one_row ? everywhere.data() : nullptr, row_bytes};
  if (engine.spans_nodes()) assign_over_nodes(engine, *array, *indices, source, mode);
  else assign_here(engine, *array, *indices, source, mode);
}

}  // namespace atl::array
