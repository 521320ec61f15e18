// SPDX-License-Identifier: Apache-2.0
// Numbers as strings.
#pragma once

#include "atoll/array/dtype.hpp"
#include "atoll/table/kernel/text/builder.hpp"

namespace atl::table {

/// As Python's repr writes it: the shortest digits that come back. Returns how many characters; 32 may be written.
std::size_t write_float(char* to, double value);
std::size_t write_float(char* to, float value);

/// Each value as Python writes it: floats with the fewest digits that read back to the same bits.
void write_numbers(array::DType type, const void* values, std::size_t count, TextBuilder& out);

}  // namespace atl::table
