// SPDX-License-Identifier: Apache-2.0
// The array engine as PEs grow: each PE an engine of its own, on the fabric `sim`, in one thread. One JSON record per line.
//
//     ATOLL_POOL_IDLE=0 bench_simulated_arrays [--nodes N] [--per-node P] [--elements E] [--groups G]
//
// A sort, an argsort, a gather and a group-by of E elements of each PE, on a network of 1 us and 12.5 GB/s: messages and bytes between
// nodes of each PE, what the PE with the most holds of its heap at most, and what the process has of memory for each. Answers are
// checked. (ATOLL_POOL_IDLE=0: engines then have no thread that gives memory back.)
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "atoll/array/operations.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/fabric/simulated.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/table/ops/group.hpp"
#include "job.hpp"

namespace {

using namespace atl;
using array::Array;
using array::Engine;

std::uint64_t resident_bytes() {
  std::uint64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void expect(bool right, const char* what) {
  ATOLL_VALIDATE(right, Error, "{} gave a wrong answer", what);
}

struct Case {
  const char* name;
  std::function<void(Engine&, const Array& values, const Array& keys)> run;
};

const Case cases[] = {
    {"nothing", [](Engine& engine, const Array&, const Array&) { engine.barrier(); }},
    {"sort",
     [](Engine& engine, const Array& values, const Array&) {
       const Array sorted = array::sort_array(engine, values);
       const std::uint64_t* rows = sorted->data<std::uint64_t>();
       expect(std::is_sorted(rows, rows + sorted->local_size()), "sort");
     }},
    {"argsort", [](Engine& engine, const Array& values, const Array&) { (void)array::argsort_array(engine, values); }},
    {"group-by",
     [](Engine& engine, const Array& values, const Array& keys) {
       const auto found = table::group_by(engine, {keys}, {values}, {{table::Statistic::size, 0, 1}, {table::Statistic::max, 0, 1}});
       std::int64_t rows = 0;
       const auto* sizes = found[1]->data<std::int64_t>();
       for (std::int64_t i = 0; i < found[1]->local_size(); ++i) rows += sizes[i];
       expect(engine.communicator().allreduce_sum(rows) == keys->shape.size(), "group-by");
     }},
};

int measure(const bench::Options& options) {
  const auto pes = static_cast<std::uint32_t>(options.at("nodes") * options.at("per-node"));
  fabric::SimulatedOptions simulated;
  simulated.job.npes = pes;
  simulated.job.segment_bytes = std::uint64_t{256} << 20;
  simulated.job.threads_per_pe = 1;
  simulated.limit_seconds = 1e5;
  for (std::uint32_t pe = 0; pe < pes; ++pe) simulated.job.node_of_pe.push_back(pe / static_cast<std::uint32_t>(options.at("per-node")));
  for (const Case& one : cases) {
    const std::uint64_t before = resident_bytes();
    const std::int64_t begin = now_ns();
    fabric::Simulated job(simulated, std::make_unique<fabric::UniformWire>(100'000, 1'000'000, 80'000));
    fabric::Simulated::Counts at_start{};
    std::uint64_t held = 0, held_before = 0, started = 0, ended = 0, resident = 0;
    job.run([&](const std::shared_ptr<fabric::Job>& own, PeId pe) {
      auto context = std::make_shared<runtime::Context>(own, pe, runtime::ContextOptions{.threads = 1, .memory_limit_bytes = std::uint64_t{128} << 20});
      Engine engine(context, 1, 1);
      const auto count = static_cast<std::int64_t>(options.at("elements") * pes);
      const Array values = array::random_array(engine, array::RandomKind::bits, array::DType::u64, {count}, 1, 0, 0, 0);
      const Array keys = array::random_array(engine, array::RandomKind::integers, array::DType::i64, {count}, 2, 0, 0, options.at("groups"));
      engine.barrier();
      if (pe == PeId(0)) at_start = job.counts();
      started = std::max(started, job.now_ps());
      const std::uint64_t held_here = context->heap().stats().in_use_bytes;
      one.run(engine, values, keys);
      ended = std::max(ended, job.now_ps());
      held_before = std::max(held_before, held_here);
      held = std::max<std::uint64_t>(held, context->heap().stats().peak_bytes);
      engine.barrier();
      if (pe == PeId(0)) resident = resident_bytes() - before;
      engine.barrier();
    });
    const auto n = static_cast<double>(pes);
    std::printf("%s\n", fmt::format("{{\"name\": \"{}\", \"pes\": {}, \"nodes\": {}, \"elements\": {}, \"groups\": {}, \"messages\": {:.1f}, \"bytes\": {:.0f}, "
                                    "\"simulated_us\": {:.1f}, \"held_before\": {}, \"held_most\": {}, \"resident\": {:.0f}, \"seconds\": {:.2f}}}",
                                    one.name, pes, options.at("nodes"), options.at("elements"), options.at("groups"),
                                    static_cast<double>(job.counts().messages - at_start.messages) / n,
                                    static_cast<double>(job.counts().bytes - at_start.bytes) / n, static_cast<double>(ended - started) * 1e-6, held_before,
                                    held, static_cast<double>(resident) / n, static_cast<double>(now_ns() - begin) * 1e-9)
                            .c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return measure(bench::parse(argc, argv, {{"nodes", 16}, {"per-node", 4}, {"elements", 4096}, {"groups", 1000}}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
