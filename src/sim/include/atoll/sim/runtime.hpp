// SPDX-License-Identifier: Apache-2.0
// The whole runtime on a simulated machine: unmodified PEs with heaps, active messages, communicators and aggregators,
// on the fabric `sim`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atoll/fabric/simulated.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/sim/machine.hpp"

namespace atl::sim {

/// A wire with the machine's latencies between nodes; the machine must outlive it.
std::unique_ptr<fabric::Wire> make_wire(const Machine& machine, std::uint32_t nodes, std::uint64_t seed);

struct RuntimeWork {
  std::string program = "barrier";  ///< as runtime_programs() has them
  std::uint32_t nodes = 1;
  std::uint32_t pes_per_node = 1;
  std::uint32_t repeats = 1;
  std::uint64_t items = 1000;  ///< of each PE: elements to gather or update
  std::uint64_t bytes = 8;     ///< of the vector
  std::uint64_t seed = 1;
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;
  fabric::Faults faults = {};
};

struct RuntimeResult {
  Time start = 0;                     ///< until all PEs have a context and a communicator
  Time time = 0;                      ///< of each repeat
  std::uint64_t start_messages = 0;   ///< between nodes
  std::uint64_t messages = 0;         ///< of all repeats
  std::uint64_t message_bytes = 0;
  std::uint64_t runtime_bytes = 0;    ///< of heap blocks that the runtime holds, on the PE that has most
  std::uint64_t resident_bytes = 0;   ///< of the simulating process, beyond what it had before
  std::uint64_t digest = 0;
  double run_seconds = 0;
};

/// "start", "barrier", "allreduce", "gather", "update", "mix": what they do checks its own results.
std::vector<std::string> runtime_programs();

/// Throws ValueError where the machine or the program cannot be, MemoryError where all PEs would not fit.
void check_runtime(const Machine& machine, const RuntimeWork& work);

/// Checks, then runs. Throws also what a PE threw.
RuntimeResult simulate_runtime(const Machine& machine, const RuntimeWork& work);

}  // namespace atl::sim
