// SPDX-License-Identifier: Apache-2.0
// Snapshots of an SPMD program's arrays, from which it resumes after the failure of PEs.
//
// Each PE holds references to its own blocks: a later assignment finds a second owner and writes elsewhere. The ledger
// of the PE's segment lists the blocks, so that the process that replaces a failed PE adopts them. A snapshot is
// complete when all PEs have taken it; until then each PE also holds the previous one. So after a failure at any time
// there is a snapshot that all PEs have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/array/protection.hpp"
#include "atoll/runtime/ledger.hpp"

namespace atl::fabric {
class Job;
}

namespace atl::array {

/// Arrays at one point of the program, and a description of them. Numbers increase; 0 is the start of the program,
/// which has no arrays.
struct Snapshot {
  std::uint64_t number = 0;
  std::string note;
  std::vector<Array> arrays;
};

/// The number of the newest snapshot that all PEs have. Call while no PE takes another one.
std::uint64_t newest_common_state(const fabric::Job& job);

class Snapshots {
 public:
  /// For a PE whose Context has just been created.
  explicit Snapshots(runtime::Context& context);

  /// Replaces the snapshot by one with a higher number. The arrays must not share memory with NumPy. Collective.
  void keep(Engine& engine, Snapshot state);
  /// The newest snapshot; final when keep() or resume() has returned.
  const Snapshot& state() const { return states_.back().state; }

  /// Call after a failure, when this PE has joined again or has replaced a failed PE.
  void take_over(runtime::Context& context);
  /// Returns to the newest snapshot that all PEs have. Collective. May be called again after a PeFailedError.
  void resume(Engine& engine);

  /// Failures that this PE has survived.
  void note(Recovery recovery) { history_.push_back(std::move(recovery)); }
  const std::vector<Recovery>& history() const { return history_; }

 private:
  struct Kept {
    Snapshot state;
    std::vector<std::uint64_t> ids;  // ledger id of each array
  };
  void drop(const Kept& kept);

  std::byte* segment_ = nullptr;
  std::unique_ptr<runtime::Ledger> ledger_;
  std::unordered_map<std::uint64_t, runtime::AdoptedBlock> adopted_;  // blocks of the failed PE, until resume()
  std::vector<Kept> states_;  // one snapshot, or two while the newer one is incomplete
  std::uint64_t last_id_ = 0;  // the same on all PEs
  std::vector<Recovery> history_;
};

}  // namespace atl::array
