// SPDX-License-Identifier: Apache-2.0
// The board in a PE's system area, where it shows figures to its peers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace atl::runtime {

// | offset | bytes | field | valid when                                                         |
// |--------|-------|-------|--------------------------------------------------------------------|
// |   0    |   8   | key   | always: 0 when the place is free; stored with release by the owner |
// |   8    |   8   | value | key is not 0                                                       |
struct BoardEntry {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint64_t> value;
};
static_assert(sizeof(BoardEntry) == 16);

}  // namespace atl::runtime
