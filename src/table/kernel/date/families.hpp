// SPDX-License-Identifier: Apache-2.0
// The families of maps of datetimes: a file each.
#pragma once

#include <span>

#include "atoll/table/kernel/date/map.hpp"

namespace atl::table {

std::span<const DateMapEntry> part_maps();
std::span<const DateMapEntry> step_maps();
std::span<const DateMapEntry> zone_maps();
std::span<const DateMapEntry> business_maps();

}  // namespace atl::table
