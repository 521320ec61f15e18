// SPDX-License-Identifier: Apache-2.0
// The head of a page of a Parquet file, and the two ways in which small numbers are packed in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl::table {

/// What precedes a page (Thrift's compact protocol).
struct PageHeader {
  enum class Type : std::int32_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };

  Type type{};
  std::int32_t unpacked_size = -1, packed_size = -1;
  std::int32_t values = -1, encoding = -1;
  std::int32_t definition_bytes = 0, repetition_bytes = 0;  // of version 2
  bool compressed = true;
};

/// The header at `at`, which moves behind it. ValueError when there is none.
PageHeader read_page_header(std::span<const std::byte> bytes, std::size_t& at);

/// Runs of one number, and groups of eight that are packed bit by bit.
class PackedNumbers {
 public:
  /// `width`: bits of each, at most 32. `slack`: whether eight bytes behind `bytes` may be read.
  PackedNumbers(std::span<const std::byte> bytes, unsigned width);
  /// The next `count` numbers. ValueError when there are fewer.
  void read(std::uint32_t* to, std::size_t count);
  /// Passes over them. The same.
  void skip(std::size_t count);
  /// Whether the next `count` numbers are one run of `number`, which is then behind us.
  bool skip_run(std::uint32_t number, std::size_t count);

 private:
  void next_run();

  std::span<const std::byte> bytes_;
  unsigned width_;
  std::size_t at_ = 0;
  std::size_t left_ = 0;    // of the run
  bool packed_ = false;
  std::uint32_t number_ = 0;
  std::size_t bit_ = 0;     // of a packed run: where the next number is, from at_
};

}  // namespace atl::table
