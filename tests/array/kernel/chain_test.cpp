// SPDX-License-Identifier: Apache-2.0
// Trees of arithmetic that run as one pass: the same bits as one instruction after the other, for every pair of
// operations, deep and wide trees, results that are also read, in place, at odd counts and addresses, stored past the
// cache.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "atoll/array/kernel/plan.hpp"

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

/// Every instruction as a program of its own, over stored operands; returns the values of all of them.
std::vector<Bytes> step_by_step(Environment& env, const Program& program, const std::vector<Bytes>& leaves,
                                std::size_t count) {
  const Domain domain = Domain::flat(count);
  std::vector<Bytes> values;
  for (const Instruction& code : program.code) {
    Program single;
    std::vector<Bytes> operands;
    Register registers[2];
    const Register sources[2] = {code.a, code.b};
    for (int k = 0; k < 2; ++k) {
      const Register r = sources[k];
      if (r.kind() == Register::Kind::none) continue;
      registers[k] = single.add_leaf(program.type_of(r));
      if (r.kind() == Register::Kind::leaf) {
        operands.push_back(leaves[r.index()]);
      } else if (r.kind() == Register::Kind::value) {
        operands.push_back(values[r.index()]);
      } else {
        const Constant& constant = program.constants[r.index()];
        const std::size_t size = size_of(constant.type);
        Bytes filled(count * size);
        for (std::size_t i = 0; i < count; ++i) std::memcpy(filled.data() + i * size, &constant.bits, size);
        operands.push_back(std::move(filled));
      }
    }
    std::vector<Leaf> views;
    for (const Bytes& operand : operands) views.push_back(Leaf::dense(operand.data(), domain));
    single.results.push_back(single.add(code.op, code.type, registers[0], registers[1]));
    Bytes out(count * size_of(code.type));
    void* outputs[] = {out.data()};
    Plan(single).evaluate(env.work, domain, views, outputs);
    values.push_back(std::move(out));
  }
  return values;
}

