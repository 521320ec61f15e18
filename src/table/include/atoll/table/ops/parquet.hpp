// SPDX-License-Identifier: Apache-2.0
// From a Parquet file's column chunk to a Landing's column.
#pragma once

#include <string>

#include "atoll/table/kernel/parquet/chunk.hpp"
#include "atoll/table/ops/landing.hpp"

namespace atl::table {

/// Where in a file a column chunk lies.
struct ChunkPlace {
  std::string file;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Reads and decodes a chunk and adds its rows; `row` is the first of them among this PE's. Not collective; any thread. ValueError
/// for what is broken, SetupError when the file cannot be read. Only where rows are known.
void land_parquet(Memory& memory, Landing& landing, std::size_t column, std::int64_t row, const ChunkPlace& place, const ParquetChunk& chunk);

}  // namespace atl::table
