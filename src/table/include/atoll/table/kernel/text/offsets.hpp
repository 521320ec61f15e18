// SPDX-License-Identifier: Apache-2.0
// Offsets that come from others.
#pragma once

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Throws ValueError unless offsets never fall and lie within `size` bytes.
void check_offsets(const array::Work& work, const TextView& texts, std::int64_t size);

}  // namespace atl::table
