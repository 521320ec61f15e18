// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <bit>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "atoll/runtime/heap.hpp"

namespace atl::shmem {
namespace {

// Default alignment of the heap's blocks: enough for any type, one cache line.
constexpr std::size_t usual_alignment = fabric::cache_line;
constexpr std::uint64_t refused = UINT64_MAX;

}  // namespace

bool SymmetricMemory::agree(std::uint64_t first, std::uint64_t second) {
  // A minimum reduction over the values and their complements: all PEs agree when each minimum is the other's
  // complement.
  std::uint64_t mine[4] = {first, ~first, second, ~second};
  std::uint64_t least[4];
  one_sided_.quiet();
  world_.allreduce(mine, least, 4, coll::Reduction(coll::Type::u64, coll::Op::min));
  return least[0] == ~least[1] && least[2] == ~least[3];
}

void* SymmetricMemory::allocate(Call call, std::size_t bytes, std::size_t alignment) {
  std::size_t room = alignment <= usual_alignment ? bytes : bytes + alignment;
  void* base = nullptr;
  std::string refusal;
  // A greater alignment could not hold on all PEs.
  std::size_t most_alignment = fabric::segment_alignment(one_sided_.job().segment_bytes());
  if (alignment <= most_alignment && room >= bytes) {
    try {
      base = heap_.allocate(room);
    } catch (const MemoryError& error) { refusal = error.what(); }
  }
  std::uint64_t offset = base == nullptr ? refused : heap_.offset_of(base).value();
  if (!agree(offset, bytes)) {
    if (base != nullptr) heap_.release(base);
    // Either a PE had no memory, or the PEs' requests differ.
    if (!agree(bytes, bytes))
      fail(call, "PEs ask for different sizes of one symmetric block; PE {} for {} bytes", one_sided_.pe().value(),
           bytes);
    return nullptr;
  }
  if (base == nullptr) {
    if (library(call).debugging()) log(LogLevel::error, "{}: {}", call.name, refusal);
    return nullptr;
  }
  auto at = round_up(reinterpret_cast<std::uintptr_t>(base), std::uintptr_t{alignment});
  void* block = reinterpret_cast<void*>(at);
  std::lock_guard lock(mutex_);
  blocks_[block] = {base, bytes};
  return block;
}

SymmetricMemory::Block SymmetricMemory::find(Call call, void* block) {
  std::lock_guard lock(mutex_);
  auto at = blocks_.find(block);
  if (at == blocks_.end())
    fail(call, "argument 'ptr': {} is not a block of the symmetric heap, or has been freed", block);
  return at->second;
}

bool SymmetricMemory::in_a_block(const void* address, std::size_t bytes) {
  auto at = reinterpret_cast<std::uintptr_t>(address);
  auto heap = reinterpret_cast<std::uintptr_t>(heap_.base());
  if (at < heap || at >= heap + heap_.capacity()) return true;
  std::lock_guard lock(mutex_);
  auto block = blocks_.upper_bound(const_cast<void*>(address));
  if (block == blocks_.begin()) return false;
  --block;
  std::size_t before = at - reinterpret_cast<std::uintptr_t>(block->first);
  return before <= block->second.bytes && bytes <= block->second.bytes - before;
}

void SymmetricMemory::forget(void* block) {
  std::lock_guard lock(mutex_);
  blocks_.erase(block);
}

void SymmetricMemory::release(Call call, void* block) {
  Block found = find(call, block);
  if (!agree(heap_.offset_of(block).value(), 0))
    fail(call, "PEs free different blocks; PE {} the one at {}", one_sided_.pe().value(), block);
  heap_.release(found.base);
  forget(block);
}

void SymmetricMemory::release_all() {
  for (auto& [address, block] : blocks_) heap_.release(block.base);
  blocks_.clear();
  heap_.trim();
}

void* SymmetricMemory::reallocate(Call call, void* block, std::size_t bytes) {
  Block found = find(call, block);
  auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - static_cast<std::byte*>(found.base));
  if (bytes <= heap_.size_of(found.base) - offset) {
    if (!agree(heap_.offset_of(block).value(), bytes))
      fail(call, "PEs ask for different sizes of one symmetric block; PE {} for {} bytes", one_sided_.pe().value(),
           bytes);
    std::lock_guard lock(mutex_);
    blocks_[block].bytes = bytes;
    return block;
  }
  void* larger = allocate(call, bytes, usual_alignment);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, block, std::min(bytes, found.bytes));
  // release() contains a barrier: no PE uses the new block before all have copied.
  release(call, block);
  return larger;
}

void* allocate(Call call, std::size_t size) {
  Library& here = library(call);
  return size == 0 ? nullptr : here.memory().allocate(call, size, usual_alignment);
}

// Hints are ignored: the memory is the same for atomics, signals and everything else.
void* allocate_with_hints(Call call, std::size_t size, long) { return allocate(call, size); }

void* allocate_zeroed(Call call, std::size_t count, std::size_t size) {
  Library& here = library(call);
  if (count == 0 || size == 0) return nullptr;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* block = here.memory().allocate(call, bytes, usual_alignment);
  if (block == nullptr) return nullptr;
  std::memset(block, 0, bytes);
  here.world().barrier();  // no peer writes before the zeros
  return block;
}

void* allocate_aligned(Call call, std::size_t alignment, std::size_t size) {
  Library& here = library(call);
  // The standard also requires a multiple of a pointer's size, but programs pass less, and any block is aligned to
  // that.
  if (!std::has_single_bit(alignment)) {
    if (here.checking()) fail(call, "argument 'alignment': {} is not a power of two", alignment);
    return nullptr;
  }
  return size == 0 ? nullptr : here.memory().allocate(call, size, alignment);
}

void* reallocate(Call call, void* block, std::size_t size) {
  Library& here = library(call);
  if (block == nullptr) return allocate(call, size);
  if (size != 0) return here.memory().reallocate(call, block, size);
  here.memory().release(call, block);
  return nullptr;
}

void release(Call call, void* block) {
  Library& here = library(call);
  if (block != nullptr) here.memory().release(call, block);
}

}  // namespace atl::shmem
