// SPDX-License-Identifier: Apache-2.0
// The symmetric heap of OpenSHMEM programs.
#pragma once

#include <map>
#include <mutex>

#include "library.hpp"

namespace atl::shmem {

/// Blocks of the symmetric heap. Every operation is collective over the world and agrees on its outcome: all PEs get
/// the same offset, or none gets a block.
class SymmetricMemory {
 public:
  SymmetricMemory(runtime::Heap& heap, runtime::OneSided& one_sided, coll::Communicator& world)
      : heap_(heap), one_sided_(one_sided), world_(world) {}

  /// Returns null when a PE has no memory for the block.
  void* allocate(Call call, std::size_t bytes, std::size_t alignment);
  void* reallocate(Call call, void* block, std::size_t bytes);
  void release(Call call, void* block);
  /// Frees all blocks at the end of the library, when no PE uses them. Not collective.
  void release_all();
  /// Whether `bytes` at `address` lie in one block; true for addresses outside this heap.
  bool in_a_block(const void* address, std::size_t bytes);

 private:
  struct Block {
    void* base = nullptr;  // address of the heap's block
    std::size_t bytes = 0;  // requested size
  };
  Block find(Call call, void* block);
  void forget(void* block);
  /// A barrier that returns whether all PEs passed the same two values.
  bool agree(std::uint64_t first, std::uint64_t second);

  runtime::Heap& heap_;
  runtime::OneSided& one_sided_;
  coll::Communicator& world_;
  std::mutex mutex_;
  std::map<void*, Block> blocks_;
};

void* allocate(Call call, std::size_t size);
void* allocate_with_hints(Call call, std::size_t size, long hints);
void* allocate_zeroed(Call call, std::size_t count, std::size_t size);
void* allocate_aligned(Call call, std::size_t alignment, std::size_t size);
void* reallocate(Call call, void* block, std::size_t size);
void release(Call call, void* block);

}  // namespace atl::shmem