/// Values whose products and quotients round, overflow now and then, and are NaN now and then.
Bytes random_leaf(DType type, std::size_t count, std::mt19937_64& random) {
  Bytes data(count * size_of(type));
  dispatch(type, [&](auto t) {
    using T = typename decltype(t)::type;
    for (std::size_t i = 0; i < count; ++i) {
      T value;
      if constexpr (std::is_floating_point_v<T>) {
        value = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-61);
        if (random() % 97 == 0) value = T(0);
      } else {
        value = static_cast<T>(random());
      }
      std::memcpy(data.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return data;
}

/// The same bits, but that any NaN equals any other: of two NaN operands an addition may keep either.
bool same_bits(DType type, const void* x, const void* y, std::size_t count) {
  return dispatch(type, [&](auto t) {
    using T = typename decltype(t)::type;
    for (std::size_t i = 0; i < count; ++i) {
      T a, b;
      std::memcpy(&a, static_cast<const T*>(x) + i, sizeof a);
      std::memcpy(&b, static_cast<const T*>(y) + i, sizeof b);
      if (std::memcmp(&a, &b, sizeof a) != 0 && !(a != a && b != b)) return false;
    }
    return true;
  });
}

void expect_step_by_step(const Program& program, std::size_t count, std::mt19937_64& random) {
  Environment one(1), two(2);
  std::vector<Bytes> leaves;
  std::vector<Leaf> views;
  const Domain domain = Domain::flat(count);
  for (DType type : program.leaves) leaves.push_back(random_leaf(type, count, random));
  for (const Bytes& leaf : leaves) views.push_back(Leaf::dense(leaf.data(), domain));
  const std::vector<Bytes> expected = step_by_step(one, program, leaves, count);
  const Plan plan(program);
  for (std::size_t offset : {0, 8, 64}) {  // of the outputs, from a multiple of 64
    std::vector<Buffer<std::byte>> outs;
    std::vector<void*> outputs;
    for (Register r : program.results) {
      outs.emplace_back(two.memory, count * size_of(program.type_of(r)) + 64);
      outputs.push_back(outs.back().data() + offset);
    }
    plan.evaluate(two.work, domain, views, outputs);
    for (std::size_t r = 0; r < outs.size(); ++r) {
      const Bytes& right = expected[program.results[r].index()];
      ASSERT_TRUE(same_bits(program.type_of(program.results[r]), right.data(), outputs[r], count))
          << "result " << r << " of " << count << " at " << offset;
    }
  }
}

constexpr DType types[] = {DType::f64, DType::f32, DType::i64, DType::u64, DType::i32, DType::u32, DType::i16};
constexpr Op operations[] = {Op::add, Op::subtract, Op::multiply, Op::divide};

TEST(Chain, EveryPairOfOperations) {
  std::mt19937_64 random(1);
  for (DType type : types) {
    for (Op first : operations) {
      for (Op second : operations) {
        if (!has_loop(first, type) || !has_loop(second, type)) continue;
        // (a . b) . c, c . (a . b), (a . b) . (c . d), ((a . b) . c) . d, d . ((a . b) . c), ((a . b) . c) . (c . d)
        Program program;
        Register x[4];
        for (Register& leaf : x) leaf = program.add_leaf(type);
        auto pair = [&](Program& p) { return p.add(first, type, x[0], x[1]); };
        for (int shape = 0; shape < 7; ++shape) {
          Program p = program;
          const Register ab = pair(p);
          Register root;
          switch (shape) {
            case 0: root = p.add(second, type, ab, x[2]); break;
            case 1: root = p.add(second, type, x[2], ab); break;
            case 2: root = p.add(second, type, ab, p.add(first, type, x[2], x[3])); break;
            case 3: root = p.add(first, type, p.add(second, type, ab, x[2]), x[3]); break;
            case 4: root = p.add(first, type, x[3], p.add(second, type, ab, x[2])); break;
            case 5: root = p.add(first, type, p.add(second, type, ab, x[2]), p.add(second, type, x[2], x[3])); break;
            default:
              root = p.add(first, type, p.add(second, type, x[2], x[3]),
                           p.add(second, type, ab, p.add(first, type, x[1], x[3])));
              break;
          }
          p.results.push_back(root);
          expect_step_by_step(p, 1 + random() % 300, random);
          if (HasFatalFailure())
            FAIL() << name_of(type) << ' ' << info(first).name << ' ' << info(second).name << ' ' << shape;
        }
      }
    }
  }
}

TEST(Chain, RandomTrees) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937_64 random(seed);
    const DType type = types[random() % std::size(types)];
    Program program;
    std::vector<Register> pool;
    const unsigned leaf_count = 2 + random() % 20;
    for (unsigned i = 0; i < leaf_count; ++i) pool.push_back(program.add_leaf(type));
    pool.push_back(program.add_constant(type, type == DType::f32 ? to_bits(0.3f) : to_bits(std::int64_t{3})));
    const std::size_t length = 1 + random() % 30;
    const bool tree = random() % 2 == 0;  // of which every value is used once; otherwise any is used again
    while (program.code.size() < length && pool.size() > 1) {
      auto take = [&] {
        const std::size_t k = random() % pool.size();
        const Register r = pool[k];
        if (tree && pool.size() > 1) pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(k));
        return r;
      };
      const std::size_t before = program.code.size();
      const unsigned choice = random() % 9;
      if (choice == 8) {
        pool.push_back(program.add(random() % 2 == 0 ? Op::square : Op::negative, type, take()));
      } else {
        const Op op = operations[choice % 4];
        if (!has_loop(op, type)) continue;
        const Register a = take(), b = take();
        pool.push_back(program.add(op, type, a, b));
      }
      if (program.code.size() == before) break;  // an equal instruction was there already
    }
    if (program.code.empty()) continue;
    const auto last = static_cast<std::uint16_t>(program.code.size() - 1);
    program.results.push_back(Register(Register::Kind::value, last));
    if (seed % 3 == 0)
      program.results.push_back(Register(Register::Kind::value, static_cast<std::uint16_t>(random() % (last + 1u))));
    expect_step_by_step(program, 1 + random() % (seed % 6 == 0 ? 40000 : 2000), random);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Chain, LargeResultsAndInPlace) {
  // Larger than any second-level cache, so that results are streamed.
  const std::size_t count = 700'001;
  std::mt19937_64 random(7);
  Program program;
  Register x[4];
  for (Register& leaf : x) leaf = program.add_leaf(DType::f64);
  const Register ab = program.add(Op::multiply, DType::f64, x[0], x[1]);
  const Register sum = program.add(Op::add, DType::f64, ab, program.add(Op::multiply, DType::f64, x[2], x[3]));
  program.results.push_back(
      program.add(Op::divide, DType::f64, program.add(Op::subtract, DType::f64, sum, x[1]), x[0]));
  expect_step_by_step(program, count, random);
  Program scaled;
  const Register a = scaled.add_leaf(DType::f64), b = scaled.add_leaf(DType::f64);
  scaled.results.push_back(
      scaled.add(Op::add, DType::f64, a, scaled.add(Op::multiply, DType::f64, scaled.add_constant(0.3), b)));
  expect_step_by_step(scaled, count, random);

  Environment env(2);
  const Domain domain = Domain::flat(count);
  std::vector<Bytes> leaves;
  for (int k = 0; k < 4; ++k) leaves.push_back(random_leaf(DType::f64, count, random));
  const std::vector<Bytes> expected = step_by_step(env, program, leaves, count);
  Buffer<std::byte> place(env.memory, count * 8);
  std::memcpy(place.data(), leaves[1].data(), count * 8);
  std::vector<Leaf> views;
  for (const Bytes& leaf : leaves) views.push_back(Leaf::dense(leaf.data(), domain));
  views[1].data = place.data();
  void* outputs[] = {place.data()};
  Plan(program).evaluate(env.work, domain, views, outputs);
  EXPECT_TRUE(same_bits(DType::f64, place.data(), expected.back().data(), count));

  // Two results of which one overwrites what the other still reads.
  program.results.push_back(program.add(Op::subtract, DType::f64, x[1], x[2]));
  const std::vector<Bytes> both = step_by_step(env, program, leaves, count);
  std::memcpy(place.data(), leaves[1].data(), count * 8);
  Buffer<std::byte> other(env.memory, count * 8);
  void* two_outputs[] = {place.data(), other.data()};
  Plan(program).evaluate(env.work, domain, views, two_outputs);
  EXPECT_TRUE(same_bits(DType::f64, place.data(), both[program.results[0].index()].data(), count));
  EXPECT_TRUE(same_bits(DType::f64, other.data(), both[program.results[1].index()].data(), count));
}

// A chain adds up its own values, lane by lane: the same bits as reducing what it stored, also where a sum leaves the
// range on the way and comes back, or stays infinite.
TEST(Chain, SumsAreThoseOfStoredValues) {
  const std::size_t count = 40 * UnitGrid::max_unit + 77;
  std::mt19937_64 random(11);
  auto check = [&]<class T>(T, int kind) {
    constexpr DType type = dtype_of<T>;
    std::vector<T> a(count), b(count), product(count);
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = static_cast<T>(static_cast<std::int64_t>(random() % 2001) - 1000);
      b[i] = static_cast<T>(random() % 1000) / T(7);
    }
    if constexpr (std::is_floating_point_v<T>) {
      const T huge = std::numeric_limits<T>::max() / 1000;
      for (std::size_t k = 0; k < 4 && kind >= 1;
           ++k) {  // a lane overflows in the 10th unit, and is brought back in the 30th
        const std::size_t at = (10 + 20 * (k / 2)) * UnitGrid::max_unit + 64 * (k % 2);
        a[at] = k < 2 ? huge : -huge;
        b[at] = 999;
      }
      if (kind == 2) a[20 * UnitGrid::max_unit + 5] = std::numeric_limits<T>::infinity();
    }
    Program chain, plain;
    const Register x = chain.add_leaf(type), y = chain.add_leaf(type);
    chain.results.push_back(chain.add(Op::multiply, type, x, y));
    plain.results.push_back(plain.add_leaf(type));
    for (unsigned threads : {1u, 3u}) {
      Environment env(threads);
      const Domain domain = Domain::flat(count);
      const Leaf leaves[] = {Leaf::dense(a.data(), domain), Leaf::dense(b.data(), domain)};
      void* outputs[] = {product.data()};
      Plan(chain).evaluate(env.work, domain, leaves, outputs);
      auto sum = [&](const Program& program, std::span<const Leaf> from) {
        TreeFold fold(Reduction::sum, type);
        Plan(program).reduce(env.work, domain, from, {}, Reduction::sum, UnitGrid(), count, fold);
        return fold.finish().bits;
      };
      const Leaf stored = Leaf::dense(product.data(), domain);
      const std::uint64_t got = sum(chain, leaves);
      EXPECT_EQ(got, sum(plain, {&stored, 1})) << kind << ' ' << threads;
      if constexpr (std::is_floating_point_v<T>) { EXPECT_EQ(std::isfinite(from_bits<T>(got)), kind < 2); }
    }
  };
  for (int kind : {0, 1, 2}) {
    check(double(), kind);
    check(float(), kind);
  }
  check(std::int64_t(), 0);
  check(std::int32_t(), 0);
}

}  // namespace
}  // namespace atl::array
