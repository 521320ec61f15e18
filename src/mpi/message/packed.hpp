// SPDX-License-Identifier: Apache-2.0
// Room for packed copies of what programs send, and how much of it there may be.
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

/// Failure (MPI_ERR_NO_MEM) when all copies together would take more than the PE may use.
Packed pack_room(std::size_t bytes);
/// The same where others of the node read it in place, but for what is beyond a bound: the heap is the program's first.
Packed pack_room_in_heap(std::size_t bytes);

}  // namespace atl::mpi
