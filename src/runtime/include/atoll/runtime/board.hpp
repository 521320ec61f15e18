// SPDX-License-Identifier: Apache-2.0
// Numbers that a PE publishes to all PEs of its host, before they share any other memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

class OneSided;
class Progress;

// | offset | bytes | field | valid when                                                         |
// |--------|-------|-------|--------------------------------------------------------------------|
// |   0    |   8   | key   | always: 0 when the place is free; stored with release by the owner |
// |   8    |   8   | value | key is not 0                                                       |
struct BoardEntry {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint64_t> value;
};
static_assert(sizeof(BoardEntry) == 16);

/// Thread-safe.
class Board {
 public:
  static constexpr std::size_t board_entries = 64;
  static constexpr std::size_t board_bytes = board_entries * sizeof(BoardEntry);

  /// `at`: offset of board_bytes zeroed bytes in the segment of every PE.
  Board(OneSided& one_sided, Progress& progress, HeapOffset at)
      : one_sided_(one_sided), progress_(progress), board_(at) {}
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Shows `value` under `key` (not 0), which this PE does not show now. Waits for one of board_entries places; call
  /// notify() for PEs that wait to see it.
  void show(std::uint64_t key, std::uint64_t value);
  /// Removes the value, when no PE needs it any more.
  void take_down(std::uint64_t key);
  std::optional<std::uint64_t> shown(PeId pe, std::uint64_t key);

 private:
  OneSided& one_sided_;
  Progress& progress_;
  HeapOffset board_;
  std::mutex board_mutex_;
};

}  // namespace atl::runtime
