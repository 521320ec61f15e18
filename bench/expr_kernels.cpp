// SPDX-License-Identifier: Apache-2.0
// The fused engine, reductions and scans beside the hand-written loops, alternating, on memory touched before.
// Usage: bench_expr_kernels [elements = 10000000] [threads = 2] [trials = 5]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "atoll/array/kernel/scan.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/random.hpp"
#include "huge_memory.hpp"
#include "limit/elementwise.hpp"

using namespace atl;
using namespace atl::array;

namespace {

struct Contender {
  std::string name;
  std::function<double()> run;  // returns a checksum
};

void compare(const char* what, double bytes, int trials, std::vector<Contender> contenders) {
  std::vector<std::vector<double>> seconds(contenders.size());
  std::vector<double> checksum(contenders.size());
  for (int trial = 0; trial <= trials; ++trial) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const std::int64_t start = now_ns();
      checksum[c] = contenders[c].run();
      if (trial > 0) seconds[c].push_back(static_cast<double>(now_ns() - start) * 1e-9);
    }
  }
  double reference = 0;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    std::sort(seconds[c].begin(), seconds[c].end());
    const double median = seconds[c][seconds[c].size() / 2];
    if (c == 0) reference = median;
    std::printf("%-10s %-6s %9.3f ms  %6.2f GiB/s  (%.3f to %.3f)  x%.2f  checksum %.17g\n", what,
                contenders[c].name.c_str(), median * 1e3, bytes / median / 1073741824.0, seconds[c].front() * 1e3,
                seconds[c].back() * 1e3, reference > 0 ? median / reference : 0.0, checksum[c]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 2;
  const int trials = argc > 3 ? std::atoi(argv[3]) : 5;
  ThreadPool pool(threads);
  bench::HugeMemory memory;
  Monitor monitor;
  Work work{pool, memory, monitor};

  std::vector<Buffer<double>> x;
  for (int k = 0; k < 7; ++k) {
    x.emplace_back(memory, n);
    for (std::size_t i = 0; i < n; ++i) x.back()[i] = 0.5 + to_unit_interval(random_bits(static_cast<unsigned>(k), i));
  }
  Buffer<std::int64_t> integers(memory, n), integers_out(memory, n);
  for (std::size_t i = 0; i < n; ++i) integers[i] = static_cast<std::int64_t>(random_bits(9, i) >> 40);
  std::fill(integers_out.begin(), integers_out.end(), 0);
  double* out = x[6].data();
  const Domain domain = Domain::flat(n);
  std::vector<Leaf> leaves;
  for (int k = 0; k < 6; ++k) leaves.push_back(Leaf::dense(x[static_cast<std::size_t>(k)].data(), domain));
  const UnitGrid grid;
  const double bytes = static_cast<double>(n) * 8;

  auto plan_of = [](auto build) {
    Program program;
    program.results.push_back(build(program));
    return Plan(program);
  };
  const Plan triad = plan_of([](Program& p) {
    const Register a = p.add_leaf(DType::f64), b = p.add_leaf(DType::f64);
    return p.add(Op::add, DType::f64, a, p.add(Op::multiply, DType::f64, p.add_constant(3.0), b));
  });
  const Plan expression = plan_of([](Program& p) {
    Register r[6];
    for (Register& leaf : r) leaf = p.add_leaf(DType::f64);
    const Register ab = p.add(Op::multiply, DType::f64, r[0], r[1]), cd = p.add(Op::multiply, DType::f64, r[2], r[3]);
    return p.add(Op::divide, DType::f64, p.add(Op::subtract, DType::f64, p.add(Op::add, DType::f64, ab, cd), r[4]),
                 r[5]);
  });
  const Plan load = plan_of([](Program& p) { return p.add_leaf(DType::f64); });
  const Plan load_integers = plan_of([](Program& p) { return p.add_leaf(DType::i64); });
  auto evaluate = [&](const Plan& plan) {
    void* outputs[] = {out};
    plan.evaluate(work, domain, {leaves.data(), plan.program().leaves.size()}, outputs);
    return out[n / 3];
  };
  auto reduce = [&](const Plan& plan, Reduction kind) {
    TreeFold fold(kind, DType::f64);
    plan.reduce(work, domain, {leaves.data(), plan.program().leaves.size()}, {}, kind, grid, n, fold);
    return fold.finish();
  };
  auto reduce_bits = [&](const Plan& plan, Reduction kind) { return from_bits<double>(reduce(plan, kind).bits); };

  compare("stream", 3 * bytes, trials,
          {{"limit",
            [&] {
              limit::triad(pool, x[0].data(), x[1].data(), 3.0, out, n);
              return out[n / 3];
            }},
           {"atoll", [&] { return evaluate(triad); }}});
  compare("expr", 7 * bytes, trials,
          {{"limit",
            [&] {
              limit::expression(pool, x[0].data(), x[1].data(), x[2].data(), x[3].data(), x[4].data(), x[5].data(), out,
                                n);
              return out[n / 3];
            }},
           {"atoll", [&] { return evaluate(expression); }}});
  compare("expr_sum", 6 * bytes, trials,
          {{"limit",
            [&] {
              return limit::expression_sum(pool, x[0].data(), x[1].data(), x[2].data(), x[3].data(), x[4].data(),
                                           x[5].data(), n);
            }},
           {"atoll", [&] { return reduce_bits(expression, Reduction::sum); }}});
  compare("sum", bytes, trials,
          {{"limit", [&] { return limit::sum(pool, x[0].data(), n); }},
           {"atoll", [&] { return reduce_bits(load, Reduction::sum); }}});
  compare("sum i64", bytes, trials,
          {{"limit", [&] { return static_cast<double>(limit::sum(pool, integers.data(), n)); }},
           {"atoll", [&] {
              const Leaf leaf = Leaf::dense(integers.data(), domain);
              TreeFold fold(Reduction::sum, DType::i64);
              load_integers.reduce(work, domain, {&leaf, 1}, {}, Reduction::sum, grid, n, fold);
              return static_cast<double>(from_bits<std::int64_t>(fold.finish().bits));
            }}});
  compare("min", bytes, trials,
          {{"limit", [&] { return limit::min(pool, x[0].data(), n); }},
           {"atoll", [&] { return reduce_bits(load, Reduction::min); }}});
  compare("argmax", bytes, trials,
          {{"limit", [&] { return static_cast<double>(limit::argmax(pool, x[0].data(), n)); }},
           {"atoll", [&] { return static_cast<double>(reduce(load, Reduction::argmax).position); }}});
  compare("cumsum", 2 * bytes, trials,
          {{"limit",
            [&] {
              limit::cumsum(pool, x[0].data(), out, n);
              return out[n / 3];
            }},
           {"atoll", [&] {
              scan(work, Scan::cumsum, DType::f64, x[0].data(), out, n, 0, n, grid, {});
              return out[n / 3];
            }}});
  compare("cumsum i64", 2 * bytes, trials,
          {{"limit",
            [&] {
              limit::cumsum(pool, integers.data(), integers_out.data(), n);
              return static_cast<double>(integers_out[n - 1]);
            }},
           {"atoll", [&] {
              scan(work, Scan::cumsum, DType::i64, integers.data(), integers_out.data(), n, 0, n, grid, {});
              return static_cast<double>(integers_out[n - 1]);
            }}});

  // A thousand elements: what a run costs beside the arithmetic.
  const Domain small = Domain::flat(1000);
  constexpr int repeats = 20000;
  auto per_call = [&](const char* name, auto&& body) {
    const std::int64_t start = now_ns();
    for (int i = 0; i < repeats; ++i) body();
    std::printf("%-10s 1000 elements: %.3f us\n", name, static_cast<double>(now_ns() - start) / repeats * 1e-3);
  };
  void* outputs[] = {out};
  per_call("expr", [&] { expression.evaluate(work, small, leaves, outputs); });
  per_call("triad", [&] { triad.evaluate(work, small, {leaves.data(), 2}, outputs); });
  per_call("sum", [&] {
    TreeFold fold(Reduction::sum, DType::f64);
    load.reduce(work, small, {leaves.data(), 1}, {}, Reduction::sum, grid, 1000, fold);
  });
  per_call("plan", [&] { Plan plan(expression.program()); });
  return 0;
}
