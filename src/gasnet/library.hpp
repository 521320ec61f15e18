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
#include "atoll/runtime/context.hpp"
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
  std::array<gex_AM_Entry_t, 256> handlers{};  // by index; no function: free
  void* data = nullptr;
};

namespace atl::gasnet {

/// A team, as the header sees it and beyond.
struct Team : gasnet_atoll_tm {
  std::vector<gasnet_atoll_peer> table;  ///< by rank
  std::vector<PeId> pes;                 ///< likewise
  std::unique_ptr<coll::Communicator> group;  ///< null for pairs
  std::mutex group_mutex;                     ///< its callers: one at a time
  std::unique_ptr<Barrier> barrier;           ///< likewise
  void* barrier_area = nullptr;               ///< a block of the heap, the barrier's
  gex_Flags_t flags = 0;
  void* data = nullptr;
  void* scratch = nullptr;  ///< the client's
  std::size_t scratch_bytes = 0;
};

/// Where a rank's segment is.
struct RemoteSegment {
  std::uintptr_t address = 0;  ///< as that rank sees it
  std::uintptr_t bytes = 0;    ///< 0: it has none
  HeapOffset offset{0};        ///< in the memory of its PE
  void* here = nullptr;        ///< null: not mapped
};

class Library {
 public:
  /// Joins the job. Collective.
  explicit Library(bool threads);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  runtime::Context& context() { return *context_; }
  gex_Rank_t rank() const { return context_->pe().value(); }
  gex_Rank_t size() const { return context_->npes(); }
  bool threads() const { return threads_; }  ///< whether several threads of the client may call

  gasnet_atoll_client& client() { return client_; }
  gasnet_atoll_endpoint& endpoint() { return endpoint_; }
  gasnet_atoll_segment* segment() { return segment_ ? &*segment_ : nullptr; }
  Team& world() { return world_; }
  Team& pairs() { return pairs_; }
  /// Collective. False: a rank has no memory for it.
  bool attach(std::uintptr_t bytes);
  const RemoteSegment& segment_of(PeId pe) const { return segments_[pe.value()]; }
  std::uintptr_t largest_segment() const { return largest_segment_; }
  std::uintptr_t largest_segment_of_all() const { return largest_segment_of_all_; }
  std::span<gex_RankInfo_t> host() const { return ranks_of_host_; }
  std::uint32_t place_on_host() const { return place_on_host_; }

  /// A team that a client names.
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
  /// A team of these PEs, in this order, of which `group` is the communicator: fills what the header reads and makes
  /// the barrier. Collective over them.
  void fill(Team& team, std::vector<PeId> pes, gex_Rank_t rank, std::unique_ptr<coll::Communicator> group);
  void add(std::unique_ptr<Team> team);
  void remove(Team& team);

  /// Where `bytes` from that address of a rank on are in the memory of its PE. Does not return when they are not all in
  /// its segment.
  HeapOffset locate(Call call, const char* argument, PeId pe, const void* address, std::size_t bytes) const;

  // ---- progress -------------------------------------------------------------------------------------------------

  /// Runs handlers, and goes on with barriers. Returns whether there was anything.
  bool make_progress() {
    const bool any = context_->progress();
    advance_barriers();
    return any;
  }
  /// Until `ready()` is true. Not from handlers.
  template <class Ready>
  void wait(Ready&& ready) {
    bool over = false;
    context_->wait([&] {
      advance_barriers();
      return over || (over = ready());
    });
  }

  /// Whether this thread runs a handler.
  bool is_handling() const;
  /// Handlers that have ended here so far.
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
  std::shared_ptr<runtime::Context> context_;  // of all doors
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
