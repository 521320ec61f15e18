// SPDX-License-Identifier: Apache-2.0
// The array engine as PEs grow: each PE an engine of its own, on the fabric `sim`, in one thread. One JSON record per
// line.
//
//     ATOLL_POOL_IDLE=0 bench_simulated_arrays [--pes N] [--most-pes N] [--per-node P] [--elements E] [--groups G]
//     [--case C] >arrays.jsonl atoll sim plot arrays.jsonl
//
// A sort, an argsort, a gather and a group-by of E elements of each PE, on a network of 1 us and 12.5 GB/s, on N PEs,
// four times as many, and so on: messages and bytes between nodes of each PE, what the PE with the most holds of its
// heap at most, and what the process has of memory for each; or the C-th of them alone. Answers are checked.
// (ATOLL_POOL_IDLE=0: engines then have no thread that gives memory back.)
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "atoll/array/operations.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/validate.hpp"
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

void expect(bool right, const char* what) { ATOLL_VALIDATE(right, Error, "{} gave a wrong answer", what); }

struct Case {
  const char* name;
  std::function<void(Engine&, const Array& values, const Array& keys, const Array& rows)> run;
};

const Case cases[] = {
    {"sort",
     [](Engine& engine, const Array& values, const Array&, const Array&) {
       const Array sorted = array::sort_array(engine, values);
       const std::uint64_t* rows = sorted->data<std::uint64_t>();
       expect(std::is_sorted(rows, rows + sorted->local_size()), "sort");
     }},
    {"argsort", [](Engine& engine, const Array& values, const Array&,
                   const Array&) { (void)array::argsort_array(engine, values); }},
    {"gather",
     [](Engine& engine, const Array&, const Array&, const Array& rows) {
       const Array taken = array::take(engine, rows, rows);
       expect(taken->local_size() == rows->local_size(), "gather");
     }},
    {"group-by",
     [](Engine& engine, const Array& values, const Array& keys, const Array&) {
       const auto found =
           table::group_by(engine, {keys}, {values}, {{table::Statistic::size, 0, 1}, {table::Statistic::max, 0, 1}});
       std::int64_t rows = 0;
       const auto* sizes = found[1]->data<std::int64_t>();
       for (std::int64_t i = 0; i < found[1]->local_size(); ++i) rows += sizes[i];
       expect(engine.communicator().allreduce_sum(rows) == keys->shape.size(), "group-by");
     }},
};

void measure(const Case& one, std::uint32_t pes, const bench::Options& options) {
  fabric::SimulatedOptions simulated;
  simulated.job.npes = pes;
  simulated.job.segment_bytes = std::uint64_t{256} << 20;
  simulated.job.threads_per_pe = 1;
  simulated.limit_seconds = 1e5;
  for (std::uint32_t pe = 0; pe < pes; ++pe)
    simulated.job.node_of_pe.push_back(pe / static_cast<std::uint32_t>(options.at("per-node")));
  const std::uint64_t before = resident_bytes();
  const std::int64_t begin = now_ns();
  fabric::Simulated job(simulated, std::make_unique<fabric::UniformWire>(100'000, 1'000'000, 80'000));
  fabric::Simulated::Counts at_start{};
  std::uint64_t held = 0, held_before = 0, started = 0, ended = 0, resident = 0;
  job.run([&](const std::shared_ptr<fabric::Job>& own, PeId pe) {
    auto context = std::make_shared<runtime::Context>(
        own, pe, runtime::ContextOptions{.threads = 1, .memory_limit_bytes = std::uint64_t{128} << 20});
    Engine engine(context, 1, 1);
    const auto count = static_cast<std::int64_t>(options.at("elements") * pes);
    auto random = [&](array::RandomKind kind, array::DType dtype, std::uint64_t key, std::uint64_t bound) {
      return array::random_array(engine, kind, dtype, {count}, key, 0, 0, bound);
    };
    const Array values = random(array::RandomKind::bits, array::DType::u64, 1, 0);
    const Array keys = random(array::RandomKind::integers, array::DType::i64, 2, options.at("groups"));
    const Array rows = random(array::RandomKind::integers, array::DType::i64, 3, static_cast<std::uint64_t>(count));
    engine.barrier();
    if (pe == PeId(0)) at_start = job.counts();
    started = std::max(started, job.now_ps());
    const std::uint64_t held_here = context->heap().stats().in_use_bytes;
    one.run(engine, values, keys, rows);
    ended = std::max(ended, job.now_ps());
    held_before = std::max(held_before, held_here);
    held = std::max<std::uint64_t>(held, context->heap().stats().peak_bytes);
    engine.barrier();
    if (pe == PeId(0)) resident = resident_bytes() - before;
    engine.barrier();
  });
  const auto n = static_cast<double>(pes);
  const auto messages = static_cast<double>(job.counts().messages - at_start.messages);
  std::printf(
      "%s\n",
      fmt::format(
          "{{\"name\": \"{}\", \"pes\": {}, \"nodes\": {}, \"elements\": {}, \"groups\": {}, \"messages\": {:.0f}, "
          "\"pe_messages\": {:.1f}, \"pe_bytes\": {:.0f}, \"time_s\": {:.4g}, \"held_before_bytes\": {}, "
          "\"held_most_bytes\": {}, \"pe_resident_bytes\": {:.0f}, \"run_s\": {:.4g}}}",
          one.name, pes, (pes + options.at("per-node") - 1) / options.at("per-node"), options.at("elements"),
          options.at("groups"), messages, messages / n, static_cast<double>(job.counts().bytes - at_start.bytes) / n,
          static_cast<double>(ended - started) * 1e-12, held_before, held, static_cast<double>(resident) / n,
          static_cast<double>(now_ns() - begin) * 1e-9)
          .c_str());
  std::fflush(stdout);
}

/// What `atoll sim plot` needs to draw the records.
void print_head(const bench::Options& options) {
  std::printf(
      "%s\n",
      fmt::format(
          "{{\"experiment\": \"simulated arrays\", \"title\": \"The array engine as PEs grow, {} numbers on each\", "
          "\"plot\": {{\"x\": \"pes\", \"y\": \"pe_messages\", \"lines\": [\"name\"]}}}}",
          options.at("elements"))
          .c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const bench::Options options = bench::parse(
        argc, argv,
        {{"pes", 64}, {"most-pes", 256}, {"per-node", 4}, {"elements", 4096}, {"groups", 1000}, {"case", 0}});
    print_head(options);
    for (std::uint64_t pes = options.at("pes"); pes <= options.at("most-pes"); pes *= 4)
      for (std::size_t i = 0; i < std::size(cases); ++i)
        if (options.at("case") == 0 || options.at("case") == i + 1)
          measure(cases[i], static_cast<std::uint32_t>(pes), options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
