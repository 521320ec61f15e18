// SPDX-License-Identifier: Apache-2.0
// Times the local movement and look-up kernels: movement_kernels [elements] [trials] [name part]. For every kernel and
// 1 and 2 threads: median seconds, and a checksum that does not depend on the threads.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/kernel/fill.hpp"
#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/histogram.hpp"
#include "atoll/array/kernel/lookup.hpp"
#include "atoll/array/kernel/random.hpp"
#include "atoll/array/kernel/select.hpp"
#include "atoll/base/clock.hpp"
#include "huge_memory.hpp"

namespace {

using namespace atl;
using namespace atl::array;
using bench::HugeMemory;

template <class T>
std::uint64_t checksum(const T* values, std::size_t n) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += bits_of(values[i]) * (2 * i + 1);
  return sum;
}

struct Case {
  std::string name;
  std::function<void(const Work&)> run;
  std::function<std::uint64_t()> sum;
};

/// The inputs and outputs of n elements, and the cases over them.
struct Movement {
  explicit Movement(std::size_t elements);

  void add_copies();
  void add_masks();
  void add_gathers();
  void add_histograms();
  void add_lookups();
  void add_random_numbers();
  /// Returns false when the threads disagree.
  bool measure(Case& test, int trials);

  std::size_t n;
  std::int64_t rows = static_cast<std::int64_t>(n), half = (rows + 1) / 2;
  std::size_t m = std::max<std::size_t>(n / 10, 1), picked = 0, side = 1;
  HugeMemory memory;
  Monitor monitor;
  ThreadPool one{1}, two{2};
  Buffer<std::int64_t> values{memory, n}, indices{memory, n}, result{memory, n}, table{memory, n};
  Buffer<double> doubles{memory, n};
  Buffer<bool> mask{memory, n}, found{memory, n};
  Buffer<std::int64_t> sparse{memory, n}, sparse_test{memory, m}, dense_test{memory, m}, sorted{memory, m};
  Buffer<std::int64_t> dense{memory, n}, counts{memory, std::max<std::size_t>(n, 100)};
  PeerBlocks single{table.data(), rows, 8};
  void* bases[2] = {table.data(), table.data() + half};
  std::int64_t begins[3] = {0, half, rows};
  PeerBlocks halves{bases, begins, 8};
  std::function<std::uint64_t()> sum_result = [this] { return checksum(result.data(), n); };
  std::function<std::uint64_t()> sum_found = [this] { return checksum(found.data(), n); };
  std::vector<Case> cases;
};

Movement::Movement(std::size_t elements) : n(elements) {
  Work setup{two, memory, monitor};
  random_integers(setup, {1, 0}, DType::i64, 0, n, values.data(), n);
  random_integers(setup, {2, 0}, DType::i64, 0, n, indices.data(), n);
  random_integers(setup, {3, 0}, DType::b1, 0, 2, mask.data(), n);
  random_uniform(setup, {4, 0}, DType::f64, 0, 1, doubles.data(), n);
  fill(setup, 8, 1, table.data(), n);
  random_bits(setup, {5, 0}, reinterpret_cast<std::uint64_t*>(sparse.data()), n);
  for (std::size_t i = 0; i < m; ++i) sparse_test[i] = sparse[i * 7 % n];
  for (std::size_t i = m; i < n; i += 2) sparse[i] = sparse_test[random_bits(6, i) % m];
  random_integers(setup, {7, 0}, DType::i64, 0, 2 * m, dense_test.data(), m);
  for (std::size_t i = 0; i < m; ++i) sorted[i] = sparse_test[i];
  std::sort(sorted.begin(), sorted.end());
  random_integers(setup, {8, 0}, DType::i64, 0, 2 * m, dense.data(), n);
  while ((side + 1) * (side + 1) <= n) ++side;
}

