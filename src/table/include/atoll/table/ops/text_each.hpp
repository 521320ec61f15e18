// SPDX-License-Identifier: Apache-2.0
// Operations on each text by itself: every PE has what it needs.
#pragma once

#include "atoll/table/kernel/text/call.hpp"
#include "atoll/table/kernel/text/compare.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// The texts' values, an array of the operation's type.
Array text_measure(Engine& engine, Text text, TextCall call);
/// The texts that the operation makes of them.
Text text_map(Engine& engine, Text text, TextCall call);
/// Two columns of one length, row by row.
Array text_compare(Engine& engine, Text a, Text b, Comparison comparison);

}  // namespace atl::table
