// SPDX-License-Identifier: Apache-2.0
// Memory for packed copies of send buffers, and its limits.
#pragma once

#include <cstddef>
#include <memory>

namespace atl::mpi {

struct GiveBack {
  std::size_t bytes = 0;
  bool is_in_heap = false;
  void operator()(std::byte* room) const;
};
using Packed = std::unique_ptr<std::byte[], GiveBack>;

/// Allocates memory. Throws Failure (MPI_ERR_NO_MEM) when all copies together would exceed the PE's memory limit.
Packed pack_room(std::size_t bytes);
/// The same from the symmetric heap, which other ranks of the node read directly, up to a limit that reserves the heap
/// for the program; beyond it ordinary memory.
Packed pack_room_in_heap(std::size_t bytes);

}  // namespace atl::mpi
