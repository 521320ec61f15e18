// SPDX-License-Identifier: Apache-2.0
// The loops behind update_states(), one set per SIMD level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/table/kernel/state.hpp"

namespace atl::table {

/// Adds the block's values to ExactSums; what does not fit their window is appended to `rests`.
using AddSums = void (*)(const StateSpec& spec, ExactSum* states, const std::uint32_t* codes, const double* values,
                         std::size_t n, std::vector<CodeRest>& rests);
AddSums find_add_sums();

}  // namespace atl::table
