// SPDX-License-Identifier: Apache-2.0
// Process sets: named groups of processes.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

inline constexpr std::array<std::string_view, 2> process_sets{"mpi://WORLD", "mpi://SELF"};

/// Members of the set of this name that contains this process; empty when no set has this name.
std::vector<PeId> members_of_set(std::string_view name);

}  // namespace atl::mpi
