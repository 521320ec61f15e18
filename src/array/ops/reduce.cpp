// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/reduce.hpp"

#include <algorithm>
#include <cmath>

#include "atoll/array/kernel/axis.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/iteration.hpp"
#include "atoll/base/assertion.hpp"

namespace atl::array {
namespace {

/// An array itself, read where it lies.
Program identity(DType dtype) {
  Program p;
  p.results.push_back(p.add_leaf(dtype));
  return p;
}

UnitGrid row_grid(const Distribution& distribution) {
  return UnitGrid(static_cast<std::uint64_t>(distribution.unit_rows()));
}

/// The row nodes of the PEs below `stop`, in order. Collective.
RowFold merge_row_nodes(Engine& engine, const RowFold& mine, Reduction kind, DType type, std::uint32_t stop) {
  RowFold merged(kind, type, mine.width());
  const auto all = engine.allgather_bytes(mine.nodes().to_bytes());
  for (std::uint32_t pe = 0; pe < stop; ++pe) merged.push(RowNodes::from_bytes(all[pe]));
  return merged;
}

/// The nodes of a flat array's elements before this PE's. Only what lies before the last PE's elements is reduced, an
/// even share of it by every PE wherever it lies, so that with two PEs neither waits for the other's half. Collective.
TreeFold fold_before(Engine& engine, Work& work, const ArrayData& array, Reduction kind, const UnitGrid& grid) {
  const OpenBlocks blocks(engine, array);
  const Distribution& distribution = blocks.distribution();
  std::uint32_t last = engine.npes() - 1;
  while (last > 0 && distribution.count(last) == 0) --last;
  const auto granule = static_cast<std::int64_t>(grid.granule());
  const std::int64_t granules = (distribution.begin(last) + granule - 1) / granule;
  auto share = [&](std::uint32_t pe) {
    return std::min(distribution.begin(last), granules * pe / engine.npes() * granule);
  };
  const Plan plan(identity(array.dtype));
  std::vector<TreeNode> mine;
  auto fold_piece = [&](std::int64_t begin, std::int64_t end, const std::byte* from) {
    const Domain domain = Domain::flat(static_cast<std::uint64_t>(end - begin), static_cast<std::uint64_t>(begin));
    TreeFold fold(kind, array.dtype);
    plan.reduce(work, domain, std::vector{Leaf::dense(from, domain)}, std::array<void*, 1>{nullptr}, kind, grid,
                static_cast<std::uint64_t>(array.shape.size()), fold);
    mine.insert(mine.end(), fold.nodes().begin(), fold.nodes().end());
  };
  engine.interruptibly(array.shape.size(),
                       [&] { blocks.read_pieces(share(engine.pe()), share(engine.pe() + 1), fold_piece, granule); });
  // Pieces end where a PE's elements do, and so do their nodes.
  const std::uint64_t stop = grid.at(grid.units_before(static_cast<std::uint64_t>(array.first_index())),
                                     static_cast<std::uint64_t>(array.shape.size()))
                                 .tree_index;
  TreeFold before(kind, array.dtype);
  for (const auto& nodes : engine.allgather_vector(mine))
    for (const TreeNode& node : nodes)
      if (array.local_rows() > 0 && node.index << node.level < stop) before.push(node);
  return before;
}

}  // namespace

Array reduce_axes(Engine& engine, Program program, std::vector<LeafSource> leaves, Shape shape, Reduction kind,
                  std::uint32_t axes) {
  engine.begin_operation("reduce");
  Shape kept;
  for (int axis = 0; axis < shape.ndim(); ++axis)
    if ((axes >> axis & 1) == 0) kept.push_back(shape[axis]);
  const Plan plan(std::move(program));
  const Program& code = plan.program();
  const DType element = code.type_of(code.results[0]), type = result_type(kind, element);
  Array result = engine.make(type, kept);
  const Iteration iteration(engine, code, leaves, shape, Iteration::Axes::apart);
  const Distribution& distribution = iteration.distribution();
  const std::int64_t first_row = distribution.begin(engine.pe()), rows = distribution.count(engine.pe());
  Work work = engine.work();

  if ((axes & 1) == 0) {
    // Every row by itself. With several PEs the result's rows may lie elsewhere: its distribution has another grain.
    const bool in_place = result->first_row() == first_row && result->local_rows() == rows && engine.npes() == 1;
    Buffer<std::byte> own;
    engine.together([&] {
      if (!in_place) own = Buffer<std::byte>(engine.memory(), static_cast<std::size_t>(rows) * result->row_bytes());
    });
    std::byte* const out = in_place ? result->bytes() : own.data();
    Outcome outcome;
    engine.interruptibly(shape.size(), [&] {
      if (rows > 0) outcome = reduce_inner(plan, work, iteration.domain(), iteration.leaves(), kind, axes, out);
    });
    check_outcome(engine, code, outcome);
    if (in_place) return result;
    OpenBlocks blocks(engine, *result);
    blocks.write_rows(first_row, first_row + rows, own.data());
    blocks.close();
    return result;
  }

  const std::uint64_t width = static_cast<std::uint64_t>(kept.size());
  RowFold fold(kind, element, width);
  Outcome outcome;
  engine.interruptibly(shape.size(), [&] {
    if (rows > 0 && width > 0)
      outcome = reduce_rows(plan, work, iteration.domain(), iteration.leaves(), axes,
                            static_cast<std::uint64_t>(shape.rows()), row_grid(distribution), fold);
  });
  check_outcome(engine, code, outcome);
  Buffer<std::byte> values;
  engine.together([&] { values = Buffer<std::byte>(engine.memory(), width * size_of(type)); });
  if (engine.npes() == 1) fold.finish(values.data());
  else merge_row_nodes(engine, fold, kind, element, engine.npes()).finish(values.data());
  std::memcpy(result->bytes(), values.data() + static_cast<std::size_t>(result->first_index()) * size_of(type),
              result->local_bytes());
  return result;
}

namespace {

/// Whether another order of the same elements may have given other bits, of results that are exact but for that.
bool shows_order(Reduction kind, const ArrayData& result) {
  if (!is_float(result.dtype)) return false;
  const bool extremes = kind == Reduction::min || kind == Reduction::max;
  return dispatch(result.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    if constexpr (std::is_floating_point_v<T>) {
      const T* values = reinterpret_cast<const T*>(result.bytes());
      return std::any_of(values, values + result.local_size(), [&](T value) {
        return extremes ? value == T{0} || std::isnan(value) : !std::isfinite(value);
      });
    } else {
      return false;
    }
  });
}

}  // namespace

