// SPDX-License-Identifier: Apache-2.0
// The one Portals library of this process: its PE, its four interfaces, and the mapping of PEs to processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "atoll/portal/portal.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/progress.hpp"
#include "handle.hpp"
#include "portals4.h"

namespace atl::portals {

class Interface;

/// Created by the first PtlInit and kept until the process ends. It keeps the PE alive, even when the other programming
/// interfaces have been closed.
class Library {
 public:
  /// Joins the job. Collective.
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  fabric::Job& job() { return parts_.job; }
  runtime::OneSided& one_sided() { return parts_.one_sided; }
  runtime::Progress& progress() { return parts_.progress; }
  runtime::Meeting& meeting() { return parts_.meeting; }
  runtime::Counters& counters() { return parts_.counters; }
  runtime::PortalHost& host() { return *host_; }
  /// False in the child of a fork, which is no PE.
  bool is_mine() const;

  Interface* interface(std::uint32_t number) const { return interfaces_[number].get(); }
  Interface& open(std::uint32_t number, const ptl_ni_limits_t& limits);
  void close(std::uint32_t number);

  // ---- processes ----------------------------------------------------------------------------------------------
  // A node id is the node's number in the job. A process id is a number among those of its node, which others read from
  // this PE's memory.

  /// Takes a process id: the wanted one, or any with PTL_PID_ANY. Returns PTL_PID_IN_USE, or PTL_ARG_INVALID when this
  /// process has another id already.
  int claim_pid(ptl_pid_t wanted);
  ptl_process_t physical(PeId pe);
  std::optional<PeId> find(ptl_process_t process);
  ptl_pid_t pid_of(PeId pe);

  // ---- waiting ------------------------------------------------------------------------------------------------

  /// Waits until `ready`. Returns PTL_OK; PTL_ABORTED after PtlAbort; `late` after the deadline; PTL_FAIL when a PE has
  /// failed, or ATOLL_PEER_TIMEOUT after all others have finalized.
  template <class Ready>
  int wait(Ready&& ready, Deadline deadline, int late) {
    parts_.progress.note_active();
    std::optional<Deadline> alone;
    auto in_vain = [&] {
      if (!is_alone()) return false;
      if (!alone) alone = patience();
      return alone->passed();
    };
    auto over = [&] { return ready() || aborted() || in_vain(); };
    for (int look = 0; look < 2; ++look) {
      try {
        if (parts_.progress.wait(over, deadline) != Status::ok) return late;
        return ready() ? PTL_OK : aborted() ? PTL_ABORTED : PTL_FAIL;
      } catch (...) {
        answer_failure();  // may complete this wait
        if (ready()) return PTL_OK;
      }
    }
    return PTL_FAIL;
  }
  bool aborted() const { return aborted_.load(std::memory_order_acquire); }  // partner: abort_waits()
  void abort_waits();
  void fail_lost();
  /// Rethrows the exception in flight, unless it is a PeFailedError: then ends what waits for that PE.
  void answer_failure();
  /// Whether all other PEs of the job have finalized. PEs of other nodes do so only together (fini()).
  bool is_alone() const;
  /// The deadline ATOLL_PEER_TIMEOUT from now.
  static Deadline patience();

  std::mutex& mutex() { return mutex_; }
  int times_initialized = 0;  // guarded by the mutex

 private:
  void read_pids(std::uint32_t node);

  std::mutex mutex_;
  std::shared_ptr<runtime::Context> context_;  // shared with the other programming interfaces
  runtime::Parts parts_;
  std::unique_ptr<runtime::PortalHost> host_;
  std::unique_ptr<Interface> interfaces_[4];
  HeapOffset pid_word_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> pids_;  // by PE: 1 + its process id; 0: unknown
  std::atomic<bool> aborted_{false};
  std::int64_t owner_;
};

/// Null before the first PtlInit and after the last PtlFini.
Library* library();

int init();
void fini();
void abort_waits();

}  // namespace atl::portals
