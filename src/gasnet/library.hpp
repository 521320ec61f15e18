// SPDX-License-Identifier: Apache-2.0
// The one GASNet library of this process: its client, its endpoint, its segment and its teams.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/progress.hpp"
#include "barrier.hpp"
#include "failure.hpp"
#include "gasnet.h"

struct gasnet_atoll_client {
  std::string name;
  gex_Flags_t flags = 0;
  void* data = nullptr;
};
struct gasnet_atoll_segment {
  void* address = nullptr;
  std::uintptr_t bytes = 0;
  void* data = nullptr;
};
struct gasnet_atoll_endpoint {
  std::array<gex_AM_Entry_t, 256> handlers{};  // by index; without a function: free
  void* data = nullptr;
};

namespace atl::gasnet {

/// A team: the part that the header's inline functions read, and the library's part.
struct Team : gasnet_atoll_tm {
  std::vector<gasnet_atoll_peer> table;  ///< by rank
  std::vector<PeId> pes;                 ///< by rank
  std::unique_ptr<coll::Communicator> group;  ///< null for pairs
  std::mutex group_mutex;                     ///< serialises collectives
  std::unique_ptr<Barrier> barrier;           ///< likewise
  void* barrier_area = nullptr;               ///< the barrier's block of the heap
  gex_Flags_t flags = 0;
  void* data = nullptr;
  void* scratch = nullptr;  ///< scratch memory of the client
  std::size_t scratch_bytes = 0;
};

/// Location of a rank's segment.
struct RemoteSegment {
  std::uintptr_t address = 0;  ///< address in that rank's process
  std::uintptr_t bytes = 0;    ///< 0: the rank has no segment
  HeapOffset offset{0};        ///< offset in the memory of its PE
  void* here = nullptr;        ///< address in this process; null when not mapped
};

class Library {
 public:
  /// Joins the job. Collective.
  explicit Library(bool threads);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  fabric::Job& job() { return parts_.job; }
  runtime::OneSided& one_sided() { return parts_.one_sided; }
  runtime::PeMemory& memory() { return parts_.memory; }
  runtime::Progress& progress() { return parts_.progress; }
  runtime::FailureDetector& failures() { return parts_.failures; }
  runtime::Messenger& messenger() { return parts_.messenger; }
  gex_Rank_t rank() const { return parts_.one_sided.pe().value(); }
  gex_Rank_t size() const { return parts_.one_sided.npes(); }
  bool threads() const { return threads_; }  ///< whether several threads of the client may call

  gasnet_atoll_client& client() { return client_; }
  gasnet_atoll_endpoint& endpoint() { return endpoint_; }
  gasnet_atoll_segment* segment() { return segment_ ? &*segment_ : nullptr; }
  Team& world() { return world_; }
  Team& pairs() { return pairs_; }
  /// Collective. Returns false when a rank has no memory for its segment.
  bool attach(std::uintptr_t bytes);
  const RemoteSegment& segment_of(PeId pe) const { return segments_[pe.value()]; }
  std::uintptr_t largest_segment() const { return largest_segment_; }
  std::uintptr_t largest_segment_of_all() const { return largest_segment_of_all_; }
  std::span<gex_RankInfo_t> host() const { return ranks_of_host_; }
  std::uint32_t place_on_host() const { return place_on_host_; }

  /// The team of a handle. Ends the job when it is invalid.
  Team& team(Call call, gex_TM_t tm) {
    if (tm == GEX_TM_INVALID) fail(call, "argument 'tm' is GEX_TM_INVALID. Use the team of gex_Client_Init?");
    return *static_cast<Team*>(tm);
  }
  PeId pe_of(Call call, gex_TM_t tm, gex_Rank_t rank) {
    Team& in = team(call, tm);
    if (rank >= in.size)
      fail(call, "argument 'rank': there is no rank {} (the team has ranks 0 to {}). Name one of those?", rank,
           in.size - 1);
    return in.pes[rank];
  }
  /// Sets up a team of these PEs, in this order, with communicator `group`: fills the part that the header reads, and
  /// creates the barrier. Collective over the PEs.
  void fill(Team& team, std::vector<PeId> pes, gex_Rank_t rank, std::unique_ptr<coll::Communicator> group);
  void add(std::unique_ptr<Team> team);
  void remove(Team& team);

  /// Offset of `bytes` at an address of a rank in the memory of its PE. Ends the job when some are outside its segment.
  HeapOffset locate(Call call, const char* argument, PeId pe, const void* address, std::size_t bytes) const;

  // ---- progress -------------------------------------------------------------------------------------------------

  /// Runs handlers and advances barriers. Returns whether there was work.
  bool make_progress() {
    const bool any = parts_.progress.progress();
    advance_barriers();
    return any;
  }
  /// Waits until `ready()` is true. Must not be called from handlers.
  template <class Ready>
  void wait(Ready&& ready) {
    bool over = false;
    parts_.progress.wait([&] {
      advance_barriers();
      return over || (over = ready());
    });
  }

  /// Whether this thread runs a handler.
  bool is_handling() const;
  /// Number of handlers that have completed on this rank.
  std::atomic<std::uint64_t>& handled() { return handled_; }

 private:
  void measure_memory();
  void advance_barriers() {
    world_.barrier->advance();
    if (has_teams_.load(std::memory_order_relaxed)) [[unlikely]]
      advance_teams();
  }
  void advance_teams();
  void refresh(Team& team);

  bool threads_;
  std::shared_ptr<runtime::Context> context_;  // shared with the other programming interfaces
  runtime::Parts parts_;
  gasnet_atoll_client client_;
  gasnet_atoll_endpoint endpoint_;
  std::optional<gasnet_atoll_segment> segment_;
  Team world_, pairs_;
  std::mutex teams_mutex_;
  std::vector<std::unique_ptr<Team>> teams_;
  std::vector<RemoteSegment> segments_;  // by PE
  std::uintptr_t largest_segment_ = 0, largest_segment_of_all_ = 0;
  std::vector<gasnet_atoll_rank_info> ranks_of_host_;
  std::uint32_t place_on_host_ = 0;
  std::atomic<bool> has_teams_{false};
  std::atomic<std::uint64_t> handled_{0};
};

/// Null before gex_Client_Init. Not destroyed at exit.
Library* library_if_open();
[[noreturn]] void fail_uninitialized(Call call);
inline Library& library(Call call) {
  Library* here = library_if_open();
  if (here == nullptr) [[unlikely]]
    fail_uninitialized(call);
  return *here;
}

}  // namespace atl::gasnet
