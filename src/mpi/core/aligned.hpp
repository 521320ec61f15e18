// SPDX-License-Identifier: Apache-2.0
// Memory of the symmetric heap that begins at a multiple of what the hint mpi_minimum_memory_alignment asks for.
#pragma once

#include <cstddef>

#include "core/info.hpp"

namespace atl::mpi {

struct AlignedBlock {
  void* block = nullptr;  ///< what the heap gave, and takes back
  void* start = nullptr;  ///< in it, aligned
};

/// What the hint says, 1 without it. Failure (MPI_ERR_INFO_VALUE) when that is no power of two.
std::size_t alignment_of(const Info::Entries& hints);
/// At least one byte. Throws MemoryError.
AlignedBlock allocate_aligned(std::size_t bytes, std::size_t alignment);

}  // namespace atl::mpi
