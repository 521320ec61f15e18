// SPDX-License-Identifier: Apache-2.0
// From a Parquet file's column chunk to a Landing's column.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atoll/table/kernel/parquet/chunk.hpp"
#include "atoll/table/ops/landing.hpp"

namespace atl::table {

/// Where in a file a column chunk lies.
struct ChunkPlace {
  std::string file;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// A column chunk, the wanted rows, and their destination.
struct ParquetPart {
  std::size_t column = 0;
  std::int64_t row = 0;  // the first of its wanted rows among this PE's
  ChunkPlace place;
  ParquetChunk chunk;
  WantedRows wanted;
  double divisor = 0;  // of decimals that become floats
  std::optional<std::vector<std::int64_t>> codes;  // of its words: its strings become these
  std::string name;    // of the column that is read, for errors
};

/// Reads and decodes chunks on all threads and adds their rows. Not collective. ValueError that names the part for what
/// is broken, SetupError when a file cannot be read. Only where rows are known.
void land_parquet(array::Engine& engine, Landing& landing, std::span<const ParquetPart> parts);

/// For each chunk of strings its words, if each row has one of them; see `read_words`. On all threads; errors as above.
std::vector<std::optional<std::vector<std::string>>> parquet_words(array::Engine& engine,
                                                                   std::span<const ParquetPart> parts);

}  // namespace atl::table