void Movement::add_copies() {
  cases.push_back({"copy", [&](const Work& w) { copy_bytes(w, result.data(), values.data(), n * 8); }, sum_result});
  cases.push_back({"fill", [&](const Work& w) { fill(w, 8, 7, result.data(), n); }, sum_result});
  cases.push_back({"transpose int64",
                   [&](const Work& w) {
                     auto s = static_cast<std::int64_t>(side);
                     std::int64_t shape[] = {s, s}, to[] = {s * 8, 8}, from[] = {8, s * 8};
                     copy_strided(w, 8, 2, shape, result.data(), to, values.data(), from);
                   },
                   [&] { return checksum(result.data(), side * side); }});
  cases.push_back({"transpose int8",
                   [&](const Work& w) {
                     auto s = static_cast<std::int64_t>(side);
                     std::int64_t shape[] = {s, s}, to[] = {s, 1}, from[] = {1, s};
                     copy_strided(w, 1, 2, shape, result.data(), to, values.data(), from);
                   },
                   [&] { return checksum(result.data(), side * side / 8); }});
  cases.push_back({"every third",
                   [&](const Work& w) {
                     std::int64_t shape[] = {rows / 3}, to[] = {8}, from[] = {24};
                     copy_strided(w, 8, 1, shape, result.data(), to, values.data(), from);
                   },
                   [&] { return checksum(result.data(), n / 3); }});
}

void Movement::add_masks() {
  cases.push_back({"compress int64",
                   [&](const Work& w) { picked = compress(w, 8, values.data(), mask.data(), n, result.data()); },
                   [&] { return checksum(result.data(), picked); }});
  cases.push_back({"compress int8",
                   [&](const Work& w) { picked = compress(w, 1, values.data(), mask.data(), n, result.data()); },
                   [&] { return checksum(result.data(), picked / 8); }});
  cases.push_back({"flatnonzero", [&](const Work& w) { picked = flatnonzero(w, mask.data(), n, 0, result.data()); },
                   [&] { return checksum(result.data(), picked); }});
  cases.push_back({"expand int64",
                   [&](const Work& w) {
                     MaskCounts c(w, mask.data(), n);
                     expand(w, c, 8, values.data(), mask.data(), table.data());
                   },
                   [&] { return checksum(table.data(), n); }});
  cases.push_back({"masked_fill int64", [&](const Work& w) { masked_fill(w, 8, 3, mask.data(), n, table.data()); },
                   [&] { return checksum(table.data(), n); }});
}

void Movement::add_gathers() {
  cases.push_back({"gather", [&](const Work& w) { gather(w, single, indices.data(), n, result.data()); }, sum_result});
  cases.push_back(
      {"gather 2 blocks", [&](const Work& w) { gather(w, halves, indices.data(), n, result.data()); }, sum_result});
  cases.push_back({"scatter", [&](const Work& w) { scatter(w, single, indices.data(), n, values.data(), 8); },
                   [&] { return checksum(table.data(), n); }});
  cases.push_back({"scatter 2 blocks", [&](const Work& w) { scatter(w, halves, indices.data(), n, values.data(), 8); },
                   [&] { return checksum(table.data(), n); }});
  cases.push_back({"scatter_add",
                   [&](const Work& w) {
                     fill(w, 8, 0, table.data(), n);
                     scatter_add(w, DType::i64, 1, single, indices.data(), n, values.data(), 8);
                   },
                   [&] { return checksum(table.data(), n); }});
}

void Movement::add_histograms() {
  cases.push_back(
      {"histogram 100",
       [&](const Work& w) { histogram_uniform(w, DType::f64, doubles.data(), n, 0, 1, 100, counts.data()); },
       [&] { return checksum(counts.data(), 100); }});
  cases.push_back({"histogram 100 int64",
                   [&](const Work& w) {
                     histogram_uniform(w, DType::i64, values.data(), n, 0, static_cast<double>(n), 100, counts.data());
                   },
                   [&] { return checksum(counts.data(), 100); }});
  cases.push_back({"histogram 100 edges",
                   [&](const Work& w) {
                     double edges[101];
                     uniform_edges(0, 1, 100, edges);
                     histogram_edges(w, DType::f64, doubles.data(), n, edges, 100, counts.data());
                   },
                   [&] { return checksum(counts.data(), 100); }});
  cases.push_back({"histogram 100 weights",
                   [&](const Work& w) {
                     histogram_uniform(w, DType::f64, doubles.data(), n, 0, 1, 100, doubles.data(),
                                       reinterpret_cast<double*>(counts.data()));
                   },
                   [&] { return checksum(counts.data(), 100); }});
  cases.push_back({"bincount n", [&](const Work& w) { bincount(w, DType::i64, values.data(), n, n, counts.data()); },
                   [&] { return checksum(counts.data(), n); }});
}

