// SPDX-License-Identifier: Apache-2.0
// Transfers of vectors, indexed blocks and strided arrays: piece by piece, each as far as both sides are contiguous.
#pragma once

#include <cstddef>

#include "failure.hpp"
#include "gasnet.h"

namespace atl::gasnet {

/// A started transfer: whether a part of it is in progress over the network.
struct Started {
  bool is_far = false;
};
/// Return values of the forms of a call.
gex_Event_t event(Started started);
int implicit(Started started);
int blocking(Started started);

Started put_vector(Call call, gex_TM_t tm, gex_Rank_t rank, std::size_t to_count, const gex_Memvec_t* to,
                   std::size_t from_count, const gex_Memvec_t* from);
Started get_vector(Call call, gex_TM_t tm, std::size_t to_count, const gex_Memvec_t* to, gex_Rank_t rank,
                   std::size_t from_count, const gex_Memvec_t* from);
Started put_indexed(Call call, gex_TM_t tm, gex_Rank_t rank, std::size_t to_count, void* const* to,
                    std::size_t to_bytes, std::size_t from_count, void* const* from, std::size_t from_bytes);
Started get_indexed(Call call, gex_TM_t tm, std::size_t to_count, void* const* to, std::size_t to_bytes,
                    gex_Rank_t rank, std::size_t from_count, void* const* from, std::size_t from_bytes);
Started put_strided(Call call, gex_TM_t tm, gex_Rank_t rank, void* to, const std::ptrdiff_t* to_strides, void* from,
                    const std::ptrdiff_t* from_strides, std::size_t element, const std::size_t* count,
                    std::size_t levels);
Started get_strided(Call call, gex_TM_t tm, void* to, const std::ptrdiff_t* to_strides, gex_Rank_t rank, void* from,
                    const std::ptrdiff_t* from_strides, std::size_t element, const std::size_t* count,
                    std::size_t levels);
void set_completion(Call call, gex_AM_Index_t handler, const void* data, std::size_t bytes);

}  // namespace atl::gasnet
