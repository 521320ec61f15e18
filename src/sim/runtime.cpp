// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/runtime.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "atoll/agg/memory.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/sim/network.hpp"

namespace atl::sim {
namespace {

class MachineWire : public fabric::Wire {
 public:
  MachineWire(const Machine& machine, std::uint32_t nodes, std::uint64_t seed)
      : machine_(machine), network_(machine_, nodes, seed) {}
  std::uint64_t overhead_ps() const override { return machine_.send_overhead_ps; }
  std::uint64_t wake_ps() const override { return machine_.memory_latency_ps + machine_.miss_ps; }
  // The receiver's processor takes part in nothing but messages, of which it looks at the memory: a miss.
  std::uint64_t arrival_ps(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t ready_ps) override {
    if (from == to) return ready_ps + machine_.memory_latency_ps + time_for(bytes, machine_.memory_fs_per_byte);
    return network_.receive(to, bytes, network_.send(from, to, bytes, ready_ps)) + machine_.miss_ps;
  }

 private:
  const Machine machine_;
  Network network_;
};

std::uint64_t resident_bytes() {
  std::uint64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

using Repeat = std::function<void(coll::Communicator&, agg::Hub*, const RuntimeWork&, std::uint32_t repeat)>;
struct Program {
  const char* name;
  bool aggregates;
  Repeat repeat;
};

void check_equal(std::uint64_t found, std::uint64_t wanted, const char* what) {
  ATOLL_VALIDATE(found == wanted, Error, "a simulated {} gave {} instead of {}", what, found, wanted);
}

void barrier(coll::Communicator& all, agg::Hub*, const RuntimeWork&, std::uint32_t) { all.barrier(); }

void allreduce(coll::Communicator& all, agg::Hub*, const RuntimeWork& work, std::uint32_t repeat) {
  const std::size_t count = std::max<std::size_t>(1, work.bytes / 8);
  std::vector<std::uint64_t> in(count, static_cast<std::uint64_t>(all.rank()) + repeat), out(count);
  all.allreduce(in.data(), out.data(), count, coll::Reduction(coll::type_of<std::uint64_t>, coll::Op::sum));
  const auto n = static_cast<std::uint64_t>(all.size());
  for (std::uint64_t one : out) check_equal(one, n * (n - 1) / 2 + n * repeat, "allreduce");
}

// Elements of all PEs' arrays, by number at random: indexgather.
void gather(coll::Communicator& all, agg::Hub* hub, const RuntimeWork& work, std::uint32_t repeat) {
  auto& heap = all.context().heap();
  auto* own = static_cast<std::uint64_t*>(heap.allocate(work.items * 8));
  const auto n = static_cast<std::uint64_t>(all.size());
  for (std::uint64_t i = 0; i < work.items; ++i) own[i] = static_cast<std::uint64_t>(all.rank()) * work.items + i;
  {
    agg::GetAggregator<std::uint64_t> gets(*hub, own, work.items);
    std::vector<std::uint64_t> got(work.items);
    const std::uint64_t key = random_bits(work.seed + repeat, static_cast<std::uint64_t>(all.rank()));
    auto wanted = [&](std::uint64_t i) { return to_bounded(random_bits(key, i), n * work.items); };
    for (std::uint64_t i = 0; i < work.items; ++i)
      gets.push(static_cast<int>(wanted(i) / work.items), wanted(i) % work.items, &got[i]);
    gets.finish();
    for (std::uint64_t i = 0; i < work.items; ++i) check_equal(got[i], wanted(i), "gather");
    all.barrier();
  }
  heap.release(own);
}

// Counts of all PEs, by number at random: a histogram.
void update(coll::Communicator& all, agg::Hub* hub, const RuntimeWork& work, std::uint32_t repeat) {
  auto& heap = all.context().heap();
  auto* own = static_cast<std::uint64_t*>(heap.allocate(work.items * 8));
  std::fill(own, own + work.items, 0);
  const auto n = static_cast<std::uint64_t>(all.size());
  {
    agg::AddAggregator<std::uint64_t> adds(*hub, own, work.items);
    all.barrier();
    const std::uint64_t key = random_bits(work.seed + repeat, static_cast<std::uint64_t>(all.rank()));
    for (std::uint64_t i = 0; i < work.items; ++i) {
      const std::uint64_t where = to_bounded(random_bits(key, i), n * work.items);
      adds.push(static_cast<int>(where / work.items), where % work.items, 1);
    }
    adds.finish();
    std::uint64_t here = 0;
    for (std::uint64_t i = 0; i < work.items; ++i) here += own[i];
    check_equal(all.allreduce_sum(here), n * work.items, "histogram");
  }
  heap.release(own);
}

// Collectives, active messages and puts one after another, as the seed says, each checked.
void mix(coll::Communicator& all, agg::Hub*, const RuntimeWork& work, std::uint32_t repeat) {
  SequentialRandom random(random_bits(work.seed, repeat));  // alike on all
  const auto n = static_cast<std::uint64_t>(all.size()), self = static_cast<std::uint64_t>(all.rank());
  auto content = [](std::uint64_t from, std::uint64_t to, std::uint64_t i) { return random_bits(from * 1000 + to, i); };
  for (int step = 0; step < 8; ++step) {
    const std::uint64_t kind = random.below(6), root = random.below(n);
    const std::size_t count = std::size_t{1} << random.below(13);
    std::vector<std::uint64_t> out(count * n), in(count * n);
    switch (kind) {
      case 0:
        for (std::size_t i = 0; i < count; ++i) in[i] = content(root, root, i);
        if (self != root) std::fill(in.begin(), in.end(), 0);
        all.broadcast(in.data(), count * 8, static_cast<int>(root));
        for (std::size_t i = 0; i < count; ++i) check_equal(in[i], content(root, root, i), "broadcast");
        break;
      case 1:
        for (std::uint64_t to = 0; to < n; ++to)
          for (std::size_t i = 0; i < count; ++i) in[to * count + i] = content(self, to, i);
        all.alltoall(in.data(), count * 8, out.data());
        for (std::uint64_t from = 0; from < n; ++from)
          for (std::size_t i = 0; i < count; ++i)
            check_equal(out[from * count + i], content(from, self, i), "alltoall");
        break;
      case 2:
        for (std::size_t i = 0; i < count; ++i) in[i] = content(self, 0, i);
        all.allgather(in.data(), count * 8, out.data());
        for (std::uint64_t from = 0; from < n; ++from)
          for (std::size_t i = 0; i < count; ++i) check_equal(out[from * count + i], content(from, 0, i), "allgather");
        break;
      case 3:
        for (std::size_t i = 0; i < count; ++i) in[i] = self + i;
        all.scan(in.data(), out.data(), count, coll::Reduction(coll::type_of<std::uint64_t>, coll::Op::sum));
        for (std::size_t i = 0; i < count; ++i) check_equal(out[i], self * (self + 1) / 2 + (self + 1) * i, "scan");
        break;
      case 4:
        for (std::size_t i = 0; i < count; ++i) in[i] = content(self, root, i);
        all.gather(in.data(), count * 8, out.data(), static_cast<int>(root));
        for (std::uint64_t from = 0; from < n && self == root; ++from)
          for (std::size_t i = 0; i < count; ++i) check_equal(out[from * count + i], content(from, root, i), "gather");
        break;
      default: {
        // Straight into everybody's symmetric memory; the barrier says that it is there.
        auto& context = all.context();
        const HeapOffset block = context.allocate_symmetric(count * n * 8);
        for (std::size_t i = 0; i < count; ++i) in[i] = content(self, 7, i);
        for (std::uint64_t to = 0; to < n; ++to)
          context.put_nbi(PeId(static_cast<std::uint32_t>(to)), HeapOffset(block.value() + self * count * 8), in.data(),
                          count * 8);
        context.quiet();
        all.barrier();
        const auto* found = context.local_pointer<const std::uint64_t>(block);
        for (std::uint64_t from = 0; from < n; ++from)
          for (std::size_t i = 0; i < count; ++i) check_equal(found[from * count + i], content(from, 7, i), "put");
        context.release_symmetric(block);
      }
    }
  }
}

const Program programs[] = {
    {"start", false, nullptr}, {"barrier", false, barrier}, {"allreduce", false, allreduce},
    {"gather", true, gather},  {"update", true, update},    {"mix", false, mix},
};

const Program& program_of(const RuntimeWork& work) {
  const auto* program = std::find_if(std::begin(programs), std::end(programs),
                                     [&](const Program& one) { return work.program == one.name; });
  if (program != std::end(programs)) return *program;
  std::string accepted;
  for (const std::string& name : runtime_programs()) accepted += (accepted.empty() ? "" : ", ") + name;
  raise<ValueError>(fmt::format("'{}' is not a program. Accepted: {}", work.program, accepted));
}

}  // namespace

std::unique_ptr<fabric::Wire> make_wire(const Machine& machine, std::uint32_t nodes, std::uint64_t seed) {
  return std::make_unique<MachineWire>(machine, nodes, seed);
}

std::vector<std::string> runtime_programs() {
  std::vector<std::string> names;
  for (const Program& program : programs) names.emplace_back(program.name);
  return names;
}

void check_runtime(const Machine& machine, const RuntimeWork& work) {
  machine.validate(work.nodes);
  (void)program_of(work);
  const std::uint64_t pes = std::uint64_t{work.nodes} * work.pes_per_node;
  ATOLL_VALIDATE(work.pes_per_node >= 1 && pes <= 65536, ValueError,
                 "{} nodes of {} PEs: 1 to 65536 PEs in all are accepted", work.nodes, work.pes_per_node);
  // What a PE has resident when it has started, as measured (docs/scaling.md).
  const std::uint64_t needed = pes * ((std::uint64_t{512} << 10) + 160 * pes), free = available_memory_bytes();
  ATOLL_VALIDATE(needed <= free, MemoryError,
                 "{} PEs with the whole runtime take {} MiB and more, and {} are free. Simulate fewer", pes,
                 needed >> 20, free >> 20);
}

RuntimeResult simulate_runtime(const Machine& machine, const RuntimeWork& work) {
  check_runtime(machine, work);
  const Program* program = &program_of(work);
  const std::uint64_t pes = std::uint64_t{work.nodes} * work.pes_per_node;
  const std::uint64_t resident_before = resident_bytes();
  const std::int64_t begin = now_ns();
  fabric::SimulatedOptions options;
  options.job.npes = static_cast<std::uint32_t>(pes);
  options.job.segment_bytes = work.segment_bytes;
  options.job.threads_per_pe = 1;
  for (std::uint32_t pe = 0; pe < pes; ++pe) options.job.node_of_pe.push_back(pe / work.pes_per_node);
  options.faults = work.faults;
  fabric::Simulated simulated(options, make_wire(machine, work.nodes, work.seed));
  RuntimeResult result;
  fabric::Simulated::Counts at_start;
  Time started = 0, ended = 0;
  auto body = [&](const std::shared_ptr<fabric::Job>& job, PeId pe) {
    runtime::Context context(job, pe, {.threads = 1, .memory_limit_bytes = work.segment_bytes});
    coll::Communicator all(context);
    std::unique_ptr<agg::Hub> hub;
    if (program->aggregates) hub = std::make_unique<agg::Hub>(all);
    all.barrier();
    started = std::max(started, simulated.now_ps());
    if (pe == PeId(0)) at_start = simulated.counts();
    for (std::uint32_t repeat = 0; repeat < work.repeats && program->repeat; ++repeat)
      program->repeat(all, hub.get(), work, repeat);
    ended = std::max(ended, simulated.now_ps());
    result.runtime_bytes = std::max<std::uint64_t>(result.runtime_bytes, context.heap().stats().in_use_bytes);
    all.barrier();
    result.resident_bytes = std::max(result.resident_bytes, pe == PeId(0) ? resident_bytes() - resident_before : 0);
    hub.reset();
  };
  simulated.run(body);
  result.start = started;
  result.time = program->repeat ? (ended - started) / work.repeats : 0;
  result.start_messages = at_start.messages;
  result.messages = simulated.counts().messages - at_start.messages;
  result.message_bytes = simulated.counts().bytes - at_start.bytes;
  result.digest = simulated.digest();
  result.run_seconds = static_cast<double>(now_ns() - begin) * 1e-9;
  return result;
}

}  // namespace atl::sim
