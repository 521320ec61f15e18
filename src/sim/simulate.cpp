// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/simulate.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <thread>
#include <utility>

#include "atoll/base/clock.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/sim/programs.hpp"
#include "meeting.hpp"
#include "part.hpp"
#include "state.hpp"

namespace atl::sim {
namespace {

// All parts, each by a thread of its own. A message takes the network's latency at least: what happens within that time
// at PEs of different parts cannot meet, so that all go on to its end, and then exchange what they have sent (Chandy,
// Misra 1979).
class Simulation {
 public:
  Simulation(const Machine& machine, const Workload& work, const Programs& programs)
      : machine_(machine), work_(work), programs_(programs), whole_(machine, work) {
    const bool shares = machine.contention == 0 && machine.latency_ps != 0 && work.trace_events == 0;
    const std::uint64_t parts = shares ? std::clamp<std::uint64_t>(work.threads, 1, work.nodes) : 1;
    for (std::uint64_t part = 1; part <= parts; ++part)
      ends_.push_back(static_cast<std::uint32_t>(work.nodes * part / parts) * work.pes_per_node);
    for (std::size_t part = 0; part < parts; ++part) parts_.emplace_back(machine, work, programs, whole_, ends_, part);
  }

  void run(Result& result, const std::function<void(std::uint32_t)>& progress) {
    Time last = origin;
    const bool together = work_.pace == Pace::together;
    for (std::uint32_t repeat = 0; repeat < (together ? work_.repeats : 1); ++repeat) {
      const Time begin = last;
      for (Part& part : parts_) part.begin_at(begin, together ? 1 : work_.repeats);
      if (parts_.size() == 1) parts_.front().run_all();
      else run_parts();
      for (Part& part : parts_) part.check_end(), last = std::max(last, part.last());
      result.times.push_back((last - begin) / (together ? 1 : work_.repeats));
      if (progress) progress(together ? repeat + 1 : work_.repeats);
    }
    result.end = last - origin;
    for (Part& part : parts_) part.add_to(result);
    const double elapsed = seconds_of(result.end), active = seconds_of(result.host_active);
    result.energy_joules = 1e-3 * (active * static_cast<double>(machine_.active_mw) +
                                   (elapsed * static_cast<double>(whole_.state.size()) - active) *
                                       static_cast<double>(machine_.waiting_mw) +
                                   elapsed * work_.nodes * static_cast<double>(machine_.interface_mw)) +
                           1e-12 * static_cast<double>(result.messages * machine_.message_pj);
    result.memory_bytes += programs_.bytes() + whole_.network.bytes() + whole_.state.size() * sizeof(Pe);
  }

 private:
  void run_parts() {
    Time end = 0;
    std::vector<Time> next(parts_.size());
    std::atomic<bool> failed{false};
    auto agree = [&] {
      end = *std::min_element(next.begin(), next.end());
      if (failed.load(std::memory_order_relaxed)) end = UINT64_MAX;
      if (end != UINT64_MAX) end += machine_.latency_ps;
    };
    Meeting all_have_taken(parts_.size()), all_have_run(parts_.size());
    // Where it fails everybody comes to every barrier all the same; the first error is told in the end.
    std::vector<std::exception_ptr> errors(parts_.size());
    auto run_part = [&](std::size_t number) {
      Part& part = parts_[number];
      auto guarded = [&](auto&& body) {
        if (failed.load(std::memory_order_relaxed)) return;
        try {
          body();
        } catch (...) {
          errors[number] = std::current_exception();
          failed.store(true, std::memory_order_relaxed);
        }
      };
      for (;;) {
        next[number] = part.next_time();
        all_have_taken.meet(agree);
        if (end == UINT64_MAX) return;
        guarded([&] { part.run_until(end); });
        all_have_run.meet([] {});
        guarded([&] { part.collect(parts_); });
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t number = 1; number < parts_.size(); ++number) threads.emplace_back(run_part, number);
    run_part(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

  const Machine& machine_;
  const Workload& work_;
  const Programs& programs_;
  Whole whole_;
  std::vector<std::uint32_t> ends_;
  std::deque<Part> parts_;
};

// The placement of the PEs, and what is needed beside their schedules.
std::uint64_t least_memory(const Machine& machine, const Workload& work) {
  const std::uint64_t links = machine.contention != 0 ? Topology(machine, work.nodes).links() : 0;
  return std::uint64_t{work.nodes} * work.pes_per_node * 256 + links * sizeof(Time);
}

coll::Placement placement_of(const Workload& work) {
  std::vector<std::uint32_t> nodes(work.nodes * work.pes_per_node);
  for (std::uint32_t pe = 0; pe < nodes.size(); ++pe) nodes[pe] = pe / work.pes_per_node;
  return coll::Placement(nodes);
}

PatternOptions pattern_of(const Machine& machine, const Workload& work) {
  return {work.collective.collective,
          work.collective.algorithm,
          work.nodes * work.pes_per_node,
          work.collective.bytes,
          work.items,
          work.compute_ps,
          machine.peer_ps};
}

coll::PlanOptions collective_of(const Machine& machine, const Workload& work) {
  coll::PlanOptions options = work.collective;
  options.cores = machine.cores;
  return options;
}

void check_size(const Machine& machine, const Workload& work) {
  machine.validate(work.nodes);
  ATOLL_VALIDATE(work.pes_per_node >= 1 && std::uint64_t{work.nodes} * work.pes_per_node <= (1u << 24), ValueError,
                 "{} nodes of {} PEs: 1 to {} PEs in all are accepted", work.nodes, work.pes_per_node, 1 << 24);
  ATOLL_VALIDATE(work.repeats >= 1, ValueError, "{} repeats: at least 1 is accepted", work.repeats);
  const std::uint64_t least = least_memory(machine, work);
  ATOLL_VALIDATE(least <= work.most_memory_bytes, MemoryError, "{} PEs take {} at least, {} are allowed",
                 work.nodes * work.pes_per_node, format_bytes(least), format_bytes(work.most_memory_bytes));
}

}  // namespace

void check(const Machine& machine, const Workload& work) {
  check_size(machine, work);
  if (is_pattern(work.collective.collective)) pattern(pattern_of(machine, work));
  else coll::Planner(collective_of(machine, work), placement_of(work));
}

Result simulate(const Machine& machine, const Workload& work, const std::function<void(std::uint32_t)>& progress) {
  check_size(machine, work);
  std::int64_t begin = now_ns();
  const coll::Placement placement = placement_of(work);
  Result result;
  std::unique_ptr<coll::Planner> planner;
  Writer writer;
  if (is_pattern(work.collective.collective)) {
    writer = pattern(pattern_of(machine, work));
    result.algorithm = form_of(pattern_of(machine, work));
  } else {
    planner = std::make_unique<coll::Planner>(collective_of(machine, work), placement);
    writer = [&](int pe, std::vector<coll::PlanStep>& steps) { planner->write(pe, steps); };
    result.algorithm = planner->algorithm();
  }
  const Programs programs(writer, work.nodes * work.pes_per_node, work.most_memory_bytes - least_memory(machine, work));
  std::int64_t built = now_ns();
  result.build_seconds = static_cast<double>(built - begin) * 1e-9;
  Simulation(machine, work, programs).run(result, progress);
  result.run_seconds = static_cast<double>(now_ns() - built) * 1e-9;
  return result;
}

}  // namespace atl::sim
