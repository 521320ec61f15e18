// SPDX-License-Identifier: Apache-2.0
// `sim`: all PEs of a job of several nodes in one thread, under a simulated clock. Each PE is a fiber that runs the
// same code as a real PE; the machine model determines when data between nodes arrives. Faults are injected by seed:
// delays, reordering where the contract of RemotePath permits it, the loss of a PE or of a link.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/fabric/job.hpp"

namespace atl::fabric {

/// The model of the network. Times are in picoseconds.
class Wire {
 public:
  virtual ~Wire() = default;
  /// Processor time of a PE for each operation that it begins.
  virtual std::uint64_t overhead_ps() const = 0;
  /// Time inside a node from a store to the wake-up of a PE that waits for it.
  virtual std::uint64_t wake_ps() const = 0;
  /// Arrival time of data that is ready at `ready_ps`. Calls are ordered by that time, except that a PE may be a few
  /// operations ahead.
  virtual std::uint64_t arrival_ps(std::uint32_t from_node, std::uint32_t to_node, std::uint64_t bytes,
                                   std::uint64_t ready_ps) = 0;
};

/// A network in which all pairs of nodes are equally distant.
class UniformWire : public Wire {
 public:
  UniformWire(std::uint64_t overhead_ps, std::uint64_t latency_ps, std::uint64_t fs_per_byte)
      : overhead_ps_(overhead_ps), latency_ps_(latency_ps), fs_per_byte_(fs_per_byte) {}
  std::uint64_t overhead_ps() const override { return overhead_ps_; }
  std::uint64_t wake_ps() const override { return 100'000; }
  std::uint64_t arrival_ps(std::uint32_t, std::uint32_t, std::uint64_t bytes, std::uint64_t ready_ps) override {
    return ready_ps + latency_ps_ + bytes * fs_per_byte_ / 1000;
  }

 private:
  std::uint64_t overhead_ps_, latency_ps_, fs_per_byte_;
};

/// Injected faults. The same seed gives the same faults.
struct Faults {
  std::uint64_t seed = 0;
  std::uint64_t most_delay_ps = 0;  ///< greatest additional delay of a message
  bool reorder = false;  ///< puts may overtake earlier operations, but no fence
  std::optional<PeId> lost = {};  ///< a PE that stops at lost_at_ps
  std::uint64_t lost_at_ps = 0;
  std::uint64_t notice_ps = 1'000'000'000;  ///< delay until the other PEs are notified of it
  /// Two nodes whose link fails at cut_at_ps. The target of the first message on it is then reported as unreachable.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> cut = {};
  std::uint64_t cut_at_ps = 0;
};

struct SimulatedOptions {
  JobOptions job = {};  ///< node_of_pe places PEs on nodes
  Faults faults = {};
  std::size_t stack_bytes = std::size_t{512} << 10;
  /// Limit of simulated time, after which PEs that have not ended count as hanging.
  double limit_seconds = 600;
};

class Simulation;  // src/fabric/sim

/// One simulated job. Not thread-safe: everything runs in the thread that calls run().
class Simulated {
 public:
  Simulated(SimulatedOptions options, std::unique_ptr<Wire> wire);
  ~Simulated();

  /// The program of a PE. `job` is that of its node.
  using Body = std::function<void(const std::shared_ptr<Job>& job, PeId pe)>;
  /// Runs `body` as each PE. When all have ended, rethrows the first exception of a PE (a PeFailedError only when there
  /// is no other), or throws Error when PEs hang.
  void run(const Body& body);

  /// The job of each node.
  const std::vector<std::shared_ptr<Job>>& jobs() const;
  std::uint64_t now_ps() const;
  struct Counts {
    std::uint64_t messages = 0;  ///< messages between nodes, including answers
    std::uint64_t bytes = 0;
    std::uint64_t resumed = 0;
  };
  Counts counts() const;
  /// Digest of all arrivals, their places and times: equal for equal seeds.
  std::uint64_t digest() const;
  /// Advances the clock of the running PE, as if it computed.
  void compute(std::uint64_t ps);

 private:
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace atl::fabric
