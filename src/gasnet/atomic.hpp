// SPDX-License-Identifier: Apache-2.0
// Atomics on memory of other ranks: by the processor where it is mapped, else by the network. Complete on return.
#pragma once

#include <cstdint>

#include "failure.hpp"
#include "gasnet.h"

struct gasnet_atoll_domain {
  gex_TM_t team;
  gex_DT_t type;
  gex_OP_t operations;
  gex_Flags_t flags;
  void* data;
};

namespace atl::gasnet {

void create_domain(Call call, gex_AD_t* domain, gex_TM_t tm, gex_DT_t type, gex_OP_t operations, gex_Flags_t flags);
inline void destroy_domain(gex_AD_t domain) { delete domain; }
inline gex_Flags_t flags_of(gex_AD_t domain) { return domain->flags; }
inline gex_TM_t team_of(gex_AD_t domain) { return domain->team; }
inline gex_DT_t type_of(gex_AD_t domain) { return domain->type; }
inline gex_OP_t operations_of(gex_AD_t domain) { return domain->operations; }

template <class T>
void update(Call call, gex_AD_t domain, T* result, gex_Rank_t rank, void* address, gex_OP_t operation, T first,
            T second, gex_Flags_t flags);
/// Calls update(), then `done`.
template <class T, class Done>
Done operate(Call call, gex_AD_t domain, T* result, gex_Rank_t rank, void* address, gex_OP_t operation, T first,
             T second, gex_Flags_t flags, Done done) {
  update(call, domain, result, rank, address, operation, first, second, flags);
  return done;
}

}  // namespace atl::gasnet
