// SPDX-License-Identifier: Apache-2.0
// Whole programs: random ones against an interpreter that runs one instruction at a time over whole arrays, views,
// generators, in place, several results, the wire form, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "atoll/array/kernel/plan.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"

namespace atl::array {
namespace {

struct Environment {
  explicit Environment(unsigned count) : threads(count) {}
  ThreadPool threads;
  SystemMemory memory;
  Monitor monitor;
  Work work{threads, memory, monitor};
};

using Bytes = std::vector<std::byte>;

/// One instruction as a program of its own, over stored operands.
Bytes interpret(Environment& env, const Program& program, Register r, const std::vector<Bytes>& leaves,
                std::size_t count, std::vector<Bytes>& values) {
  if (r.kind() == Register::Kind::leaf) return leaves[r.index()];
  if (r.kind() == Register::Kind::constant) {
    const Constant& constant = program.constants[r.index()];
    const std::size_t size = size_of(constant.type);
    Bytes out(count * size);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(out.data() + i * size, &constant.bits, size);
    return out;
  }
  if (!values[r.index()].empty()) return values[r.index()];
  const Instruction& code = program.code[r.index()];
  Program single;
  std::vector<Bytes> operands;
  std::vector<Leaf> views;
  Register registers[3];
  const Domain domain = Domain::flat(count);
  const Register sources[3] = {code.a, code.b, code.c};
  for (int k = 0; k < 3; ++k) {
    if (sources[k].kind() == Register::Kind::none) continue;
    operands.push_back(interpret(env, program, sources[k], leaves, count, values));
    registers[k] = single.add_leaf(program.type_of(sources[k]));
  }
  for (const Bytes& operand : operands) views.push_back(Leaf::dense(operand.data(), domain));
  single.results.push_back(single.add(code.op, code.type, registers[0], registers[1], registers[2]));
  Bytes out(count * size_of(single.type_of(single.results[0])));
  void* outputs[] = {out.data()};
  Plan(single).evaluate(env.work, domain, views, outputs);
  return values[r.index()] = out;
}

TEST(Program, RandomProgramsMatchStepByStep) {
  constexpr Op binary[] = {Op::add,         Op::subtract, Op::multiply, Op::maximum,    Op::minimum,
                           Op::bitwise_xor, Op::less,     Op::equal,    Op::logical_or, Op::fmin};
  constexpr Op unary[] = {Op::negative, Op::absolute, Op::square, Op::sign,       Op::sqrt,
                          Op::floor,    Op::isnan,    Op::invert, Op::logical_not};
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    Program program;
    std::vector<Register> pool;
    for (int i = 0; i < 4; ++i) pool.push_back(program.add_leaf(static_cast<DType>(random() % dtype_count)));
    pool.push_back(program.add_constant(2.5));
    pool.push_back(program.add_constant(std::int32_t{-3}));
    for (int i = 0; i < 25; ++i) {
      const DType loop = static_cast<DType>(random() % dtype_count);
      auto pick = [&](DType type) { return program.add_cast(type, pool[random() % pool.size()]); };
      const unsigned choice = random() % 10;
      if (choice == 0) {
        const Register condition = pick(DType::b1), yes = pick(loop), no = pick(loop);
        pool.push_back(program.add(Op::where, loop, condition, yes, no));
      } else if (choice < 7) {
        const Op op = binary[random() % std::size(binary)];
        if (!has_loop(op, loop)) continue;
        const Register a = pick(loop), b = pick(loop);
        pool.push_back(program.add(op, loop, a, b));
      } else {
        const Op op = unary[random() % std::size(unary)];
        if (!has_loop(op, loop)) continue;
        pool.push_back(program.add(op, loop, pick(loop)));
      }
    }
    for (int i = 0; i < 3; ++i) program.results.push_back(pool[pool.size() - 1 - random() % 5]);
    program = Program::from_bytes(program.to_bytes());

    const std::size_t count = 1 + random() % (seed % 5 == 0 ? 60000 : 3000);
    std::vector<Bytes> leaves;
    const Domain domain = Domain::flat(count);
    std::vector<Leaf> views;
    for (DType type : program.leaves) {
      Bytes data(count * size_of(type));
      dispatch(type, [&](auto t) {
        using T = typename decltype(t)::type;
        for (std::size_t i = 0; i < count; ++i) {
          const T value = static_cast<T>(static_cast<double>(random() % 1000) / 4);
          std::memcpy(data.data() + i * sizeof(T), &value, sizeof(T));
        }
      });
      leaves.push_back(std::move(data));
    }
    for (const Bytes& leaf : leaves) views.push_back(Leaf::dense(leaf.data(), domain));
    const Plan plan(program);
    Environment one(1);
    for (unsigned threads : {1, 2, 3}) {
      Environment env(threads);
      std::vector<Bytes> outs;
      std::vector<void*> outputs;
      for (Register r : program.results) outs.emplace_back(count * size_of(program.type_of(r)));
      for (Bytes& out : outs) outputs.push_back(out.data());
      plan.evaluate(env.work, domain, views, outputs);
      std::vector<Bytes> values(program.code.size());
      for (std::size_t r = 0; r < outs.size(); ++r) {
        ASSERT_EQ(outs[r], interpret(one, program, program.results[r], leaves, count, values))
            << "seed " << seed << " result " << r << " threads " << threads;
      }
    }
  }
}

TEST(Program, ViewsBroadcastStrideAndReverse) {
  Environment env(2);
  Program program;
  const Register a = program.add_leaf(DType::f64), b = program.add_leaf(DType::f64), c = program.add_leaf(DType::f64);
  program.results.push_back(program.add(Op::add, DType::f64, program.add(Op::multiply, DType::f64, a, b), c));
  const Plan plan(program);
  Domain domain;
  domain.dims = 3;
  domain.shape = {70, 33, 17};
  const std::int64_t n = 70 * 33 * 17;
  std::vector<double> base(static_cast<std::size_t>(2 * n)), row(17), out(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = static_cast<double>(i % 977);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i);
  const double scalar = 5;
  Leaf reversed;
  reversed.data = base.data() + 2 * (n - 1);
  reversed.strides = {-2 * 33 * 17, -2 * 17, -2};
  Leaf rows;
  rows.data = row.data();
  rows.strides = {0, 0, 1};
  Leaf single;
  single.data = &scalar;
  const Leaf leaves[] = {reversed, rows, single};
  void* outputs[] = {out.data()};
  plan.evaluate(env.work, domain, leaves, outputs);
  for (std::int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(out[static_cast<std::size_t>(i)],
              base[static_cast<std::size_t>(2 * (n - 1 - i))] * row[static_cast<std::size_t>(i % 17)] + 5)
        << i;
  }
}

TEST(Program, GeneratorsKnowTheGlobalIndex) {
  Environment env(2);
  Program program;
  const Register i = program.add_leaf(DType::i64), f = program.add_leaf(DType::f64), r = program.add_leaf(DType::u64);
  program.results = {i, f, r};
  const Plan plan(program);
  const std::uint64_t count = 40001, first = 12345;
  const Leaf leaves[] = {Leaf::iota(to_bits(std::int64_t{7}), to_bits(std::int64_t{-3})),
                         Leaf::iota(to_bits(0.5), to_bits(0.1)), Leaf::random(99, 1000)};
  std::vector<std::int64_t> x(count);
  std::vector<double> y(count);
  std::vector<std::uint64_t> z(count);
  void* outputs[] = {x.data(), y.data(), z.data()};
  plan.evaluate(env.work, Domain::flat(count, first), leaves, outputs);
  for (std::uint64_t k = 0; k < count; ++k) {
    ASSERT_EQ(x[k], 7 - 3 * static_cast<std::int64_t>(first + k));
    ASSERT_EQ(y[k], 0.5 + 0.1 * static_cast<double>(first + k));
    ASSERT_EQ(z[k], random_bits(99, 1000 + first + k));
  }
}

TEST(Program, InPlaceAndLargeOutputs) {
  Environment env(2);
  Program program;
  const Register a = program.add_leaf(DType::f32), b = program.add_leaf(DType::f32);
  const Register sum = program.add(Op::add, DType::f32, a, b);
  program.results = {sum, program.add(Op::multiply, DType::f32, a, b)};
  const Plan plan(program);
  for (std::size_t count : {100u, 3001u, 1000003u}) {
    std::vector<float> x(count), y(count), product(count);
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(i % 101);
      y[i] = static_cast<float>(i % 7);
    }
    const Domain domain = Domain::flat(count);
    const Leaf leaves[] = {Leaf::dense(x.data(), domain), Leaf::dense(y.data(), domain)};
    void* outputs[] = {x.data(), product.data()};
    plan.evaluate(env.work, domain, leaves, outputs);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(x[i], static_cast<float>(i % 101 + i % 7));
      ASSERT_EQ(product[i], static_cast<float>((i % 101) * (i % 7)));
    }
  }
}

