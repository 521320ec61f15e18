// SPDX-License-Identifier: Apache-2.0
// From the groups that every PE found to the groups of all rows.
#pragma once

#include "atoll/array/engine.hpp"
#include "atoll/table/kernel/aggregate.hpp"

namespace atl::table {

/// Joins what all PEs found: afterwards each PE has the groups of one range of keys, lower PEs lower keys. Ranges hold
/// about equally many groups. Collective; `mine` lies in the engine's memory.
Aggregated join_pes(array::Engine& engine, const Aggregated& mine, std::span<const StateSpec> specs);

}  // namespace atl::table
