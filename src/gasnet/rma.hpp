// SPDX-License-Identifier: Apache-2.0
// Put and get for ranks whose memory is not mapped, and for cases that the inline functions of the header leave out.
#pragma once

#include <cstddef>

#include "failure.hpp"
#include "gasnet.h"

namespace atl::gasnet {

int put(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, std::size_t bytes);
int put_implicit(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, std::size_t bytes,
                 gex_Event_t* local);
gex_Event_t put_event(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, std::size_t bytes,
                      gex_Event_t* local);
int get(Call call, gex_TM_t tm, void* to, gex_Rank_t rank, const void* from, std::size_t bytes);
int get_implicit(Call call, gex_TM_t tm, void* to, gex_Rank_t rank, const void* from, std::size_t bytes);
gex_Event_t get_event(Call call, gex_TM_t tm, void* to, gex_Rank_t rank, const void* from, std::size_t bytes);

gex_RMA_Value_t get_value(Call call, gex_TM_t tm, gex_Rank_t rank, const void* from, std::size_t bytes);
int put_value(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, std::size_t bytes);
int put_value_implicit(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, std::size_t bytes);
gex_Event_t put_value_event(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value,
                            std::size_t bytes);

}  // namespace atl::gasnet
