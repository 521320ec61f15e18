// SPDX-License-Identifier: Apache-2.0
// Scratch memory for the programs here that time kernels.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "atoll/base/memory.hpp"
#include "atoll/base/raise.hpp"

namespace atl::bench {

// 2 MiB pages that were touched before, kept for the next caller: what the pool of a session gives.
class HugeMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes) override {
    std::lock_guard lock(mutex_);
    std::size_t size = round_up(bytes + 64, std::size_t{2} << 20);
    if (auto free = free_.lower_bound(size); free != free_.end() && free->first <= 2 * size) {
      void* block = free->second;
      use(block, free->first, size);
      free_.erase(free);
      return block;
    }
    void* block = std::aligned_alloc(std::size_t{2} << 20, size);
    if (block == nullptr) raise<MemoryError>("out of memory");
    madvise(block, size, MADV_HUGEPAGE);
    std::memset(block, 0, size);
    use(block, size, size);
    return block;
  }
  void release(void* block) noexcept override {
    std::lock_guard lock(mutex_);
    const Sizes sizes = sizes_[block];
    in_use_ -= sizes.asked;
    free_.emplace(sizes.block, block);
  }
  /// Bytes in use at most since the last call.
  std::size_t take_peak() { return std::exchange(peak_, in_use_); }

 private:
  struct Sizes {
    std::size_t block, asked;
  };
  void use(void* block, std::size_t size, std::size_t asked) {
    sizes_[block] = {size, asked};
    in_use_ += asked;
    peak_ = std::max(peak_, in_use_);
  }

  std::mutex mutex_;
  std::multimap<std::size_t, void*> free_;
  std::map<void*, Sizes> sizes_;
  std::size_t in_use_ = 0, peak_ = 0;
};

}  // namespace atl::bench
