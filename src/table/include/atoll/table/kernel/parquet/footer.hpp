// SPDX-License-Identifier: Apache-2.0
// What the end of a Parquet file says of its row groups, looked through before anybody believes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace atl::table {

/// A column's part of a row group.
struct ParquetColumn {
  std::int32_t type = 0, codec = 0;  // Parquet's numbers
  bool decoded = false;              // whether its pages are plain or by dictionary, and in this file
  bool dictionary = false;           // whether it has a dictionary
  std::int64_t values = 0;           // missing ones, too
  std::int64_t offset = 0;           // of its first page
  std::int64_t packed = 0, unpacked = 0;  // bytes
  std::int64_t bloom_filter = 0;     // where its Bloom filter is, 0: nowhere
  std::int64_t offset_index = 0, offset_index_bytes = 0;  // where it is said where its pages are, 0 bytes: nowhere
  std::int64_t column_index = 0, column_index_bytes = 0;  // and what is in them
};

struct ParquetGroup {
  std::int64_t bytes = 0, rows = 0;
  std::vector<ParquetColumn> columns;  // in the order of the schema's leaves
};

/// The row groups of a footer. ValueError, with row group and column, where it says what no file of `size` bytes has:
/// sizes and counts below 0, more rows than any column has values, pages behind the file's end, physical types,
/// repetitions and codecs that are none, columns that are not as the schema has them.
std::vector<ParquetGroup> read_parquet_footer(std::span<const std::byte> footer, std::int64_t size);

/// The names of Parquet's physical types and codecs.
std::string parquet_type_name(std::int32_t type);
std::string parquet_codec_name(std::int32_t codec);

}  // namespace atl::table
