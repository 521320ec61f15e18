// SPDX-License-Identifier: Apache-2.0
// Human-readable descriptions of masks and transfers, in the caller's buffers.
#pragma once

#include <cstddef>

#include "gasnet.h"

namespace atl::gasnet {

/// Each writes the names of the bits, joined by `|`, and returns the needed bytes including the final 0. With null it
/// only returns the number.
std::size_t format_types(char* into, gex_DT_t types);
std::size_t format_operations(char* into, gex_OP_t operations);
std::size_t format_token_info(char* into, gex_TI_t info);

/// Greatest size of the description of `count` pieces or levels.
std::size_t room_of_list(std::size_t count);
void format_vector(char* into, std::size_t count, const gex_Memvec_t* list);
void format_blocks(char* into, std::size_t count, void* const* list, std::size_t bytes);
/// Returns the bytes of the transfer.
std::size_t format_strided(char* into, gex_Rank_t rank, const void* to, const std::ptrdiff_t* to_strides,
                           const void* from, const std::ptrdiff_t* from_strides, std::size_t element,
                           const std::size_t* count, std::size_t levels);

}  // namespace atl::gasnet
