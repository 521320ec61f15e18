// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/board.hpp"

#include <array>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::runtime {
void Board::show(std::uint64_t key, std::uint64_t value) {
  ATOLL_EXPECT(key != 0);
  auto* entries = one_sided_.local_pointer<BoardEntry>(board_);
  progress_.wait([&] {
    std::lock_guard lock(board_mutex_);
    for (std::size_t i = 0; i < board_entries; ++i) {
      if (entries[i].key.load(std::memory_order_relaxed) != 0) continue;
      // Release, both: a PE that copies the board from another node acquires by the value alone. Partner: shown().
      entries[i].value.store(value, std::memory_order_release);
      entries[i].key.store(key, std::memory_order_release);
      return true;
    }
    return false;
  });
}

void Board::take_down(std::uint64_t key) {
  auto* entries = one_sided_.local_pointer<BoardEntry>(board_);
  {
    std::lock_guard lock(board_mutex_);
    for (std::size_t i = 0; i < board_entries; ++i)
      if (entries[i].key.load(std::memory_order_relaxed) == key) {
        entries[i].key.store(0, std::memory_order_relaxed);
        break;
      }
  }
  one_sided_.notify(one_sided_.pe());  // a thread of ours may wait for a place
}

std::optional<std::uint64_t> Board::shown(PeId pe, std::uint64_t key) {
  // What lies on another node is looked through here: one message there and back, not one for each entry.
  std::array<std::byte, board_bytes> copy;
  if (!one_sided_.endpoint().maps(pe)) one_sided_.get(copy.data(), pe, board_, board_bytes);
  for (std::size_t i = 0; i < board_entries; ++i) {
    HeapOffset at(board_.value() + i * sizeof(BoardEntry));
    std::uint64_t found = 0;
    // fetch acquires; partner: show().
    if (one_sided_.endpoint().maps(pe)) found = one_sided_.fetch<std::uint64_t>(pe, at);
    else std::memcpy(&found, copy.data() + i * sizeof(BoardEntry), sizeof(found));
    // The value is in place before the key, but a copy of both may have caught only the key. Acquires, as fetch does.
    if (found == key)
      return one_sided_.get_value<std::uint64_t>(pe, HeapOffset(at.value() + offsetof(BoardEntry, value)));
  }
  return std::nullopt;
}

}  // namespace atl::runtime