TEST(Program, ReducesAndStoresInOnePass) {
  Environment env(2);
  Program program;
  const Register a = program.add_leaf(DType::i32);
  program.results.push_back(program.add(Op::square, DType::i32, a));
  const Plan plan(program);
  const std::size_t count = 100001;
  std::vector<std::int32_t> x(count), y(count);
  std::int32_t expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<std::int32_t>(i % 50);
    expected += x[i] * x[i];
  }
  const Domain domain = Domain::flat(count);
  const Leaf leaf = Leaf::dense(x.data(), domain);
  void* outputs[] = {y.data()};
  TreeFold fold(Reduction::sum, DType::i32);
  plan.reduce(env.work, domain, {&leaf, 1}, outputs, Reduction::sum, UnitGrid(), count, fold);
  EXPECT_EQ(from_bits<std::int32_t>(fold.finish().bits), expected);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(y[i], x[i] * x[i]);
}

TEST(Program, RefusesInvalidOperations) {
  Program program;
  const Register a = program.add_leaf(DType::f64), b = program.add_leaf(DType::i64);
  EXPECT_THROW(program.add(Op::add, DType::f64, a, b), TypeError);
  EXPECT_THROW(program.add(Op::bitwise_and, DType::f64, a, a), TypeError);
  EXPECT_THROW(program.add(Op::add, DType::f64, a), ValueError);
  EXPECT_THROW(program.add(Op::sqrt, DType::f64, a, a), ValueError);
  EXPECT_THROW(program.add(Op::add, DType::f64, a, Register(Register::Kind::value, 3)), ValueError);
  const Register once = program.add(Op::sqrt, DType::f64, a);
  EXPECT_EQ(program.add(Op::sqrt, DType::f64, a), once);
  Bytes bytes = program.to_bytes();
  bytes.pop_back();
  EXPECT_THROW(Program::from_bytes(bytes), ValueError);
}

}  // namespace
}  // namespace atl::array
