// SPDX-License-Identifier: Apache-2.0
// The parts that a string falls into.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "atoll/table/kernel/text/call.hpp"

namespace atl::table {

/// Appends a string's parts. Called by several threads at once.
using Splitter = std::function<void(std::string_view text, std::vector<std::string_view>& parts)>;

/// How `call` splits: by name of what is before the first dot of "space.…", "text.…", "regex.…" (a regular expression),
/// "match.…" (what it matches) or "group.…" (its groups, of every match); numbers[0]: how often at most (negative:
/// always), numbers[1]: from the right.
Splitter make_splitter(const TextCall& call);

}  // namespace atl::table