std::vector<Array> reduce_transposed(Engine& engine, Array matrix, Reduction kind, int axis) {
  engine.begin_operation("reduce");
  const std::int64_t rows = matrix->shape[0], columns = matrix->shape[1];
  ATOLL_EXPECT(engine.npes() == 1 && matrix->shape.ndim() == 2 && rows > 1 && columns > 1);
  const DType type = matrix->dtype;
  if (!is_float(type) || (kind != Reduction::sum && kind != Reduction::prod)) {
    Program program = identity(type);
    std::vector<Array> result{
        reduce_axes(engine, std::move(program), {{matrix, 0, 0}}, matrix->shape, kind, axis == 0 ? 2u : 1u)};
    if (shows_order(kind, *result[0])) result.clear();
    return result;
  }
  const bool units = Distribution(Shape{columns, rows}, 1, engine.grain()).unit_rows() == 1;
  if (axis == 0 && !units) return {};
  std::vector<Array> result{engine.make(type, Shape{axis == 0 ? rows : columns})};
  Work work = engine.work();
  const auto reduce = axis == 0 ? &reduce_transposed_rows : &reduce_transposed_columns;
  const bool in_range = reduce(work, kind, type, matrix->bytes(), static_cast<std::size_t>(rows),
                               static_cast<std::size_t>(columns), result[0]->bytes());
  if (!in_range || shows_order(kind, *result[0])) result.clear();
  return result;
}

Array scan_along(Engine& engine, Array array, Scan kind, int axis) {
  engine.begin_operation("scan");
  Array result = engine.make(array->dtype, array->shape);
  Work work = engine.work();
  const auto rows = static_cast<std::uint64_t>(array->local_rows());
  const Reduction reduction = reduction_of(kind);

  if (array->shape.ndim() <= 1) {
    const UnitGrid grid(granule_of(array->distribution, array->shape));
    const TreeFold before =
        engine.npes() > 1 ? fold_before(engine, work, *array, reduction, grid) : TreeFold(reduction, array->dtype);
    engine.interruptibly(array->shape.size(), [&] {
      scan(work, kind, array->dtype, array->bytes(), result->bytes(), rows,
           static_cast<std::uint64_t>(array->first_index()), static_cast<std::uint64_t>(array->shape.size()), grid,
           before.nodes());
    });
    return result;
  }

  if (axis > 0) {
    std::uint64_t outer = rows, inner = 1;
    for (int d = 1; d < axis; ++d) outer *= static_cast<std::uint64_t>(array->shape[d]);
    for (int d = axis + 1; d < array->shape.ndim(); ++d) inner *= static_cast<std::uint64_t>(array->shape[d]);
    engine.interruptibly(array->shape.size(), [&] {
      scan_axis(work, kind, array->dtype, array->bytes(), result->bytes(), outer,
                static_cast<std::uint64_t>(array->shape[axis]), inner);
    });
    return result;
  }

  const auto width = static_cast<std::uint64_t>(array->shape.row_size());
  const auto total = static_cast<std::uint64_t>(array->shape.rows());
  const UnitGrid grid = row_grid(array->distribution);
  RowFold before(reduction, array->dtype, width);
  if (engine.npes() > 1) {
    RowFold mine(reduction, array->dtype, width);
    const bool followed = array->first_row() + array->local_rows() < array->shape.rows();
    engine.interruptibly(array->shape.size(), [&] {
      if (rows > 0 && width > 0 && followed)
        scan_row_nodes(work, kind, array->dtype, array->bytes(), rows, width,
                       static_cast<std::uint64_t>(array->first_row()), total, grid, mine);
    });
    before = merge_row_nodes(engine, mine, reduction, array->dtype, engine.pe());
  }
  engine.interruptibly(array->shape.size(), [&] {
    if (rows > 0 && width > 0)
      scan_rows(work, kind, array->dtype, array->bytes(), result->bytes(), rows, width,
                static_cast<std::uint64_t>(array->first_row()), total, grid,
                array->first_row() > 0 ? &before.nodes() : nullptr);
  });
  return result;
}

}  // namespace atl::array
