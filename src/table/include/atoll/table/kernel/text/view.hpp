// SPDX-License-Identifier: Apache-2.0
// Strings of one PE as kernels see them: Arrow's large_utf8, int64 offsets into bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atl::table {

/// `count` strings; text i is bytes [offsets[i], offsets[i + 1]). The first offset need not be 0. At least 64 bytes
/// behind the last string may be read.
struct TextView {
  const std::int64_t* offsets = nullptr;
  const char* bytes = nullptr;
  std::size_t count = 0;

  std::string_view operator[](std::size_t i) const {
    return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  std::int64_t size_bytes() const { return offsets[count] - offsets[0]; }
  /// Texts [begin, end).
  TextView slice(std::size_t begin, std::size_t end) const { return {offsets + begin, bytes, end - begin}; }
};

/// Rows that are worth a thread, and that a thread takes at a time.
inline constexpr std::size_t text_piece = 4096;

}  // namespace atl::table
