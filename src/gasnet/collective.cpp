// SPDX-License-Identifier: Apache-2.0
#include "collective.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "event.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

constexpr gex_Flags_t asks_for_size = GEX_FLAG_TM_SCRATCH_SIZE_MIN | GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED;

// The library has its own memory, but clients may pass scratch memory.
constexpr std::size_t scratch_bytes = GASNETT_PAGESIZE;

Team* make_team(Call call, Team& parent, std::optional<int> colour, int key, gex_Flags_t flags) {
  Library& here = library(call);
  std::optional<coll::Communicator> group;
  {
    std::lock_guard lock(parent.group_mutex);
    group = coll::Communicator::split(*parent.group, colour, key);
  }
  if (!group) return nullptr;
  auto team = std::make_unique<Team>();
  std::vector<PeId> pes;
  for (int member = 0; member < group->size(); ++member) pes.push_back(group->pe(member));
  const auto rank = static_cast<gex_Rank_t>(group->rank());
  auto owned = std::make_unique<coll::Communicator>(*std::move(group));
  owned->set_timeout_seconds(0);
  here.fill(*team, std::move(pes), rank, std::move(owned));
  team->flags = flags;
  Team* made = team.get();
  here.add(std::move(team));
  return made;
}

void note_scratch(Team* team, void* address, std::size_t bytes, gex_Flags_t flags) {
  if (team == nullptr || (flags & GEX_FLAG_TM_NO_SCRATCH) != 0) return;
  team->scratch = address;
  team->scratch_bytes = bytes;
}

// A user-defined reduction function with its arguments.
struct User {
  gex_Coll_ReduceFn_t function;
  void* data;
  std::size_t element;

  // into[i] = left[i] ∘ right[i]; GASNet's function stores its result in the right operand.
  static void combine(void* into, const void* left, const void* right, std::size_t count, void* state) {
    const User& user = *static_cast<const User*>(state);
    const std::size_t bytes = count * user.element;
    if (into == left) {
      std::vector<std::byte> copy(bytes);
      std::memcpy(copy.data(), right, bytes);
      user.function(left, copy.data(), count, user.data);
      std::memcpy(into, copy.data(), bytes);
      return;
    }
    if (into != right) std::memcpy(into, right, bytes);
    user.function(left, into, count, user.data);
  }
};

struct Event final : gasnet_atoll_event {
  coll::Request request;
  User user{};
  bool is_over() override { return request.test(); }
};

std::optional<coll::Type> type_of(gex_DT_t type) {
  switch (type) {
    case GEX_DT_I32: return coll::Type::i32;
    case GEX_DT_U32: return coll::Type::u32;
    case GEX_DT_I64: return coll::Type::i64;
    case GEX_DT_U64: return coll::Type::u64;
    case GEX_DT_FLT: return coll::Type::f32;
    case GEX_DT_DBL: return coll::Type::f64;
    default: return std::nullopt;
  }
}

std::optional<coll::Op> operation_of(gex_OP_t operation) {
  switch (operation) {
    case GEX_OP_ADD: return coll::Op::sum;
    case GEX_OP_MULT: return coll::Op::prod;
    case GEX_OP_MIN: return coll::Op::min;
    case GEX_OP_MAX: return coll::Op::max;
    case GEX_OP_AND: return coll::Op::bit_and;
    case GEX_OP_OR: return coll::Op::bit_or;
    case GEX_OP_XOR: return coll::Op::bit_xor;
    default: return std::nullopt;
  }
}

coll::Reduction reduction_of(Call call, Event& event, gex_DT_t type, std::size_t element, gex_OP_t operation,
                             gex_Coll_ReduceFn_t function, void* data) {
  if (operation == GEX_OP_USER || operation == GEX_OP_USER_NC) {
    event.user = {function, data, element};
    return coll::Reduction(coll::Functor{element, User::combine, &event.user});
  }
  const auto known = type_of(type);
  const auto how = operation_of(operation);
  if (!known || !how)
    fail(call, "type {:#x} with operation {:#x} is no reduction. Use GEX_OP_USER with a function of your own?", type,
         operation);
  if (element != coll::size_of(*known))
    fail(call, "argument 'dt_sz': {} bytes are not the size of the type, which has {}. Pass that?", element,
         coll::size_of(*known));
  return coll::Reduction(*known, *how);
}

}  // namespace

Team& collective_team(Call call, gex_TM_t tm) {
  Team& team = library(call).team(call, tm);
  if (team.group == nullptr) fail(call, "argument 'tm' is a pair (not a team). Pass a team?");
  return team;
}

