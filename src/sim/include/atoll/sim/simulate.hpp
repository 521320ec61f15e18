// SPDX-License-Identifier: Apache-2.0
// Simulates a collective on a machine: runs only its schedules, event by event.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "atoll/coll/plan.hpp"
#include "atoll/sim/machine.hpp"
#include "atoll/sim/patterns.hpp"

namespace atl::sim {

enum class Pace : std::uint8_t {
  together,      ///< all PEs begin each time at the same moment, when the last has ended
  back_to_back,  ///< each begins again when it has ended
};

struct Workload {
  coll::PlanOptions collective;  ///< or a pattern and its form
  std::uint64_t items = 1;       ///< of patterns
  std::uint32_t nodes = 1;
  std::uint32_t pes_per_node = 1;
  Executor executor = Executor::host;
  Pace pace = Pace::together;
  std::uint32_t repeats = 1;
  std::uint64_t compute_ps = 0;  ///< of each host before each, or where the pattern has it
  std::uint64_t seed = 1;
  /// That share the simulation; the result does not depend on them. One where links are shared (contention), the
  /// network has no latency, or a timeline is kept.
  std::uint32_t threads = 1;
  std::uint64_t most_memory_bytes = std::uint64_t{1} << 30;
  std::uint32_t trace_events = 0;  ///< so many of the first are kept
};

/// An activity of a PE or an interface, for a timeline.
struct Span {
  enum class Kind : std::uint8_t { compute, send, receive, copy, reduce, wait, transfer };
  Kind kind;
  std::uint32_t pe;
  std::uint32_t peer;
  std::uint64_t bytes;
  Time begin, end;
};

struct Result {
  std::string algorithm;
  std::vector<Time> times;  ///< of each repeat, from the first beginning to the last end; back_to_back: the mean alone
  Time end = 0;
  std::uint64_t messages = 0;  ///< delivered, with those of protocols
  std::uint64_t message_bytes = 0;  ///< in them
  std::uint64_t events = 0;
  Time host_active = 0;  ///< of all PEs together
  double energy_joules = 0;
  std::uint64_t memory_bytes = 0;  ///< of the simulation
  double build_seconds = 0;  ///< of making schedules
  double run_seconds = 0;  ///< of simulating
  std::vector<Span> spans;
};

/// Throws what simulate() would before anything runs, but for memory that schedules take.
void check(const Machine& machine, const Workload& workload);

/// The same arguments give the same result. `progress` is called now and then with the repeats that are done. Throws
/// ValueError and MemoryError before anything runs.
Result simulate(const Machine& machine, const Workload& workload,
                const std::function<void(std::uint32_t)>& progress = {});

}  // namespace atl::sim
