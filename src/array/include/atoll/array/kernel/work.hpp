// SPDX-License-Identifier: Apache-2.0
// What every local kernel is given: threads, scratch memory, and someone to tell how far it is.
#pragma once

#include <cstdint>

#include "atoll/base/memory.hpp"
#include "atoll/base/parallel.hpp"

namespace atl::array {

/// Watches a long operation. The default watches nothing.
class Monitor {
 public:
  virtual ~Monitor() = default;
  /// Called by the operation's first thread between pieces of work of at most some 50 ms, with `done` of `total`
  /// (any unit). Throws Interrupted when the user asked to stop: so call it only where nothing is half changed.
  virtual void checkpoint(std::uint64_t /*done*/, std::uint64_t /*total*/) {}
};

struct Work {
  ThreadPool& threads;
  Memory& memory;
  Monitor& monitor;
};

}  // namespace atl::array
