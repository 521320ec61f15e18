// SPDX-License-Identifier: Apache-2.0
// `sim`: all PEs of a job of several nodes in one thread, under a simulated clock. Each is a fiber that runs what any
// PE runs; what goes between nodes arrives when the machine says. Faults are injected by seed: delays, reordering where
// the contract of RemotePath permits it, the loss of a PE or of a link.
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

/// The machine between the nodes. Times are picoseconds.
class Wire {
 public:
  virtual ~Wire() = default;
  /// Of a PE's processor, for each operation that it begins.
  virtual std::uint64_t overhead_ps() const = 0;
  /// Inside a node, from a store to the wake-up of a PE that sleeps until it comes.
  virtual std::uint64_t wake_ps() const = 0;
  /// When what is ready at `ready_ps` has arrived. Called in the order of those times, but for a few operations that a
  /// PE is ahead of it.
  virtual std::uint64_t arrival_ps(std::uint32_t from_node, std::uint32_t to_node, std::uint64_t bytes,
                                   std::uint64_t ready_ps) = 0;
};

/// Every node is as far from every other.
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

/// What goes wrong. The same seed gives the same.
struct Faults {
  std::uint64_t seed = 0;
  std::uint64_t most_delay_ps = 0;  ///< that a message may take longer
  bool reorder = false;  ///< puts overtake what is ahead of them, but no fence
  std::optional<PeId> lost = {};  ///< it does nothing from lost_at_ps on
  std::uint64_t lost_at_ps = 0;
  std::uint64_t notice_ps = 1'000'000'000;  ///< after which the others are notified of it
  /// Nodes between which nothing passes any more. Whom the first such message was for is then said to be out of reach.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> cut = {};
  std::uint64_t cut_at_ps = 0;
};

struct SimulatedOptions {
  JobOptions job = {};  ///< node_of_pe places PEs on nodes
  Faults faults = {};
  std::size_t stack_bytes = std::size_t{512} << 10;
  /// Of simulated time, after which PEs that have not ended are said to hang.
  double limit_seconds = 600;
};

class Simulation;  // src/fabric/sim

/// One job. Not thread-safe: all happens in the thread that calls run().
class Simulated {
 public:
  Simulated(SimulatedOptions options, std::unique_ptr<Wire> wire);
  ~Simulated();

  /// What a PE does; the job is that of its node.
  using Body = std::function<void(const std::shared_ptr<Job>& job, PeId pe)>;
  /// Runs `body` as each PE. Returns when all have ended; then throws what the first of them threw, but PeFailedError
  /// where another threw something else, or Error when PEs hang.
  void run(const Body& body);

  /// The job of each node.
  const std::vector<std::shared_ptr<Job>>& jobs() const;
  std::uint64_t now_ps() const;
  struct Counts {
    std::uint64_t messages = 0;  ///< between nodes, with answers
    std::uint64_t bytes = 0;
    std::uint64_t resumed = 0;
  };
  Counts counts() const;
  /// Of all that arrived, where and when: the same for the same seed.
  std::uint64_t digest() const;
  /// The PE that runs works for so long.
  void compute(std::uint64_t ps);

 private:
  std::unique_ptr<Simulation> simulation_;
};

}  // namespace atl::fabric
