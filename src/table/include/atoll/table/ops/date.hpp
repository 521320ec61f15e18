// SPDX-License-Identifier: Apache-2.0
// Operations on datetime columns, without communication.
#pragma once

#include "atoll/table/kernel/date/map.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// A value for each datetime (int64, 1-d): kernel/date/map.hpp.
Array date_map(Engine& engine, Array values, TextCall call);
/// Each moment as text, by a format of strftime.
Text date_to_text(Engine& engine, Array values, TextCall call);

}  // namespace atl::table
