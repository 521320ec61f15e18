// SPDX-License-Identifier: Apache-2.0
// Chunks in a member's segment, in which data that lie in its private memory wait for their readers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mailbox.hpp"

namespace atl::coll::detail {

/// Blocks of the heap for data that lies in private memory. Few, whatever the number of members: a caller that finds
/// none waits.
class StagingPool {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;
  static constexpr std::size_t most_chunks = 8;

  StagingPool(runtime::Heap& heap, const Mailboxes& mail) : heap_(heap), mail_(mail) {}
  /// When no peer reads them any more.
  void release();
  /// For callers that cannot do without: throws MemoryError when there is no memory.
  void open();
  /// For callers that can: false when there was none.
  bool try_open();
  bool has_free();
  /// Null when there is none, or all are in use.
  std::byte* take();
  void give_back(std::byte* chunk) { free_.push_back(chunk); }
  /// Comes back when that member has read so many lent chunks. One chunk may be lent to several members.
  void lend(std::byte* chunk, std::uint32_t reader, std::uint64_t number);
  /// Whether that is so of some member, for all that is known.
  bool is_lent(const std::byte* chunk) { return readers_of(chunk) != 0; }

 private:
  struct Loan {
    std::byte* chunk;
    std::uint32_t reader;
    std::uint64_t number;
  };
  std::uint32_t& readers_of(const std::byte* chunk) {
    return readers_[static_cast<std::size_t>(chunk - memory_) / chunk_bytes];
  }
  void call_in();
  runtime::Heap& heap_;
  const Mailboxes& mail_;
  std::byte* memory_ = nullptr;
  bool refused_ = false;
  std::vector<std::byte*> free_;
  std::vector<Loan> loans_;
  std::array<std::uint32_t, most_chunks> readers_{};
};

}  // namespace atl::coll::detail
