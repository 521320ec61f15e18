// SPDX-License-Identifier: Apache-2.0
// A callback for progress that tests use.
#pragma once

#include "atoll/array/engine.hpp"

namespace atl::array {

/// As Engine::set_progress()'s callback it is called at every look for an interrupt instead of every 50 ms: what looks,
/// and what an interrupt leaves, does not depend on time then.
struct EveryPoll {
  ProgressCallback call;
  /// Called instead while this PE waits for others; how often depends on time. Empty: nothing is called then.
  ProgressCallback while_waiting;

  void operator()(const char* operation, std::uint64_t done, std::uint64_t total) const {
    call(operation, done, total);
  }
};

}  // namespace atl::array
