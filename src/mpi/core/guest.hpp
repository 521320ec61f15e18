// SPDX-License-Identifier: Apache-2.0
// What a process that was started by MPI_Comm_spawn knows of the process that started it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

struct Guest {
  PeId root;             ///< the process that has started it
  std::uint64_t bits;    ///< of what they say to one another
  int number;            ///< of its program: MPI_APPNUM
};

std::string note_for(const Guest& guest);
/// Nothing: it is the launcher's, or alone.
std::optional<Guest> guest_of_another();

}  // namespace atl::mpi
