// SPDX-License-Identifier: Apache-2.0
// Process sets: names by which processes are found that belong together.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

inline constexpr std::array<std::string_view, 2> process_sets{"mpi://WORLD", "mpi://SELF"};

/// The set of that name to which this process belongs; empty: there is no set of that name.
std::vector<PeId> members_of_set(std::string_view name);

}  // namespace atl::mpi
