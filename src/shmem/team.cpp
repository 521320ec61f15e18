// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "context.hpp"
#include "setup.hpp"

namespace atl::shmem {
namespace {

constexpr int no_such_pe = -1;
constexpr int refused = 1;

// Stores the members as first PE and stride where possible.
runtime::Team compact(const coll::Communicator& communicator, PeId self) {
  std::vector<PeId> pes;
  for (int member = 0; member < communicator.size(); ++member) pes.push_back(communicator.pe(member));
  if (pes.size() == 1) return runtime::Team::strided(pes[0].value(), 1, 1, self);
  bool regular = pes[1] > pes[0];
  std::uint32_t stride = pes[1].value() - pes[0].value();
  for (std::size_t i = 1; i < pes.size() && regular; ++i) regular = pes[i].value() == pes[i - 1].value() + stride;
  if (regular) return runtime::Team::strided(pes[0].value(), stride, static_cast<std::uint32_t>(pes.size()), self);
  return runtime::Team::listed(std::move(pes), self);
}

shmem_team_config_t chosen(Call call, const char* argument, const shmem_team_config_t* config, long mask) {
  shmem_team_config_t found{0};
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) {
    if (config == nullptr) fail(call, "argument '{}' is null, but the mask names a field of it", argument);
    found.num_contexts = config->num_contexts;
  }
  return found;
}

// An axis of a 2-D split. The colour is the coordinate on the other axis.
struct Axis {
  int colour;
  shmem_team_config_t config;
  shmem_team_t* made;
};

// Creates both teams in the parent's order, or neither.
int split_twice(Call call, Team& parent, const Axis& first, const Axis& second) {
  Teams& teams = library(call).teams();
  if (!teams.split(parent, first.colour, 0, first.config, *first.made)) return refused;
  if (teams.split(parent, second.colour, 0, second.config, *second.made)) return 0;
  teams.destroy(call, *first.made);
  *first.made = SHMEM_TEAM_INVALID;
  return refused;
}

}  // namespace

Teams::Teams(Library& library) : library_(library) {
  coll::Communicator& all = library.world();
  world_.members = runtime::Team::world(library.npes(), library.pe());
  world_.communicator = &all;
  // The team of this node's PEs, with a communicator separate from the world's.
  const fabric::Job& job = library.job();
  shared_.own =
      coll::Communicator::split(all, static_cast<int>(job.node()), static_cast<int>(job.place_of(library.pe())));
  shared_.own->set_timeout_seconds(0);
  shared_.communicator = &*shared_.own;
  shared_.members = compact(*shared_.own, library.pe());
  for (auto [handle, team] : {std::pair{SHMEM_TEAM_WORLD, &world_}, std::pair{SHMEM_TEAM_SHARED, &shared_}})
    *handle = {static_cast<int>(team->members.rank()), static_cast<int>(team->members.size()), team, {}};
}

Teams::~Teams() {
  for (shmem_team_t handle : {SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED}) *handle = {no_such_pe, 0, nullptr, {}};
  // Programs may still hold handles. The handle objects stay, so that their use is detected.
  static auto* left_behind = new std::vector<std::unique_ptr<shmemx_team_v1>>;
  for (auto& handle : handles_) {
    *handle = {no_such_pe, 0, nullptr, {}};
    left_behind->push_back(std::move(handle));
  }
  // In order of creation, which is the same on all members.
  for (auto& team : live_) team.reset();
  active_sets_.clear();
}

Team& Teams::find_or_fail(Call call, shmem_team_t team) {
  if (team == SHMEM_TEAM_INVALID) [[unlikely]]
    fail(call, "argument 'team' is SHMEM_TEAM_INVALID");
  if (library_.checking()) {
    std::lock_guard lock(mutex_);
    bool known = team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED ||
                 std::any_of(handles_.begin(), handles_.end(), [&](auto& handle) { return handle.get() == team; });
    if (!known) fail(call, "argument 'team': {} is not a team", fmt::ptr(team));
  }
  if (team->self == nullptr) [[unlikely]]
    fail(call, "argument 'team': {} has been destroyed", fmt::ptr(team));
  return *static_cast<Team*>(team->self);
}

shmem_team_t Teams::add(std::unique_ptr<Team> team) {
  auto handle = std::make_unique<shmemx_team_v1>();
  handle->my_pe = static_cast<int>(team->members.rank());
  handle->n_pes = static_cast<int>(team->members.size());
  handle->self = team.get();
  std::lock_guard lock(mutex_);
  live_.push_back(std::move(team));
  handles_.push_back(std::move(handle));
  return handles_.back().get();
}

