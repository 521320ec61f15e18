// SPDX-License-Identifier: Apache-2.0
// Scans along an axis of an n-dimensional array.
#include <algorithm>
#include <cstring>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/axis/inner.hpp"
#include "kernel/reduce/range_watch.hpp"

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
    Polling(work).for_pieces(outer, std::max<std::uint64_t>(1, range_elements / length),
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
    Polling(work).for_pieces(outer, std::max<std::uint64_t>(1, range_elements / (length * inner)),
                             [&](std::size_t begin, std::size_t end, unsigned) {
                               for (std::size_t o = begin; o < end; ++o) scan_columns(o, 0, inner);
                             });
    return;
  }
  for (std::uint64_t o = 0; o < outer; ++o) {
    Polling(work).for_pieces(inner, std::max<std::uint64_t>(64, range_elements / length),
                             [&](std::size_t begin, std::size_t end, unsigned) { scan_columns(o, begin, end); });
  }
}

namespace {

/// Values of units of rows, and the exponents of those that have left the range of their type.
struct UnitRows {
  UnitRows(std::uint64_t units, std::size_t row_bytes_)
      : row_bytes(row_bytes_), values(units * row_bytes), exponents(units) {}
  std::byte* value(std::uint64_t unit) { return values.data() + unit * row_bytes; }
  const std::int64_t* exponent(std::uint64_t unit) const {
    return exponents[unit].empty() ? nullptr : exponents[unit].data();
  }
  std::size_t row_bytes;
  std::vector<std::byte> values;
  std::vector<std::vector<std::int64_t>> exponents;
};

/// What a scan of rows goes through, unit by unit.
struct RowScanner {
  RowScanner(Scan kind, DType type_, const void* in, std::uint64_t rows, std::uint64_t width_, std::uint64_t first_row_,
             std::uint64_t total_rows_, const UnitGrid& grid_)
      : reduction(reduction_of(kind)),
        type(type_),
        kernels(find_row_kernels(reduction, type)),
        scaled(may_leave_range(reduction, type) ? &find_scaled_kernels(reduction, type) : nullptr),
        grid(grid_),
        x(static_cast<const std::byte*>(in)),
        width(width_),
        first_row(first_row_),
        total_rows(total_rows_),
        unit_begin(grid.units_before(first_row)),
        units(grid.units_before(first_row + rows) - unit_begin),
        row_bytes(width * size_of(type)) {
    ATOLL_EXPECT(grid.is_border(first_row) && (grid.is_border(first_row + rows) || first_row + rows == total_rows));
  }
  UnitGrid::Unit unit(std::uint64_t u) const { return grid.at(unit_begin + u, total_rows); }
  std::size_t offset(std::uint64_t row) const { return (row - first_row) * row_bytes; }
  template <class Body>
  void for_units(Work& work, Body body) const {
    Polling(work).for_pieces(units, std::max<std::uint64_t>(1, range_elements / (grid.unit() * width)),
                             [&](std::size_t begin, std::size_t end, unsigned) {
                               for (std::size_t u = begin; u < end; ++u) body(u);
                             });
  }

  /// Every unit's own value, its rows added in plain order: the one definition behind the carries on any number of PEs.
  UnitRows unit_values(Work& work) const {
    UnitRows own(units, row_bytes);
    for_units(work, [&](std::uint64_t u) {
      const UnitGrid::Unit rows = unit(u);
      std::byte* const value = own.value(u);
      const RangeWatch watch;
      for (std::uint64_t row = rows.begin; row < rows.end; ++row) {
        (row == rows.begin ? kernels.first : kernels.add)(value, x + offset(row), width);
      }
      if (scaled == nullptr || !watch.left()) [[likely]]
        return;
      own.exponents[u].resize(width);
      std::memcpy(value, x + offset(rows.begin), row_bytes);
      for (std::uint64_t row = rows.begin + 1; row < rows.end; ++row) {
        scaled->join(value, own.exponents[u].data(), x + offset(row), nullptr, width);
      }
    });
    return own;
  }
  void push(RowFold& fold, std::uint64_t u, const std::byte* value, const std::int64_t* exponents) const {
    const UnitGrid::Unit rows = unit(u);
    TreeNode node;
    node.index = rows.tree_index;
    fold.push(node, value, exponents);
    if (rows.end % grid.granule() == 0) fold.pad_to(grid.tree_end(rows));
  }

