// SPDX-License-Identifier: Apache-2.0
// Distinct values: neighbours in sorted order that differ.
#include <cstring>

#include "atoll/array/ops/elementwise.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/reduce.hpp"
#include "atoll/array/ops/select.hpp"
#include "atoll/array/ops/sort.hpp"

namespace atl::array {
namespace {

/// True where a sorted array's element differs from the one before it; all NaN are equal. Collective.
Array starts_of_runs(Engine& engine, const Array& sorted) {
  Array starts = engine.make(DType::b1, sorted->shape);
  const std::int64_t n = sorted->local_rows();
  struct Last {
    std::uint64_t bits, present;
  };
  Last mine{0, n > 0 ? 1u : 0u};
  if (n > 0) std::memcpy(&mine.bits, sorted->bytes() + (n - 1) * static_cast<std::int64_t>(sorted->row_bytes()), sorted->row_bytes());
  Last before{0, 0};
  const auto all = engine.allgather_value(mine);
  for (std::uint32_t pe = 0; pe < engine.pe(); ++pe)
    if (all[pe].present != 0) before = all[pe];
  if (n == 0) return starts;
  dispatch(sorted->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const T* values = sorted->data<T>();
    bool* out = starts->data<bool>();
    auto differ = [](T a, T b) { return a != b && !(a != a && b != b); };
    out[0] = before.present == 0 || differ(values[0], from_bits<T>(before.bits));
    engine.threads().for_ranges(static_cast<std::size_t>(n - 1), 64, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin + 1; i < end + 1; ++i) out[i] = differ(values[i], values[i - 1]);
    });
  });
  return starts;
}

Array compute(Engine& engine, Op op, DType loop, const std::vector<Array>& operands) {
  Program program;
  std::vector<LeafSource> leaves;
  std::array<Register, 3> registers;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    registers[i] = program.add_leaf(operands[i]->dtype);
    leaves.push_back({operands[i], 0, 0});
  }
  program.results.push_back(op == Op::cast ? program.add_cast(loop, registers[0]) : program.add(op, loop, registers[0], registers[1], registers[2]));
  return evaluate(engine, std::move(program), std::move(leaves), operands[0]->shape, nullptr).front();
}

}  // namespace

std::vector<Array> unique_array(Engine& engine, Array array, std::uint8_t outputs) {
  engine.begin_operation("unique");
  const std::int64_t n = array->shape.size();
  const Array flat = array->shape.ndim() == 1 ? array : reshape(engine, array, Shape{n});
  const bool want_rows = (outputs & (unique_index | unique_inverse)) != 0;
  const Array order = want_rows ? argsort_array(engine, flat) : nullptr;
  const Array sorted = want_rows ? take(engine, flat, order) : sort_array(engine, flat);
  const Array starts = starts_of_runs(engine, sorted);
  std::vector<Array> result(4);
  result[0] = compress_rows(engine, sorted, starts);
  if ((outputs & (unique_index | unique_counts)) != 0) {
    const Array first = find_true(engine, starts);
    if ((outputs & unique_index) != 0) result[1] = take(engine, order, first);
    if ((outputs & unique_counts) != 0) {
      const std::int64_t groups = first->shape.size();
      const Array rest = get_slice(engine, first, {Slice{groups > 0 ? 1 : 0, 1, groups > 0 ? groups - 1 : 0}});
      const Array end = full(engine, DType::i64, Shape{groups > 0 ? 1 : 0}, static_cast<std::uint64_t>(n));
      result[3] = compute(engine, Op::subtract, DType::i64, {concatenate(engine, {rest, end}), first});
    }
  }
  if ((outputs & unique_inverse) != 0) {
    const Array group = scan_along(engine, compute(engine, Op::cast, DType::i64, {starts}), Scan::cumsum, 0);
    const Array one = full(engine, DType::i64, group->shape, 1);
    result[2] = full(engine, DType::i64, flat->shape, 0);
    assign_index(engine, result[2], order, compute(engine, Op::subtract, DType::i64, {group, one}), AssignMode::set);
  }
  return result;
}

}  // namespace atl::array