bool Teams::split(Team& parent, std::optional<int> colour, int key, const shmem_team_config_t& config,
                  shmem_team_t& made) {
  made = SHMEM_TEAM_INVALID;
  try {
    auto team = std::make_unique<Team>();
    team->own = coll::Communicator::split(*parent.communicator, colour, key);
    if (!team->own) return true;
    team->own->set_timeout_seconds(0);
    team->communicator = &*team->own;
    team->members = compact(*team->own, library_.pe());
    team->config = config;
    made = add(std::move(team));
    return true;
  } catch (const MemoryError&) { return false; }
}

void Teams::destroy(Call call, shmem_team_t team) {
  if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED) fail(call, "argument 'team': a predefined team stays");
  Team& found = find(call, team);
  if (std::uint64_t open = found.under_way.load(std::memory_order_relaxed); open != 0)
    fail(call, "argument 'team': {} of its collectives are still under way", open);
  library_.contexts().destroy_of(team);
  std::unique_ptr<Team> gone;
  {
    std::lock_guard lock(mutex_);
    auto at = std::find_if(live_.begin(), live_.end(), [&](auto& one) { return one.get() == &found; });
    gone = std::move(*at);
    live_.erase(at);
    *team = {no_such_pe, 0, nullptr, {}};
  }
}

coll::Communicator& Teams::active_set(Call call, int start, int log_stride, int size) {
  if (start == 0 && log_stride == 0 && static_cast<std::uint32_t>(size) == library_.npes()) return library_.world();
  bool possible = start >= 0 && log_stride >= 0 && log_stride < 31 && size >= 1 &&
                  start + (std::int64_t{size} - 1) * (std::int64_t{1} << log_stride) < library_.npes();
  if (!possible) [[unlikely]]
    fail(call,
         "arguments 'PE_start', 'logPE_stride' and 'PE_size': there are no {} PEs {}, {} + 2^{}, … in a job of {}",
         size, start, start, log_stride, library_.npes());
  ActiveSet* set;
  {
    std::lock_guard lock(mutex_);
    auto& entry = active_sets_[{start, log_stride, size}];
    if (!entry) entry = std::make_unique<ActiveSet>();
    set = entry.get();
  }
  std::lock_guard lock(set->mutex);
  if (!set->communicator) [[unlikely]] {
    auto members = runtime::Team::strided(static_cast<std::uint32_t>(start), 1u << log_stride,
                                          static_cast<std::uint32_t>(size), library_.pe());
    if (!members.is_member())
      fail(call, "PE {} is not one of the {} PEs {}, {} + 2^{}, …", library_.pe().value(), size, start, start,
           log_stride);
    set->communicator.emplace(library_.context(), members, 0.0);
  }
  return *set->communicator;
}

int team_my_pe(Call, shmem_team_t team) { return team == SHMEM_TEAM_INVALID ? no_such_pe : team->my_pe; }

int team_n_pes(Call, shmem_team_t team) { return team == SHMEM_TEAM_INVALID ? no_such_pe : team->n_pes; }

int team_get_config(Call call, shmem_team_t team, long mask, shmem_team_config_t* config) {
  Library& here = library(call);
  if (team == SHMEM_TEAM_INVALID) return refused;
  const Team& found = here.teams().find(call, team);
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) == 0) return 0;
  if (config == nullptr) fail(call, "argument 'config' is null, but the mask names a field of it");
  config->num_contexts = found.config.num_contexts;
  return 0;
}

int team_translate_pe(Call call, shmem_team_t from, int pe, shmem_team_t to) {
  Library& here = library(call);
  if (from == SHMEM_TEAM_INVALID || to == SHMEM_TEAM_INVALID) return no_such_pe;
  const Team& source = here.teams().find(call, from);
  const Team& target = here.teams().find(call, to);
  if (pe < 0 || static_cast<std::uint32_t>(pe) >= source.members.size()) return no_such_pe;
  auto found = source.members.translate(static_cast<std::uint32_t>(pe), target.members);
  return found ? static_cast<int>(*found) : no_such_pe;
}

