// SPDX-License-Identifier: Apache-2.0
// Implementation of `Simulated`: the clock, the PEs' fibers, and data in flight.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "atoll/base/radix_heap.hpp"
#include "atoll/base/scheduler.hpp"
#include "atoll/fabric/simulated.hpp"
#include "fiber.hpp"

namespace atl::fabric {

/// A message in flight between two nodes.
struct Parcel {
  enum class Kind : std::uint8_t { put, update, atomic, get, message, post, ring, answer };
  Kind kind = Kind::put;
  AtomicOp op = AtomicOp::set;
  std::uint8_t width = 8;
  bool counted = false;     ///< quiet() waits for it
  bool signals = false;     ///< put: followed by the signal update
  PeId from{0}, to{0};
  HeapOffset at{0}, signal{0};
  std::uint64_t value = 0, expected = 0, old = 0;
  const void* late = nullptr;         ///< put: source that is read on arrival
  void* into = nullptr;               ///< get: destination
  std::uint64_t bytes = 0;
  std::vector<std::byte> data;
  MessageLabel label;
  bool* done = nullptr;               ///< flag of the PE that waits for the answer
  std::uint64_t* result = nullptr;    ///< result of the PE that waits for the answer
};

class Simulation : public Scheduler {
 public:
  Simulation(SimulatedOptions options, std::unique_ptr<Wire> wire);
  ~Simulation() override;

  void run(const Simulated::Body& body);

  // ---- what waits ---------------------------------------------------------------------------------------------

  std::int64_t now_ns() const override { return static_cast<std::int64_t>(time_here() / 1000); }
  void sleep(const void* bell, std::int64_t limit_ns) override;
  void wake(const void* bell) noexcept override;
  void compute(std::uint64_t ps);
  /// A PE that polls repeatedly without result yields to the others.
  void look_idle();

  // ---- what paths send ----------------------------------------------------------------------------------------

  /// The running PE, or the PE whose listener runs.
  PeId acting() const { return acting_; }
  /// Adds the overhead of an operation to the running PE's clock.
  void begin_operation();
  enum class Order { free, kept };  // relative to earlier messages between the same PEs
  void send(std::unique_ptr<Parcel> parcel, Order order);
  /// Sends a request and returns the result of its answer. Throws PeFailedError when a PE has failed meanwhile.
  std::uint64_t ask(std::unique_ptr<Parcel> parcel);
  void fence() { ++sources_[acting_.value()].fences; }
  void quiet();
  Job& job_of(PeId pe) const { return *jobs_[node_of(pe)]; }
  bool reads_late() const { return options_.faults.seed != 0; }
  /// Moves messages that found no room into the PE's ring. Returns whether any was moved.
  bool push_waiting(PeId pe);
  bool takes_more(PeId pe) const { return waiting_[pe.value()].size() < most_waiting; }

  const std::vector<std::shared_ptr<Job>>& jobs() const { return jobs_; }
  std::uint64_t now_ps() const { return time_here(); }
  Simulated::Counts counts() const { return counts_; }
  std::uint64_t digest() const { return digest_; }

 private:
  static constexpr std::size_t most_waiting = 1024;
  static constexpr int most_idle_looks = 64;
  // A PE may begin this many operations ahead of the clock instead of yielding at each. Meanwhile it sees memory that
  // is older than its own time, and the network model is called slightly out of order.
  static constexpr std::uint64_t most_ahead = 8;
  struct Event {
    std::uint64_t time;
    enum Kind : std::uint32_t { resume, arrive, lose, notice } kind;
    std::uint32_t number;  // number of the PE or the parcel
    std::uint64_t generation;  // resume: number of the sleep
  };
  struct Pe {
    std::unique_ptr<sim::Fiber> fiber;
    std::uint64_t generation = 0;
    const void* bell = nullptr;
    std::uint64_t time = 0;  // the PE's own time, which may be ahead of the clock
    bool frozen = false;
    int idle_looks = 0;
    std::exception_ptr error;
  };
  struct Source {  // state of a PE that starts operations
    std::uint64_t outstanding = 0;
    std::uint64_t fences = 0;
  };
  struct Channel {  // from one PE to another
    std::uint64_t last = 0;  // last arrival
    std::uint64_t floor = 0;  // earliest possible arrival
    std::uint64_t fences = 0;
  };

  /// Time of the running PE, else of the clock.
  std::uint64_t time_here() const { return running_ == nullptr ? now_ : std::max(now_, running_->time); }
  Channel& channel_of(PeId from, PeId to);
  std::uint32_t node_of(PeId pe) const { return jobs_[0]->node_of(pe); }
  void push(std::uint64_t time, Event::Kind kind, std::uint32_t number, std::uint64_t generation = 0) {
    queue_.push({time, kind, number, generation});
  }
  void switch_to(std::uint32_t pe);
  void pause_until(std::uint64_t time, const void* bell);
  void step(const Event& event);
  bool is_cut(PeId from, PeId to) const;
  void launch(std::unique_ptr<Parcel> parcel, std::uint64_t arrival);
  void arrive(std::unique_ptr<Parcel> parcel);
  void answer(std::unique_ptr<Parcel> parcel);
  void fail_all(PeId pe, const std::string& why);
  void end_frozen();
  std::uint64_t arrival(PeId from, PeId to, std::uint64_t bytes);

  SimulatedOptions options_;
  std::unique_ptr<Wire> wire_;
  std::vector<std::shared_ptr<Job>> jobs_;
  std::vector<Pe> pes_;
  std::vector<Source> sources_;
  std::vector<std::deque<std::unique_ptr<Parcel>>> waiting_;  // by PE
  std::unordered_map<std::uint64_t, Channel> channels_;  // channels in use, and unused ones until the next sweep
  std::size_t sweep_at_ = 1024;  // number of channels that triggers the next sweep
  std::unordered_map<const void*, std::uint32_t> sleepers_;
  RadixHeap<Event> queue_;
  std::vector<std::unique_ptr<Parcel>> parcels_;
  std::vector<std::uint32_t> free_parcels_;
  std::uint64_t now_ = 0;
  std::uint64_t draws_ = 0;
  PeId acting_{0};
  Pe* running_ = nullptr;
  std::uint32_t left_ = 0;  // PEs that have not ended
  bool hang_ = false;
  bool cut_noticed_ = false;
  Simulated::Counts counts_;
  std::uint64_t digest_ = 0;
};

}  // namespace atl::fabric
