// SPDX-License-Identifier: Apache-2.0
// The parent of a process that MPI_Comm_spawn started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

struct Guest {
  PeId root;             ///< the process that called MPI_Comm_spawn as root
  std::uint64_t bits;    ///< match bits of their messages
  int number;            ///< MPI_APPNUM
};

std::string note_for(const Guest& guest);
/// None when the launcher started this process, or it runs alone.
std::optional<Guest> guest_of_another();

}  // namespace atl::mpi
