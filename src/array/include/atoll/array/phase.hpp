// SPDX-License-Identifier: Apache-2.0
// Time that a PE's operations spend in a phase.
#pragma once

#include "atoll/array/engine.hpp"
#include "atoll/base/clock.hpp"

namespace atl::array {

/// Phases of all operations. The rest of an operation's time is local work. Scopes of the two do not enclose each
/// other.
inline constexpr const char* wait_phase = "wait";          ///< this PE waits for others in a collective
inline constexpr const char* exchange_phase = "exchange";  ///< rows go to or come from memory of other PEs

/// Adds the time of a scope to a phase. For the engine's own thread.
class Phase {
 public:
  Phase(Engine& engine, const char* name) : engine_(engine), name_(name), start_(now_ns()) {}
  ~Phase() { engine_.count_phase(name_, now_ns() - start_); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Engine& engine_;
  const char* name_;
  std::int64_t start_;
};

}  // namespace atl::array