  Reduction reduction;
  DType type;
  RowKernels kernels;
  const ScaledKernels* scaled;
  const UnitGrid& grid;
  const std::byte* x;
  std::uint64_t width, first_row, total_rows, unit_begin, units;
  std::size_t row_bytes;
};

}  // namespace

void scan_row_nodes(Work& work, Scan kind, DType type, const void* in, std::uint64_t rows, std::uint64_t width,
                    std::uint64_t first_row, std::uint64_t total_rows, const UnitGrid& grid, RowFold& fold) {
  const RowScanner scanner(kind, type, in, rows, width, first_row, total_rows, grid);
  UnitRows own = scanner.unit_values(work);
  for (std::uint64_t u = 0; u < scanner.units; ++u) scanner.push(fold, u, own.value(u), own.exponent(u));
}

void scan_rows(Work& work, Scan kind, DType type, const void* in, void* out, std::uint64_t rows, std::uint64_t width,
               std::uint64_t first_row, std::uint64_t total_rows, const UnitGrid& grid, const RowNodes* before) {
  if (rows == 0 || width == 0) return;
  const RowScanner scanner(kind, type, in, rows, width, first_row, total_rows, grid);
  const RowScan kernel = find_row_scan(kind, type);
  const std::size_t row_bytes = scanner.row_bytes;
  const ScaledKernels* const scaled = scanner.scaled;
  std::byte* const y = static_cast<std::byte*>(out);

  // Every unit's own value; then what comes before it; then the scan itself.
  UnitRows carries = scanner.unit_values(work);
  RowFold fold(scanner.reduction, type, width);
  if (before != nullptr) fold.push(*before);
  std::vector<char> has_carry(scanner.units, 1);
  std::vector<std::byte> mine(row_bytes);
  for (std::uint64_t u = 0; u < scanner.units; ++u) {
    std::memcpy(mine.data(), carries.value(u), row_bytes);
    const std::vector<std::int64_t> exponents = std::move(carries.exponents[u]);
    carries.exponents[u].clear();
    if (fold.nodes().nodes.empty()) has_carry[u] = 0;
    else fold.finish_values(carries.value(u), carries.exponents[u]);  // the carry takes the value's place
    scanner.push(fold, u, mine.data(), exponents.empty() ? nullptr : exponents.data());
  }
  scanner.for_units(work, [&](std::uint64_t u) {
    const UnitGrid::Unit unit = scanner.unit(u);
    auto for_rows = [&](auto&& first, auto&& next) {
      for (std::uint64_t row = unit.begin; row < unit.end; ++row) {
        const std::size_t at = scanner.offset(row);
        if (row == unit.begin && has_carry[u] == 0) first(y + at, scanner.x + at);
        else next(y + at, scanner.x + at);
      }
    };
    std::vector<std::byte> carry(carries.value(u), carries.value(u) + row_bytes);
    std::vector<std::int64_t>& exponents = carries.exponents[u];
    if (exponents.empty()) {
      const RangeWatch watch;
      for_rows(
          [&](std::byte* to, const std::byte* from) {
            std::memcpy(carry.data(), from, row_bytes);
            std::memcpy(to, from, row_bytes);
          },
          [&](std::byte* to, const std::byte* from) { kernel(to, carry.data(), from, width); });
      if (scaled == nullptr || !watch.left()) [[likely]]
        return;
      std::memcpy(carry.data(), carries.value(u), row_bytes);
      exponents.resize(width);
    }
    for_rows(
        [&](std::byte* to, const std::byte* from) {
          std::memcpy(carry.data(), from, row_bytes);
          std::memcpy(to, from, row_bytes);
        },
        [&](std::byte* to, const std::byte* from) {
          scaled->join(carry.data(), exponents.data(), from, nullptr, width);
          scaled->round(to, carry.data(), exponents.data(), width);
        });
  });
}

}  // namespace atl::array
