// SPDX-License-Identifier: Apache-2.0
// Values that lie in a file as they do in memory, to a Landing's column.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "atoll/table/ops/landing.hpp"

namespace atl::table {

/// Where values lie, and where they belong.
struct ValuesPart {
  std::size_t column = 0;
  std::int64_t row = 0;  // the first one among this PE's
  std::int64_t rows = 0;
  std::string file;
  std::int64_t offset = 0;  // of the first one, in bytes
  std::string name;         // of the column that is read, for errors
};

/// Reads values on all threads, straight to where they belong where that is mapped. Not collective. ValueError that
/// names the part where the file has fewer, SetupError when it cannot be read. Only where rows are known.
void land_values(array::Engine& engine, Landing& landing, std::span<const ValuesPart> parts);

}  // namespace atl::table
