// SPDX-License-Identifier: Apache-2.0
// The one Portals library of this process: its PE, its four interfaces, and which PE is which process.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "atoll/portal/portal.hpp"
#include "atoll/runtime/context.hpp"
#include "handle.hpp"
#include "portals4.h"

namespace atl::portals {

class Interface;

/// Made by the first PtlInit, and there until the process ends: it holds the PE for as long, whatever other doors have
/// closed.
class Library {
 public:
  /// Joins the job. Collective.
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  runtime::PortalHost& host() { return *host_; }
  /// For the child of a fork, which is no PE.
  bool is_mine() const;

  Interface* interface(std::uint32_t number) const { return interfaces_[number].get(); }
  Interface& open(std::uint32_t number, const ptl_ni_limits_t& limits);
  void close(std::uint32_t number);

  // ---- processes ----------------------------------------------------------------------------------------------
  // A node is its number in the job. A process has a number among those of its node, which others read from this PE's
  // memory.

  /// Takes a number: the one asked for, or PTL_PID_ANY. PTL_PID_IN_USE, or PTL_ARG_INVALID when this process has
  /// another.
  int claim_pid(ptl_pid_t wanted);
  ptl_process_t physical(PeId pe);
  std::optional<PeId> find(ptl_process_t process);
  ptl_pid_t pid_of(PeId pe);

  // ---- waiting ------------------------------------------------------------------------------------------------

  /// Until `ready` or PtlAbort: PTL_OK, PTL_ABORTED, `late` when the deadline passed, PTL_FAIL when a PE has died, or
  /// when all others have finalized and this process has not made `ready` true for ATOLL_PEER_TIMEOUT since.
  template <class Ready>
  int wait(Ready&& ready, Deadline deadline, int late) {
    context_->note_active();
    std::optional<Deadline> alone;
    auto in_vain = [&] {
      if (!is_alone()) return false;
      if (!alone) alone = patience();
      return alone->passed();
    };
    auto over = [&] { return ready() || aborted() || in_vain(); };
    for (int look = 0; look < 2; ++look) {
      try {
        if (context_->wait(over, deadline) != Status::ok) return late;
        return ready() ? PTL_OK : aborted() ? PTL_ABORTED : PTL_FAIL;
      } catch (const PeFailedError&) {
        fail_lost();  // of which this wait may be one
        if (ready()) return PTL_OK;
      }
    }
    return PTL_FAIL;
  }
  bool aborted() const { return aborted_.load(std::memory_order_acquire); }  // partner: abort_waits()
  void abort_waits();
  void fail_lost();
  /// Whether all other PEs of the job have finalized. PEs of other nodes do so only together (fini()).
  bool is_alone() const;
  /// From now on, by ATOLL_PEER_TIMEOUT.
  static Deadline patience();

  std::mutex& mutex() { return mutex_; }
  int times_initialized = 0;  // under the mutex

 private:
  void read_pids(std::uint32_t node);

  std::mutex mutex_;
  std::shared_ptr<runtime::Context> context_;  // of all doors
  std::unique_ptr<runtime::PortalHost> host_;
  std::unique_ptr<Interface> interfaces_[4];
  HeapOffset pid_word_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> pids_;  // by PE: 1 + its number; 0: not known
  std::atomic<bool> aborted_{false};
  std::int64_t owner_;
};

/// Null before the first PtlInit and after the last PtlFini.
Library* library();

int init();
void fini();
void abort_waits();

}  // namespace atl::portals
