// SPDX-License-Identifier: Apache-2.0
// Layouts as bytes, for other ranks of the same job.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datatype/node.hpp"

namespace atl::mpi::datatype {

/// Appends the layout to `bytes`. A list takes 16 bytes an entry, a loop 41.
void write_layout(const Node& layout, std::vector<std::byte>& bytes);
/// What write_layout() wrote, taken from the front of `bytes`.
NodePtr read_layout(std::span<const std::byte>& bytes);

/// Packed bytes of elements, one every `extent` bytes, that lie below `offset`: of a layout whose runs ascend without
/// overlap, as those of files do.
Count bytes_below(const Node& layout, Count extent, Count offset);

}  // namespace atl::mpi::datatype
