// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/elementwise.hpp"

#include "atoll/array/ops/iteration.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {

Iteration::Iteration(Engine& engine, const Program& program, const std::vector<LeafSource>& sources, const Shape& shape,
                     Axes axes)
    : distribution_(shape, engine.npes(), engine.grain()) {
  const std::int64_t rows = distribution_.count(engine.pe());
  const std::int64_t first = distribution_.begin(engine.pe()) * shape.row_size();
  bool flat = axes == Axes::merged;
  for (const LeafSource& source : sources) flat = flat && (source.array == nullptr || source.array->shape == shape);
  domain_ = Domain::flat(static_cast<std::uint64_t>(rows * shape.row_size()), static_cast<std::uint64_t>(first));
  if (!flat && shape.ndim() > 0) {
    domain_.dims = shape.ndim();
    for (int axis = 0; axis < shape.ndim(); ++axis) domain_.shape[static_cast<std::size_t>(axis)] = shape[axis];
    domain_.shape[0] = rows;
  }
  for (const LeafSource& source : sources) leaves_.push_back(open(engine, source, shape));
}

Leaf Iteration::open(Engine& engine, const LeafSource& source, const Shape& shape) {
  if (source.array == nullptr) return Leaf::iota(source.start_bits, source.step_bits);
  const ArrayData& array = *source.array;
  if (array.shape == shape) return Leaf::dense(array.bytes(), domain_);
  // A smaller leaf repeats along some axes. Its rows must be where the iteration's are, or everywhere.
  const void* data = array.bytes();
  const bool has_rows = array.shape.ndim() == shape.ndim() && array.shape[0] == shape[0];
  if (engine.npes() > 1) {
    if (!has_rows) data = buffers_.emplace_back(replicate(engine, array)).data();
    else if (!(array.distribution == distribution_))
      data = buffers_.emplace_back(redistribute(engine, array, distribution_)).data();
  }
  Leaf leaf;
  leaf.data = data;
  const int shift = shape.ndim() - array.shape.ndim();
  std::int64_t stride = 1;
  for (int axis = array.shape.ndim() - 1; axis >= 0; --axis) {
    if (array.shape[axis] != 1) leaf.strides[static_cast<std::size_t>(axis + shift)] = stride;
    stride *= array.shape[axis];
  }
  return leaf;
}

void check_outcome(Engine& engine, const Program& program, const Outcome& outcome) {
  bool can_fail = false;
  for (const Instruction& step : program.code) can_fail = can_fail || (step.op == Op::power && is_integer(step.type));
  if (!can_fail) return;
  engine.together([&] {
    ATOLL_VALIDATE(!outcome.negative_power, ValueError, "Integers to negative integer powers are not allowed.");
  });
}

std::vector<Array> evaluate(Engine& engine, Program program, std::vector<LeafSource> leaves, Shape shape, Array into) {
  engine.begin_operation("evaluate");
  const Plan plan(std::move(program));
  const Program& code = plan.program();
  std::vector<std::pair<DType, Shape>> kinds;
  for (std::size_t r = into == nullptr ? 0 : 1; r < code.results.size(); ++r)
    kinds.emplace_back(code.type_of(code.results[r]), shape);
  std::vector<Array> results = engine.make(kinds);
  // The memory changes hands; the dying leaf's number at the workers goes with it.
  if (into != nullptr)
    results.insert(results.begin(), std::make_shared<ArrayData>(ArrayData{into->dtype, into->shape, into->distribution,
                                                                          into->pe, into->storage, 0, nullptr}));
  std::vector<void*> outputs;
  for (const Array& result : results) outputs.push_back(result->bytes());
  Iteration iteration(engine, code, leaves, shape);
  Work work = engine.work(into == nullptr ? Interruptible::yes : Interruptible::no);
  Outcome outcome;
  auto run = [&] { outcome = plan.evaluate(work, iteration.domain(), iteration.leaves(), outputs); };
  if (into == nullptr) engine.interruptibly(shape.size(), run);
  else run();
  check_outcome(engine, code, outcome);
  return results;
}

Array compute(Engine& engine, Op op, DType loop, const std::vector<Array>& operands) {
  Program program;
  std::vector<LeafSource> leaves;
  std::array<Register, 3> registers;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    registers[i] = program.add_leaf(operands[i]->dtype);
    leaves.push_back({operands[i], 0, 0});
  }
  program.results.push_back(op == Op::cast ? program.add_cast(loop, registers[0])
                                           : program.add(op, loop, registers[0], registers[1], registers[2]));
  return evaluate(engine, std::move(program), std::move(leaves), operands[0]->shape, nullptr).front();
}

Reduced reduce_all(Engine& engine, Program program, std::vector<LeafSource> leaves, Shape shape, Reduction kind,
                   std::uint8_t first_stored) {
  engine.begin_operation("reduce");
  const Plan plan(std::move(program));
  const Program& code = plan.program();
  Reduced reduced;
  std::vector<std::pair<DType, Shape>> kinds;
  for (std::size_t r = first_stored; r < code.results.size(); ++r)
    kinds.emplace_back(code.type_of(code.results[r]), shape);
  if (!kinds.empty()) reduced.stored = engine.make(kinds);
  std::vector<void*> outputs(code.results.size(), nullptr);
  for (std::size_t r = 0; r < reduced.stored.size(); ++r) outputs[r + first_stored] = reduced.stored[r]->bytes();

  Iteration iteration(engine, code, leaves, shape);
  const UnitGrid grid(granule_of(iteration.distribution(), shape));
  TreeFold fold(kind, code.type_of(code.results[0]));
  Work work = engine.work();
  Outcome outcome;
  engine.interruptibly(shape.size(), [&] {
    outcome = plan.reduce(work, iteration.domain(), iteration.leaves(), outputs, kind, grid,
                          static_cast<std::uint64_t>(shape.size()), fold);
  });
  check_outcome(engine, code, outcome);
  if (engine.npes() == 1) {
    reduced.value = fold.finish();
  } else {
    TreeFold whole(kind, code.type_of(code.results[0]));
    for (const auto& nodes : engine.allgather_vector(std::vector<TreeNode>(fold.nodes().begin(), fold.nodes().end())))
      whole.push(nodes);
    reduced.value = whole.finish();
  }
  return reduced;
}

}  // namespace atl::array
