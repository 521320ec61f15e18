// SPDX-License-Identifier: Apache-2.0
// GASNet-1's prototype collectives. Calls with flags of the kind ALLSYNC meet in barriers, and are complete on return.
#pragma once

#include <cstddef>

#include "failure.hpp"
#include "gasnet.h"

namespace atl::gasnet {

gex_Event_t legacy_broadcast(Call call, gasnet_team_handle_t team, void* to, gasnet_image_t root, const void* from,
                             std::size_t bytes, int flags);
gex_Event_t legacy_scatter(Call call, gasnet_team_handle_t team, void* to, gasnet_image_t root, const void* from,
                           std::size_t bytes, int flags);
gex_Event_t legacy_gather(Call call, gasnet_team_handle_t team, gasnet_image_t root, void* to, const void* from,
                          std::size_t bytes, int flags);
gex_Event_t legacy_gather_all(Call call, gasnet_team_handle_t team, void* to, const void* from, std::size_t bytes,
                              int flags);
gex_Event_t legacy_exchange(Call call, gasnet_team_handle_t team, void* to, const void* from, std::size_t bytes,
                            int flags);

}  // namespace atl::gasnet
