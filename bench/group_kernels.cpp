// SPDX-License-Identifier: Apache-2.0
// Times the aggregation of one PE's rows: group_kernels [rows] [trials] [name part]. For every kind of keys and 1 and 2
// threads, in turns with a hand-written loop where there is one: median seconds and their ratio.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/random.hpp"
#include "atoll/table/kernel/aggregate.hpp"
#include "huge_memory.hpp"
#include "limit/group.hpp"

namespace {

using namespace atl;
using namespace atl::table;

struct Kind {
  const char* name;
  std::size_t groups;  // 0: a tenth of the rows
  bool sparse;
};
constexpr Kind kinds[] = {{"hundred", 100, false},
                          {"ten_thousand", 10'000, false},
                          {"million", 1'000'000, false},
                          {"tenth", 0, false},
                          {"sparse", 0, true}};

double median(std::vector<double> seconds) {
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

template <class Body>
double seconds_of(Body&& body) {
  const std::int64_t begin = now_ns();
  body();
  return static_cast<double>(now_ns() - begin) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::size_t trials = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 7;
  const std::string part = argc > 3 ? argv[3] : "";
  bench::HugeMemory memory;
  for (const Kind& kind : kinds) {
    if (std::string(kind.name).find(part) == std::string::npos) continue;
    const std::size_t groups = kind.groups == 0 ? std::max<std::size_t>(n / 10, 1) : kind.groups;
    Buffer<std::int64_t> keys(memory, n);
    Buffer<double> values(memory, n), sums(memory, groups), means(memory, groups);
    SequentialRandom random(1);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t group = random.below(groups);
      keys[i] = static_cast<std::int64_t>(kind.sparse ? (group + 1) * 0x9E3779B97F4A7C15ull : group);
      values[i] = 0.5 + to_unit_interval(random());
    }
    for (unsigned threads : {1u, 2u}) {
      ThreadPool pool(threads);
      array::Monitor monitor;
      const array::Work work{pool, memory, monitor};
      const array::Key key_column{DType::i64, keys.data()};
      const Column column{DType::f64, values.data()};
      std::vector<double> ours, limit;
      std::size_t found = 0;
      for (std::size_t trial = 0; trial <= trials; ++trial) {
        const double seconds = seconds_of([&] {
          const array::KeyRange range =
              kind.sparse ? array::KeyRange{0, ~std::uint64_t{0}, false}
                          : array::KeyRange{array::ordered_bits(std::int64_t{0}),
                                            array::ordered_bits(static_cast<std::int64_t>(groups) - 1), false};
          const array::CompositeKey key({&key_column, 1}, {&range, 1}, n);
          StateSpec sum{StateKind::sum, 0, Wide::f64};
          sum.window = SumWindow::below(2, n, false);
          found = aggregate(work, key, {&column, 1}, {&sum, 1}, 0).count;
        });
        double bound = 0;
        if (!kind.sparse)
          bound = seconds_of(
              [&] { limit::group_sum(pool, keys.data(), values.data(), n, groups, sums.data(), means.data()); });
        if (trial > 0) ours.push_back(seconds), limit.push_back(bound);  // the first warms up
      }
      fmt::print("{:13} {} threads {:9} groups {:8.2f} ms", kind.name, threads, found, 1e3 * median(ours));
      if (!kind.sparse)
        fmt::print("  hand-written {:8.2f} ms  ratio {:.2f}", 1e3 * median(limit), median(ours) / median(limit));
      fmt::print("\n");
    }
  }
}