std::size_t split(Call call, gex_TM_t* made, gex_TM_t parent, int colour, int key, void* scratch, std::size_t bytes,
                  gex_Flags_t flags) {
  Team& of = collective_team(call, parent);
  if ((flags & asks_for_size) != 0) return made == nullptr ? 0 : scratch_bytes;
  const auto wanted = made == nullptr ? std::nullopt : std::optional(colour);
  Team* team = make_team(call, of, wanted, key, flags);
  note_scratch(team, scratch, bytes, flags);
  if (made != nullptr) *made = team;
  return 0;
}

std::size_t create(Call call, gex_TM_t* made, std::size_t count, gex_TM_t parent, const gex_EP_Location_t* members,
                   std::size_t size, const gex_Addr_t* scratch, std::size_t bytes, gex_Flags_t flags) {
  Library& here = library(call);
  Team& of = collective_team(call, parent);
  if ((flags & asks_for_size) != 0) return size == 0 ? 0 : scratch_bytes;
  // Teams are disjoint, so the lowest rank of each identifies it.
  std::optional<std::size_t> place;
  gex_Rank_t lowest = GEX_RANK_INVALID;
  for (std::size_t i = 0; i < size; ++i) {
    const gex_Rank_t rank = members[i].gex_rank;
    const gex_Rank_t jobrank = (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0 ? rank : here.pe_of(call, parent, rank).value();
    if (members[i].gex_ep_index != 0)
      fail(call, "argument 'args': there is no endpoint {} (a process has one, of index 0). Pass 0?",
           members[i].gex_ep_index);
    if (jobrank == here.rank()) place = i;
    lowest = std::min(lowest, jobrank);
  }
  if (size != 0 && count != (place ? 1U : 0U))
    fail(call, "argument 'num_new_tms': {} for a list that has this rank {} times. Pass that number?", count,
         place ? 1 : 0);
  const auto colour = place ? std::optional(static_cast<int>(lowest)) : std::nullopt;
  Team* team = make_team(call, of, colour, static_cast<int>(place.value_or(0)), flags);
  if (team == nullptr) return 0;
  const gex_Flags_t global = flags & GEX_FLAG_TM_GLOBAL_SCRATCH;
  if ((flags & GEX_FLAG_TM_NO_SCRATCH) == 0 && scratch != nullptr)
    note_scratch(team, scratch[global != 0 ? *place : 0], bytes, flags);
  *made = team;
  return 0;
}

int destroy(Call call, gex_TM_t tm, gex_Memvec_t* scratch) {
  Library& here = library(call);
  Team& team = collective_team(call, tm);
  if (&team == &here.world()) fail(call, "argument 'tm' is the team of all ranks, which lasts as long as the job");
  const bool gives = scratch != nullptr && team.scratch != nullptr;
  if (gives) *scratch = {team.scratch, team.scratch_bytes};
  here.remove(team);
  return gives ? 1 : 0;
}

gex_Event_t broadcast(Call call, gex_TM_t tm, gex_Rank_t root, void* to, const void* from, std::size_t bytes) {
  Team& team = collective_team(call, tm);
  (void)library(call).pe_of(call, tm, root);
  if (root == team.rank && to != from && bytes != 0) std::memcpy(to, from, bytes);
  auto event = std::make_unique<Event>();
  std::lock_guard lock(team.group_mutex);
  event->request = team.group->ibroadcast(to, bytes, static_cast<int>(root));
  return event.release();
}

gex_Event_t reduce(Call call, gex_TM_t tm, gex_Rank_t root, void* to, const void* from, gex_DT_t type,
                   std::size_t element, std::size_t count, gex_OP_t operation, gex_Coll_ReduceFn_t function,
                   void* data) {
  Team& team = collective_team(call, tm);
  (void)library(call).pe_of(call, tm, root);
  auto event = std::make_unique<Event>();
  const coll::Reduction how = reduction_of(call, *event, type, element, operation, function, data);
  std::lock_guard lock(team.group_mutex);
  event->request = team.group->ireduce(from, to, count, how, static_cast<int>(root));
  return event.release();
}

gex_Event_t reduce_to_all(Call call, gex_TM_t tm, void* to, const void* from, gex_DT_t type, std::size_t element,
                          std::size_t count, gex_OP_t operation, gex_Coll_ReduceFn_t function, void* data) {
  Team& team = collective_team(call, tm);
  auto event = std::make_unique<Event>();
  const coll::Reduction how = reduction_of(call, *event, type, element, operation, function, data);
  std::lock_guard lock(team.group_mutex);
  event->request = team.group->iallreduce(from, to, count, how);
  return event.release();
}

}  // namespace atl::gasnet
