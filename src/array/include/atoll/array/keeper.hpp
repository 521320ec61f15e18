// SPDX-License-Identifier: Apache-2.0
// What an SPMD program goes on from when a PE has died: arrays as they were at one point of the program, and bytes that
// say what they are.
//
// Each PE keeps its own blocks, where they are: later assignments find a second owner and write elsewhere. The ledger
// of the PE's segment names them, so that the process that takes the place of a dead PE adopts them. A state is
// complete when all PEs have kept it; until then each PE has the one before, too. So a state that all PEs have can be
// found after a death at any time.
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

/// Numbers rise. 0: the beginning of the program, where nothing is kept.
struct KeptState {
  std::uint64_t number = 0;
  std::string note;
  std::vector<Array> arrays;
};

/// The number of the newest state that all PEs have, while none of them keeps another one.
std::uint64_t newest_common_state(const fabric::Job& job);

class Keeper {
 public:
  /// Of a PE whose Context has just been made.
  explicit Keeper(runtime::Context& context);

  /// Replaces the state by this one, of a higher number. The arrays must not be shared with NumPy. Collective.
  void keep(Engine& engine, KeptState state);
  /// The newest state. Not for good before keep() or resume() has returned.
  const KeptState& state() const { return states_.back().state; }

  // After a death, when this PE has joined again or has taken the place of a dead one:
  void take_over(runtime::Context& context);
  /// Goes back to the newest state that all PEs have. Collective. After PeFailedError it can be called again.
  void resume(Engine& engine);

  /// Deaths that this PE has survived.
  void note(Recovery recovery) { history_.push_back(std::move(recovery)); }
  const std::vector<Recovery>& history() const { return history_; }

 private:
  struct Kept {
    KeptState state;
    std::vector<std::uint64_t> ids;  // in the ledger, of each array
  };
  void drop(const Kept& kept);

  std::byte* segment_ = nullptr;
  std::unique_ptr<runtime::Ledger> ledger_;
  std::unordered_map<std::uint64_t, runtime::AdoptedBlock> adopted_;  // of a dead PE, until resume()
  std::vector<Kept> states_;  // one, or two while the newer one is not complete
  std::uint64_t last_id_ = 0;  // the same on all PEs
  std::vector<Recovery> history_;
};

}  // namespace atl::array
