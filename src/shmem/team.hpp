// SPDX-License-Identifier: Apache-2.0
// Teams, ordered sets of PEs with their own communicators, and active sets, their predecessors.
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

/// The object of a shmem_team_t.
struct Team {
  runtime::Team members;
  std::optional<coll::Communicator> own;  // none for the world, which uses the library's
  coll::Communicator* communicator = nullptr;
  shmem_team_config_t config{};
  std::atomic<std::uint64_t> under_way{0};  // collectives with a live request
};

/// The teams of this process. Thread-safe, except that collective calls on one team must not overlap, as the standard
/// demands.
class Teams {
 public:
  /// Collective. Creates the predefined teams.
  explicit Teams(Library& library);
  /// Collective. Destroys all teams.
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  /// Ends the job when `team` is not a valid team.
  Team& find(Call call, shmem_team_t team) {
    if (team != SHMEM_TEAM_INVALID && team->self != nullptr && !library_.checking()) [[likely]]
      return *static_cast<Team*>(team->self);
    return find_or_fail(call, team);
  }
  /// Makes a team of the PEs with equal colour, ordered by key; SHMEM_TEAM_INVALID for PEs without a colour. Collective
  /// over the parent. Returns false on all PEs when memory is exhausted.
  bool split(Team& parent, std::optional<int> colour, int key, const shmem_team_config_t& config, shmem_team_t& made);
  void destroy(Call call, shmem_team_t team);

  /// The communicator of PEs start, start + 2^log_stride, …, which these PEs create at their first use.
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
  // Handles outlive their teams, so that their use after the team's end is detected.
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
/// Session hints. They are ignored, because operations complete when they return.
void start_session(Call call, shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config, long mask);
void stop_session(Call call, shmem_ctx_t ctx);

}  // namespace atl::shmem
