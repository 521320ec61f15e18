// SPDX-License-Identifier: Apache-2.0
// Symmetric-heap memory with the alignment of the hint mpi_minimum_memory_alignment.
#pragma once

#include <cstddef>

#include "core/info.hpp"

namespace atl::mpi {

struct AlignedBlock {
  void* block = nullptr;  ///< the heap's block, to be returned to it
  void* start = nullptr;  ///< the aligned address in it
};

/// The value of the hint, 1 without it. Throws Failure (MPI_ERR_INFO_VALUE) when it is not a power of two.
std::size_t alignment_of(const Info::Entries& hints);
/// Allocates at least one byte. Throws MemoryError.
AlignedBlock allocate_aligned(std::size_t bytes, std::size_t alignment);

}  // namespace atl::mpi
