// SPDX-License-Identifier: Apache-2.0
#include "legacy_collective.hpp"

#include <cstring>
#include <utility>

#include "collective.hpp"
#include "event.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

struct Event final : gasnet_atoll_event {
  coll::Request request;
  explicit Event(coll::Request started) : request(std::move(started)) {}
  bool is_over() override { return request.test(); }
};

gex_TM_t handle_of(gasnet_team_handle_t team) { return team == GASNET_TEAM_ALL ? gasnet_atoll_world : team; }

void meet(Library& here, Team& team) {
  const std::uint64_t number = team.barrier->start({});
  here.wait([&] { return team.barrier->is_over(number); });
}

// Starts a collective: `begin(group)` returns its request.
template <class Begin>
gex_Event_t start(Call call, gasnet_team_handle_t handle, int flags, Begin&& begin) {
  Library& here = library(call);
  Team& team = collective_team(call, handle_of(handle));
  // A barrier that started in the middle of an operation would not match those of operations started in between.
  if ((flags & GASNET_COLL_IN_ALLSYNC) != 0) meet(here, team);
  coll::Request request;
  {
    std::lock_guard lock(team.group_mutex);
    request = begin(*team.group);
  }
  if ((flags & GASNET_COLL_OUT_ALLSYNC) == 0) return new Event(std::move(request));
  here.wait([&] { return request.test(); });
  meet(here, team);
  return GEX_EVENT_INVALID;
}

int root_of(Call call, gasnet_team_handle_t team, gasnet_image_t root) {
  (void)library(call).pe_of(call, handle_of(team), root);
  return static_cast<int>(root);
}

}  // namespace

gex_Event_t legacy_broadcast(Call call, gasnet_team_handle_t team, void* to, gasnet_image_t root, const void* from,
                             std::size_t bytes, int flags) {
  const int of = root_of(call, team, root);
  return start(call, team, flags, [&](coll::Communicator& group) {
    if (group.rank() == of && to != from && bytes != 0) std::memcpy(to, from, bytes);
    return group.ibroadcast(to, bytes, of);
  });
}

gex_Event_t legacy_scatter(Call call, gasnet_team_handle_t team, void* to, gasnet_image_t root, const void* from,
                           std::size_t bytes, int flags) {
  const int of = root_of(call, team, root);
  return start(call, team, flags, [&](coll::Communicator& group) { return group.iscatter(from, to, bytes, of); });
}

gex_Event_t legacy_gather(Call call, gasnet_team_handle_t team, gasnet_image_t root, void* to, const void* from,
                          std::size_t bytes, int flags) {
  const int of = root_of(call, team, root);
  return start(call, team, flags, [&](coll::Communicator& group) { return group.igather(from, bytes, to, of); });
}

gex_Event_t legacy_gather_all(Call call, gasnet_team_handle_t team, void* to, const void* from, std::size_t bytes,
                              int flags) {
  return start(call, team, flags, [&](coll::Communicator& group) { return group.iallgather(from, bytes, to); });
}

gex_Event_t legacy_exchange(Call call, gasnet_team_handle_t team, void* to, const void* from, std::size_t bytes,
                            int flags) {
  return start(call, team, flags, [&](coll::Communicator& group) { return group.ialltoall(from, bytes, to); });
}

}  // namespace atl::gasnet
