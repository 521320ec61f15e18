// SPDX-License-Identifier: Apache-2.0
// Scans along an axis of an n-dimensional array.
#include <algorithm>
#include <cstring>

#include "kernel/axis/inner.hpp"

namespace atl::array {
namespace {

constexpr std::uint64_t range_elements = 16384;

}  // namespace

void scan_axis(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t outer, std::uint64_t length,
               std::uint64_t inner) {
  if (outer == 0 || length == 0 || inner == 0) return;
  const std::size_t size = size_of(type);
  const std::byte* x = static_cast<const std::byte*>(in);
  std::byte* y = static_cast<std::byte*>(out);
  if (inner == 1) {
    const LineScan kernel = find_line_scan(kind, type);
    work.threads.for_ranges(outer, std::max<std::uint64_t>(1, range_elements / length),
                            [&](std::size_t begin, std::size_t end, unsigned) {
                              kernel(y + begin * length * size, x + begin * length * size, end - begin, length);
                            });
    return;
  }
  const RowScan kernel = find_row_scan(kind, type);
  // Columns are independent: many short arrays share out the outer index, few wide ones the columns.
  auto scan_columns = [&](std::uint64_t o, std::uint64_t from, std::uint64_t to) {
    std::vector<std::byte> carry((to - from) * size);
    for (std::uint64_t k = 0; k < length; ++k) {
      const std::size_t at = ((o * length + k) * inner + from) * size;
      if (k == 0) {
        std::memcpy(carry.data(), x + at, carry.size());
        if (y != x) std::memcpy(y + at, x + at, carry.size());
      } else {
        kernel(y + at, carry.data(), x + at, to - from);
      }
    }
  };
  if (outer >= 2 * work.threads.size()) {
    work.threads.for_ranges(outer, std::max<std::uint64_t>(1, range_elements / (length * inner)),
                            [&](std::size_t begin, std::size_t end, unsigned) {
                              for (std::size_t o = begin; o < end; ++o) scan_columns(o, 0, inner);
                            });
    return;
  }
  for (std::uint64_t o = 0; o < outer; ++o) {
    work.threads.for_ranges(inner, std::max<std::uint64_t>(64, range_elements / length),
                            [&](std::size_t begin, std::size_t end, unsigned) { scan_columns(o, begin, end); });
  }
}

namespace {

/// Every unit's own value, its rows added in plain order: the one definition behind the carries on any number of PEs.
std::vector<std::byte> unit_values(Work& work, const RowKernels& kernels, const std::byte* x, std::uint64_t first_row,
                                   std::uint64_t rows, std::uint64_t width, std::size_t row_bytes,
                                   std::uint64_t total_rows, const UnitGrid& grid) {
  const std::uint64_t unit_begin = grid.units_before(first_row), units = grid.units_before(first_row + rows) - unit_begin;
  const std::uint64_t align = std::max<std::uint64_t>(1, range_elements / (grid.unit() * width));
  std::vector<std::byte> values(units * row_bytes);
  work.threads.for_ranges(units, align, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t u = begin; u < end; ++u) {
      const UnitGrid::Unit unit = grid.at(unit_begin + u, total_rows);
      for (std::uint64_t row = unit.begin; row < unit.end; ++row) {
        (row == unit.begin ? kernels.first : kernels.add)(values.data() + u * row_bytes,
                                                          x + (row - first_row) * row_bytes, width);
      }
    }
  });
  return values;
}

}  // namespace

void scan_row_nodes(Work& work, Scan kind, DType type, const void* in, std::uint64_t rows, std::uint64_t width,
                    std::uint64_t first_row, std::uint64_t total_rows, const UnitGrid& grid, RowFold& fold) {
  const std::size_t row_bytes = width * size_of(type);
  const std::vector<std::byte> values = unit_values(work, find_row_kernels(reduction_of(kind), type),
                                                    static_cast<const std::byte*>(in), first_row, rows, width, row_bytes,
                                                    total_rows, grid);
  const std::uint64_t unit_begin = grid.units_before(first_row), unit_end = grid.units_before(first_row + rows);
  for (std::uint64_t u = unit_begin; u < unit_end; ++u) {
    const UnitGrid::Unit unit = grid.at(u, total_rows);
    TreeNode node;
    node.index = unit.tree_index;
    fold.push(node, values.data() + (u - unit_begin) * row_bytes, nullptr);
    if (unit.end % grid.granule() == 0) fold.pad_to(grid.tree_end(unit));
  }
}

void scan_rows(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t rows, std::uint64_t width,
               std::uint64_t first_row, std::uint64_t total_rows, const UnitGrid& grid, const RowNodes* before) {
  ATOLL_EXPECT(grid.is_border(first_row) && (grid.is_border(first_row + rows) || first_row + rows == total_rows));
  if (rows == 0 || width == 0) return;
  const std::size_t size = size_of(type), row_bytes = width * size;
  const Reduction reduction = reduction_of(kind);
  const RowKernels kernels = find_row_kernels(reduction, type);
  const RowScan kernel = find_row_scan(kind, type);
  const std::byte* x = static_cast<const std::byte*>(in);
  std::byte* y = static_cast<std::byte*>(out);
  const std::uint64_t unit_begin = grid.units_before(first_row), unit_end = grid.units_before(first_row + rows);
  const std::uint64_t units = unit_end - unit_begin;
  const std::uint64_t align = std::max<std::uint64_t>(1, range_elements / (grid.unit() * width));

  // Every unit's own value; then what comes before it; then the scan itself.
  std::vector<std::byte> values = unit_values(work, kernels, x, first_row, rows, width, row_bytes, total_rows, grid);
  RowFold fold(reduction, type, width);
  if (before != nullptr) fold.push(*before);
  std::vector<char> has_carry(units, 1);
  std::vector<std::byte> mine(row_bytes);
  for (std::uint64_t u = 0; u < units; ++u) {
    const UnitGrid::Unit unit = grid.at(unit_begin + u, total_rows);
    std::byte* value = values.data() + u * row_bytes;
    std::memcpy(mine.data(), value, row_bytes);
    if (fold.nodes().nodes.empty()) has_carry[u] = 0;
    else fold.finish_values(value);  // the carry takes the value's place
    TreeNode node;
    node.index = unit.tree_index;
    fold.push(node, mine.data(), nullptr);
    if (unit.end % grid.granule() == 0) fold.pad_to(grid.tree_end(unit));
  }
  work.threads.for_ranges(units, align, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t u = begin; u < end; ++u) {
      const UnitGrid::Unit unit = grid.at(unit_begin + u, total_rows);
      std::byte* carry = values.data() + u * row_bytes;
      for (std::uint64_t row = unit.begin; row < unit.end; ++row) {
        const std::size_t at = (row - first_row) * row_bytes;
        if (row == unit.begin && !has_carry[u]) {
          std::memcpy(carry, x + at, row_bytes);
          if (x != y) std::memcpy(y + at, x + at, row_bytes);
        } else {
          kernel(y + at, carry, x + at, width);
        }
      }
    }
  });
}

}  // namespace atl::array