void Movement::add_lookups() {
  cases.push_back({"searchsorted m",
                   [&](const Work& w) {
                     searchsorted(w, DType::i64, sorted.data(), m, sparse.data(), n, Side::left, result.data());
                   },
                   sum_result});
  cases.push_back({"isin dense m",
                   [&](const Work& w) { isin(w, DType::i64, dense.data(), n, dense_test.data(), m, found.data()); },
                   sum_found});
  cases.push_back({"isin sparse m",
                   [&](const Work& w) { isin(w, DType::i64, sparse.data(), n, sparse_test.data(), m, found.data()); },
                   sum_found});
}

void Movement::add_random_numbers() {
  auto* out = reinterpret_cast<std::uint64_t*>(result.data());
  cases.push_back({"random bits", [&, out](const Work& w) { random_bits(w, {1, 0}, out, n); }, sum_result});
  cases.push_back({"random integers",
                   [&, out](const Work& w) { random_integers(w, {1, 0}, DType::i64, 0, 1000, out, n); }, sum_result});
  cases.push_back({"random integers wide",
                   [&, out](const Work& w) { random_integers(w, {1, 0}, DType::i64, 0, 1ull << 40, out, n); },
                   sum_result});
  cases.push_back(
      {"random uniform", [&, out](const Work& w) { random_uniform(w, {1, 0}, DType::f64, 0, 1, out, n); }, sum_result});
  cases.push_back(
      {"random normal", [&, out](const Work& w) { random_normal(w, {1, 0}, DType::f64, 0, 1, out, n); }, sum_result});
  cases.push_back({"random exponential",
                   [&, out](const Work& w) { random_exponential(w, {1, 0}, DType::f64, 1, out, n); }, sum_result});
  cases.push_back(
      {"random zipf", [&, out](const Work& w) { random_zipf(w, {1, 0}, DType::i64, 1.2, n, out, n); }, sum_result});
}

bool Movement::measure(Case& test, int trials) {
  double seconds[2];
  std::uint64_t sums[2];
  for (int t = 0; t < 2; ++t) {
    Work work{t == 0 ? one : two, memory, monitor};
    std::vector<std::int64_t> times;
    test.run(work);
    sums[t] = test.sum();
    for (int trial = 0; trial < trials; ++trial) {
      std::int64_t start = now_ns();
      test.run(work);
      times.push_back(now_ns() - start);
    }
    std::sort(times.begin(), times.end());
    seconds[t] = static_cast<double>(times[times.size() / 2]) * 1e-9;
  }
  fmt::print("{:22} {:11.5f} {:11.5f}  {:016x}\n", test.name, seconds[0], seconds[1], sums[0]);
  if (sums[0] != sums[1]) {
    fmt::print("{}: two threads gave {:016x}\n", test.name, sums[1]);
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000000;
  int trials = argc > 2 ? std::atoi(argv[2]) : 5;
  std::string only = argc > 3 ? argv[3] : "";
  Movement movement(n);
  movement.add_copies();
  movement.add_masks();
  movement.add_gathers();
  movement.add_histograms();
  movement.add_lookups();
  movement.add_random_numbers();
  fmt::print("{:22} {:>11} {:>11}  checksum, n = {}, median of {}\n", "", "1 thread, s", "2 threads, s", n, trials);
  for (Case& test : movement.cases) {
    if (test.name.find(only) == std::string::npos) continue;
    if (!movement.measure(test, trials)) return 1;
  }
  return 0;
}