int team_split_strided(Call call, shmem_team_t parent, int start, int stride, int size,
                       const shmem_team_config_t* config, long mask, shmem_team_t* made) {
  Library& here = library(call);
  *made = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID) return refused;
  Team& found = here.teams().find(call, parent);
  // All PEs pass the same triplet, so all reject it alike.
  std::int64_t last = start + (std::int64_t{size} - 1) * stride;
  auto inside = [&](std::int64_t pe) { return pe >= 0 && pe < found.members.size(); };
  if (size < 1 || !inside(start) || !inside(last) || (stride == 0 && size != 1)) return refused;
  std::int64_t ahead = std::int64_t{found.members.rank()} - start;
  bool member = stride == 0 ? ahead == 0 : ahead % stride == 0 && ahead / stride >= 0 && ahead / stride < size;
  int rank = stride == 0 || !member ? 0 : static_cast<int>(ahead / stride);
  bool done = here.teams().split(found, member ? std::optional(0) : std::nullopt, rank,
                                 chosen(call, "config", config, mask), *made);
  return done ? 0 : refused;
}

int team_split_2d(Call call, shmem_team_t parent, int x_range, const shmem_team_config_t* x_config, long x_mask,
                  shmem_team_t* x_team, const shmem_team_config_t* y_config, long y_mask, shmem_team_t* y_team) {
  Library& here = library(call);
  *x_team = *y_team = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID || x_range < 1) return refused;
  Team& found = here.teams().find(call, parent);
  int range = std::min(x_range, static_cast<int>(found.members.size()));
  int rank = static_cast<int>(found.members.rank());
  int x = rank % range, y = rank / range;
  return split_twice(call, found, {y, chosen(call, "xaxis_config", x_config, x_mask), x_team},
                     {x, chosen(call, "yaxis_config", y_config, y_mask), y_team});
}

int team_split_node(Call call, shmem_team_t parent, shmem_team_t* node_team, shmem_team_t* across_team) {
  Library& here = library(call);
  *node_team = *across_team = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID) return refused;
  Team& found = here.teams().find(call, parent);
  const coll::Placement& placement = found.communicator->placement();
  const int rank = found.communicator->rank();
  return split_twice(call, found, {placement.node_of(rank), {}, node_team},
                     {placement.index_in_node(rank), {}, across_team});
}

void team_destroy(Call call, shmem_team_t team) {
  Library& here = library(call);
  if (team != SHMEM_TEAM_INVALID) here.teams().destroy(call, team);
}

void* team_pointer(Call call, shmem_team_t team, const void* address, int pe) {
  if (team == SHMEM_TEAM_INVALID) return nullptr;
  Library& here = library(call);
  const Team& found = here.teams().find(call, team);
  if (pe >= 0 && static_cast<std::uint32_t>(pe) < found.members.size())
    pe = static_cast<int>(found.members.pe_of(static_cast<std::uint32_t>(pe)).value());
  else pe = no_such_pe;
  return pointer_to(call, address, pe);
}

int create_context(Call call, shmem_team_t team, long options, shmem_ctx_t* ctx) {
  Library& here = library(call);
  *ctx = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID) return refused;
  const Team& found = here.teams().find(call, team);
  if ((options & ~(SHMEM_CTX_PRIVATE | SHMEM_CTX_SERIALIZED | SHMEM_CTX_NOSTORE)) != 0) {
    if (here.checking()) fail(call, "argument 'options': {:#x} has bits that are no option", options);
    return refused;
  }
  std::vector<PeId> pes;  // empty: the world
  if (team != SHMEM_TEAM_WORLD)
    for (std::uint32_t rank = 0; rank < found.members.size(); ++rank) pes.push_back(found.members.pe_of(rank));
  *ctx = here.contexts().create(team, std::move(pes), options);
  return 0;
}

void destroy_context(Call call, shmem_ctx_t ctx) {
  Library& here = library(call);
  if (ctx != SHMEM_CTX_INVALID) here.contexts().destroy(call, ctx);
}

int context_team(Call call, shmem_ctx_t ctx, shmem_team_t* team) {
  Library& here = library(call);
  *team = SHMEM_TEAM_INVALID;
  if (ctx == SHMEM_CTX_INVALID) return refused;
  *team = here.contexts_team(call, ctx);
  return 0;
}

void start_session(Call call, shmem_ctx_t ctx, long, const shmem_ctx_session_config_t*, long) {
  Library& here = library(call);
  if (ctx != SHMEM_CTX_INVALID && here.checking()) (void)here.contexts_team(call, ctx);
}

void stop_session(Call call, shmem_ctx_t ctx) { start_session(call, ctx, 0, nullptr, 0); }

}  // namespace atl::shmem
