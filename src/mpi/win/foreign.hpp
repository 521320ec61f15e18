// SPDX-License-Identifier: Apache-2.0
// Memory of another process of this host that is not mapped here: the kernel reads and writes it (process_vm_readv)
// while its owner computes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "datatype/pack.hpp"

namespace atl::mpi::win {

/// Copy between `packed` and the region whose base is `address` in process `pid`. False when the kernel refuses.
bool read_foreign(pid_t pid, std::uint64_t address, const datatype::Region& region, void* packed);
bool write_foreign(pid_t pid, std::uint64_t address, const datatype::Region& region, const void* packed);

}  // namespace atl::mpi::win
