// SPDX-License-Identifier: Apache-2.0
// Puts to and gets from dynamic windows of other hosts. The origin first reads which memory the target has attached,
// and does not wait for that: the accesses are kept until the table is here.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "atoll/fabric/queueing.hpp"
#include "message/packed.hpp"
#include "win/origin.hpp"
#include "win/reach.hpp"
#include "win/remote.hpp"
#include "win/window.hpp"

namespace atl::mpi::win {

/// A put, or a get, of contiguous target memory.
struct DeferredAccess {
  Spot spot;
  datatype::Region target;
  datatype::TypePtr type;  ///< of `target`, whose layout it owns
  std::optional<Source> from;  ///< of a put
  std::optional<Sink> to;      ///< of a get
  Answer answer;               ///< of a get: its local memory, as an order needs it
};

/// The accesses of one window that have not started. Thread-safe.
class DeferredAccesses {
 public:
  /// Keeps an access, reads its target's table if no read of it is under way, and starts accesses to the same target
  /// whose table has arrived. Does not wait. Throws Failure (MPI_ERR_NO_MEM) beyond the PE's memory limit.
  void add(Window& window, DeferredAccess access);
  /// Starts all accesses that were added before, and waits for the tables that they need. A target that has failed is
  /// noted in the window's `refused`.
  void start_all(Window& window);

 private:
  /// Counts against the memory limit of copies.
  struct Destroy {
    GiveBack room;
    void operator()(DeferredAccess* access) const {
      access->~DeferredAccess();
      room(reinterpret_cast<std::byte*>(access));
    }
  };
  using Kept = std::unique_ptr<DeferredAccess, Destroy>;
  /// One read of a target's table, and the accesses that it is for: all that were added before it began.
  struct TableRead {
    Attached table;
    fabric::QueuedCompletion completion;
    std::deque<Kept> accesses;
  };
  struct Rank {
    std::unique_ptr<TableRead> read;  ///< null: none is under way
    std::deque<Kept> waiting;  ///< added after it began
  };

  /// The read of a rank if it is complete. Begins another one if accesses wait for it. Requires `mutex_`.
  std::unique_ptr<TableRead> take_complete(Window& window, int rank, Rank& one);
  static void start(Window& window, TableRead& read);

  std::mutex mutex_;
  std::map<int, Rank> ranks_;
};

}  // namespace atl::mpi::win
