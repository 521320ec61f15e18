// SPDX-License-Identifier: Apache-2.0
// Teams: ordered sets of PEs with a communicator of their own. And active sets, their predecessors.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "atoll/runtime/team.hpp"
#include "library.hpp"

namespace atl::shmem {

/// What stands behind a shmem_team_t.
struct Team {
  runtime::Team members;
  std::optional<coll::Communicator> own;  // the world uses the library's
  coll::Communicator* communicator = nullptr;
  shmem_team_config_t config{};
  std::atomic<std::uint64_t> under_way{0};  // collectives that somebody still holds a request for
};

/// Thread-safe; collective calls on one team one at a time, as the standard says.
class Teams {
 public:
  /// Collective: makes the predefined ones usable.
  explicit Teams(Library& library);
  /// Collective; after it nothing of them is left.
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  /// Does not return when it is no team.
  Team& find(Call call, shmem_team_t team) {
    if (team != SHMEM_TEAM_INVALID && team->self != nullptr && !library_.checking()) [[likely]]
      return *static_cast<Team*>(team->self);
    return find_or_fail(call, team);
  }
  /// A team of those that give the same colour, by key; SHMEM_TEAM_INVALID for those that give none. Collective over
  /// the parent. False, on all its PEs: there is no memory.
  bool split(Team& parent, std::optional<int> colour, int key, const shmem_team_config_t& config, shmem_team_t& made);
  void destroy(Call call, shmem_team_t team);

  /// The communicator of PEs start, start + 2^log_stride, …; made by these PEs alone when they first use it.
  coll::Communicator& active_set(Call call, int start, int log_stride, int size);

 private:
  struct ActiveSet {
    std::mutex mutex;
    std::optional<coll::Communicator> communicator;
  };
  Team& find_or_fail(Call call, shmem_team_t team);
  shmem_team_t add(std::unique_ptr<Team> team);

  Library& library_;
  std::mutex mutex_;
  Team world_;
  Team shared_;
  // Handles stay when their teams go: one that is used after its end is recognised.
  std::vector<std::unique_ptr<shmemx_team_v1>> handles_;
  std::vector<std::unique_ptr<Team>> live_;
  // Ordered, so that all PEs free them in the same order.
  std::map<std::tuple<int, int, int>, std::unique_ptr<ActiveSet>> active_sets_;
};

int team_my_pe(Call call, shmem_team_t team);
int team_n_pes(Call call, shmem_team_t team);
int team_get_config(Call call, shmem_team_t team, long mask, shmem_team_config_t* config);
int team_translate_pe(Call call, shmem_team_t from, int pe, shmem_team_t to);
int team_split_strided(Call call, shmem_team_t parent, int start, int stride, int size,
                       const shmem_team_config_t* config, long mask, shmem_team_t* made);
int team_split_2d(Call call, shmem_team_t parent, int x_range, const shmem_team_config_t* x_config, long x_mask,
                  shmem_team_t* x_team, const shmem_team_config_t* y_config, long y_mask, shmem_team_t* y_team);
int team_split_node(Call call, shmem_team_t parent, shmem_team_t* node_team, shmem_team_t* across_team);
void team_destroy(Call call, shmem_team_t team);
void* team_pointer(Call call, shmem_team_t team, const void* address, int pe);

int create_context(Call call, shmem_team_t team, long options, shmem_ctx_t* ctx);
void destroy_context(Call call, shmem_ctx_t ctx);
int context_team(Call call, shmem_ctx_t ctx, shmem_team_t* team);
/// Hints of what will come. Nothing would be faster for them: an operation is done when it returns.
void start_session(Call call, shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config, long mask);
void stop_session(Call call, shmem_ctx_t ctx);

}  // namespace atl::shmem
