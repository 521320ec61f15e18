// SPDX-License-Identifier: Apache-2.0
// The families of operations on texts: a file each.
#pragma once

#include <span>

#include "atoll/table/kernel/text/call.hpp"

namespace atl::table {

std::span<const MeasureEntry> comparing_measures();

}  // namespace atl::table
