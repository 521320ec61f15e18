// SPDX-License-Identifier: Apache-2.0
// Scratch memory for the programs here that time kernels.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "atoll/base/memory.hpp"

namespace atl::bench {

// 2 MiB pages that were touched before, kept for the next caller: what the pool of a session gives.
class HugeMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes) override {
    std::lock_guard lock(mutex_);
    std::size_t size = round_up(bytes + 64, std::size_t{2} << 20);
    if (auto free = free_.lower_bound(size); free != free_.end() && free->first <= 2 * size) {
      void* block = free->second;
      sizes_[block] = free->first;
      free_.erase(free);
      return block;
    }
    void* block = std::aligned_alloc(std::size_t{2} << 20, size);
    if (block == nullptr) throw MemoryError("out of memory");
    madvise(block, size, MADV_HUGEPAGE);
    std::memset(block, 0, size);
    sizes_[block] = size;
    return block;
  }
  void release(void* block) noexcept override {
    std::lock_guard lock(mutex_);
    free_.emplace(sizes_[block], block);
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> free_;
  std::map<void*, std::size_t> sizes_;
};

}  // namespace atl::bench
