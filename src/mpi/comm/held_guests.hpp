// SPDX-License-Identifier: Apache-2.0
// Processes that MPI_Comm_spawn has started and that are members of groups here: their memory is not given to others.
#pragma once

#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

/// Those of a group that is made, and that ends. From any thread, and from hooks.
void hold_guests(const std::vector<PeId>& members);
void let_guests_go(const std::vector<PeId>& members);

}  // namespace atl::mpi
