// SPDX-License-Identifier: Apache-2.0
// One PE. No process-wide state: a process may hold many contexts, one per PE.
#pragma once

#include <cstddef>
#include <memory>

#include "atoll/base/ids.hpp"
#include "atoll/runtime/board.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/directory.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/foreign_memory.hpp"
#include "atoll/runtime/meeting.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/options.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::runtime {

/// A PE is composed of its parts, whose operations are its own: context.put(), context.wait(). Each part keeps its
/// members to itself. A caller that needs one part takes a reference to that part, and includes the part's header
/// alone.
///
/// Thread-safe except where said. Collective calls must be made by every PE, in the same order.
class Context : public OneSided,
                public PeMemory,
                public Progress,
                public FailureDetector,
                public Messenger,
                public Counters,
                public Board,
                public Directory,
                public Meeting {
 public:
  /// Joins `job` as PE `pe`. Every PE of the job makes one; returns when all have (collective). A PE that has left may
  /// join again, when all do.
  Context(std::shared_ptr<fabric::Job> job, PeId pe, const ContextOptions& options = {});
  /// Leaves the job. Not collective: call barrier() first where peers may still use this PE's memory.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// For the child of a fork, which is not a PE: it releases nothing and notifies no process. The Context must not end
  /// there.
  void abandon() noexcept { abandon_heaps(); }
  /// Memory of PEs of this node that is outside of their segments.
  ForeignMemory& foreign_memory() { return foreign_memory_; }

  /// Collective. A block at the same offset on every PE (as heap().allocate otherwise). Throws on all PEs when one
  /// cannot, and ValueError when they ask for different sizes.
  HeapOffset allocate_symmetric(std::size_t bytes);
  /// Collective.
  void release_symmetric(HeapOffset block);

 private:
  void join();
  void clear_system_area();
  void hear_post(PeId source, std::uint16_t kind, std::span<const std::byte> payload);

  ForeignMemory foreign_memory_;
};

}  // namespace atl::runtime
