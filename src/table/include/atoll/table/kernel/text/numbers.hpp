// SPDX-License-Identifier: Apache-2.0
// Numbers as texts.
#pragma once

#include "atoll/array/dtype.hpp"
#include "atoll/table/kernel/text/builder.hpp"

namespace atl::table {

/// Each value as Python writes it: floats with the fewest digits that read back to the same bits.
void write_numbers(array::DType type, const void* values, std::size_t count, TextBuilder& out);

}  // namespace atl::table
