// SPDX-License-Identifier: Apache-2.0
// Strings of all PEs in buckets, of which each PE sorts some.
#pragma once

#include <optional>

#include "atoll/table/kernel/text/buckets.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// This PE's share: as many strings as the others have, but for one bucket. It reads the strings of others where it
/// lies, so a barrier must come before it goes. Nothing, on all PEs, where some are of other nodes, or as TextBuckets
/// says. Collective.
std::optional<TextBuckets> deal_texts(Engine& engine, const Text& text, std::size_t depth);

}  // namespace atl::table
