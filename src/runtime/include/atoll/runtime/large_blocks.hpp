// SPDX-License-Identifier: Apache-2.0
// The blocks of a PE's heap in which long messages wait for their receivers.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

/// By their offsets in the segment. Thread-safe.
class LargeBlocks {
 public:
  /// Of all of them.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// False: `reads()` says that the receiver does not read any more, and the block is not added. Asked here, so that no
  /// block is added behind a call of unread() that has seen the receiver go.
  template <class Reads>
  bool add(std::uint64_t offset, PeId receiver, std::uint64_t bytes, Reads&& reads) {
    std::lock_guard lock(mutex_);
    if (!reads()) return false;
    blocks_.emplace(offset, Block{receiver, bytes});
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return true;
  }
  /// False: there is none, or it is another receiver's.
  bool remove(std::uint64_t offset, PeId receiver) {
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(offset);
    if (found == blocks_.end() || found->second.receiver != receiver) return false;
    bytes_.fetch_sub(found->second.bytes, std::memory_order_relaxed);
    blocks_.erase(found);
    return true;
  }
  /// Whether `count` differs from that of the last call: the number of PEs that have gone.
  bool is_news(std::uint32_t count) const { return count != seen_.load(std::memory_order_relaxed); }
  /// Receivers and offsets of blocks whose receivers do not read any more.
  template <class Reads>
  std::vector<std::pair<PeId, std::uint64_t>> unread(std::uint32_t count, Reads&& reads) {
    seen_.store(count, std::memory_order_relaxed);
    std::vector<std::pair<PeId, std::uint64_t>> found;
    std::lock_guard lock(mutex_);
    for (const auto& [offset, block] : blocks_)
      if (!reads(block.receiver)) found.emplace_back(block.receiver, offset);
    return found;
  }

 private:
  struct Block {
    PeId receiver;
    std::uint64_t bytes;
  };
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Block> blocks_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint32_t> seen_{0};
};

}  // namespace atl::runtime
