// SPDX-License-Identifier: Apache-2.0
// Serialised layouts, for messages to other ranks of the job.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datatype/node.hpp"

namespace atl::mpi::datatype {

/// Appends the layout to `bytes`. A list takes 16 bytes an entry, a loop 41.
void write_layout(const Node& layout, std::vector<std::byte>& bytes);
/// Reads a layout of write_layout() from the front of `bytes` and removes it from there.
NodePtr read_layout(std::span<const std::byte>& bytes);

/// Number of packed bytes below `offset` of elements at every `extent` bytes. The runs of the layout must ascend
/// without overlap, as those of file views do.
Count bytes_below(const Node& layout, Count extent, Count offset);

}  // namespace atl::mpi::datatype
