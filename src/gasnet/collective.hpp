// SPDX-License-Identifier: Apache-2.0
// Teams split from teams, and collectives, which coll::Communicator implements.
#pragma once

#include <cstddef>

#include "failure.hpp"
#include "gasnet.h"

namespace atl::gasnet {

struct Team;

/// The team of a handle. Ends the job when it is invalid, or a pair.
Team& collective_team(Call call, gex_TM_t tm);

std::size_t split(Call call, gex_TM_t* made, gex_TM_t parent, int colour, int key, void* scratch, std::size_t bytes,
                  gex_Flags_t flags);
std::size_t create(Call call, gex_TM_t* made, std::size_t count, gex_TM_t parent, const gex_EP_Location_t* members,
                   std::size_t size, const gex_Addr_t* scratch, std::size_t bytes, gex_Flags_t flags);
int destroy(Call call, gex_TM_t tm, gex_Memvec_t* scratch);

gex_Event_t broadcast(Call call, gex_TM_t tm, gex_Rank_t root, void* to, const void* from, std::size_t bytes);
gex_Event_t reduce(Call call, gex_TM_t tm, gex_Rank_t root, void* to, const void* from, gex_DT_t type,
                   std::size_t element, std::size_t count, gex_OP_t operation, gex_Coll_ReduceFn_t function,
                   void* data);
gex_Event_t reduce_to_all(Call call, gex_TM_t tm, void* to, const void* from, gex_DT_t type, std::size_t element,
                          std::size_t count, gex_OP_t operation, gex_Coll_ReduceFn_t function, void* data);

}  // namespace atl::gasnet
