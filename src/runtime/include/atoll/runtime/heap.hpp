// SPDX-License-Identifier: Apache-2.0
// The allocator over a PE's segment. Blocks lie in memory that every co-located PE can reach; all bookkeeping
// lies outside it, so a stray write of a peer cannot corrupt the allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/base/memory.hpp"
#include "atoll/base/zero_table.hpp"

namespace atl::runtime {

/// How much a PE's heaps may use together, checked before anything is touched. Thread-safe.
class MemoryBudget {
 public:
  /// `limit_bytes` 0: ATOLL_MEMORY_LIMIT, or `sharers`' even share of the memory now available on the node.
  /// `pool_bytes` likewise by ATOLL_POOL_SIZE, or three quarters of a given limit, an eighth of another.
  /// `promised_bytes` come on top.
  explicit MemoryBudget(std::uint64_t limit_bytes = 0, std::uint64_t pool_bytes = 0, unsigned sharers = 1,
                        std::uint64_t promised_bytes = 0);

  std::uint64_t limit() const { return limit_; }
  std::uint64_t pool_limit() const { return pool_limit_; }
  std::uint64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }

 private:
  friend class Heap;
  void take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { in_use_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// Bytes the node can still give, read from the kernel at most every 20 ms or when `fresh_bytes` might matter.
  std::uint64_t available(std::uint64_t fresh_bytes);

  std::uint64_t limit_;
  std::uint64_t pool_limit_;
  std::atomic<std::uint64_t> in_use_{0};
  std::atomic<std::uint64_t> peak_{0};
  std::mutex mutex_;
  std::uint64_t available_ = 0;
  std::uint64_t handed_out_ = 0;
  std::int64_t read_at_ns_ = 0;
};

struct HeapStats {
  std::uint64_t in_use_bytes = 0;  ///< in blocks handed out, as rounded up
  std::uint64_t peak_bytes = 0;    ///< most of that ever
  std::uint64_t pooled_bytes = 0;  ///< free, but still held from the kernel for reuse
  std::uint64_t limit_bytes = 0;
  std::uint64_t blocks = 0;
};

enum class Pages { anonymous, shared };
/// `reuse`: prefer memory that has been touched. `repeatable`: the same calls give the same addresses on every PE.
enum class Placement { reuse, repeatable };

/// Small blocks (up to 80 KiB) come from slabs of one size each, large ones from coalescing spans of 64 KiB units:
/// the smallest touched span that fits, then the smallest untouched one. Blocks start at multiples of 64 bytes,
/// those of 2 MiB or more at multiples of 2 MiB; 64 bytes past the end belong to the block. Thread-safe.
class Heap final : public Memory {
 public:
  static constexpr std::size_t unit_bytes = std::size_t{64} << 10;
  static constexpr std::size_t largest_small = std::size_t{80} << 10;  ///< with its padding
  static constexpr std::size_t padding_bytes = 64;

  /// Over [base, base + bytes), both multiples of 64 KiB, never touched so far. Does not own the memory.
  /// `segment_base` is what offset_of() counts from.
  Heap(std::byte* base, std::size_t bytes, std::byte* segment_base, Pages pages, Placement placement,
       std::shared_ptr<MemoryBudget> budget);
  ~Heap() override;
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Contents undefined. Throws MemoryError with the figures, before touching anything, when it does not fit.
  void* allocate(std::size_t bytes) override;
  /// The same for a block of which little may be used: nothing of new memory is touched, and its pages are small.
  void* allocate_sparse(std::size_t bytes);
  void release(void* block) noexcept override;
  /// Bytes usable in this block (at least those asked for).
  std::size_t size_of(const void* block) const;

  bool contains(const void* pointer) const {
    auto* at = static_cast<const std::byte*>(pointer);
    return at >= base_ && at < base_ + bytes_;
  }
  HeapOffset offset_of(const void* pointer) const {
    ATOLL_EXPECT(contains(pointer));
    return HeapOffset(static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) - segment_base_));
  }

  // For the memory of a process that has died (adopt_blocks()): a heap that is new over it takes its blocks over.
  /// Whether a block whose size_of() is so much is one of its own units alone.
  static bool is_large(std::size_t bytes) { return bytes + padding_bytes > largest_small; }
  /// With what belongs to it past its end.
  static std::size_t padded(std::size_t bytes) { return bytes + padding_bytes; }
  /// Takes units that have not been handed out as one large block, whose contents stay; in ascending order, before
  /// anything is allocated. `at`: offset in the segment. They count as used, whatever the limit.
  void adopt(std::uint64_t at, std::uint64_t bytes);
  /// Gives the pages of all memory that is not handed out back to the kernel.
  void discard_free();

  /// Gives pooled memory back to the kernel, down to `keep_bytes`. Returns the bytes given back.
  std::uint64_t trim(std::uint64_t keep_bytes = 0);
  /// Asks for 2 MiB pages under a block of 2 MiB or more. allocate() does so for new memory; this is for blocks of
  /// small pages that will be used at random for long, and dear (3 s per GiB). Does nothing for other blocks, and
  /// where ATOLL_HUGE_PAGES=off. Returns the bytes that now lie in them.
  std::uint64_t advise_huge(void* block);
  /// In a forked child: the memory is the parent's, whose threads may have held locks. Releases do nothing from now on.
  void abandon() noexcept { abandoned_ = true; }
  HeapStats stats() const;
  std::byte* base() const { return base_; }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  std::size_t capacity() const { return bytes_; }

 private:
  struct Span {
    std::uint32_t first = 0;  // in units
    std::uint32_t units = 0;
    bool new_pages = false;  // not touched before it was handed out
    enum class Use : std::uint8_t { fresh, pooled, large, slab } use = Use::fresh;
    std::uint8_t size_class = 0;
    std::vector<std::uint16_t> free_blocks;  // slab: indices, last first
    std::uint32_t block_bytes = 0;  // slab
    std::uint32_t blocks = 0;  // slab
    std::uint32_t partial_index = 0;  // slab: place in its class's list, when it has a free block
  };
  struct SizeClass {
    std::mutex mutex;
    std::vector<Span*> partial;  // slabs with a free block
    std::uint64_t in_use = 0;  // blocks
  };
  // Free spans by (units, first), so that the smallest comes first and ties go to the lowest address.
  using FreeSet = std::set<std::pair<std::uint32_t, std::uint32_t>>;

  static std::size_t class_of(std::size_t bytes);
  static std::size_t class_bytes(std::size_t index);
  void* allocate_small(std::size_t bytes);
  enum class Touch : std::uint8_t { now, later };
  void* allocate(std::size_t bytes, Touch touch);
  void* allocate_large(std::size_t bytes, Touch touch);
  void release_small(Span* slab, std::byte* block) noexcept;
  Span* take_span(std::uint32_t units, std::uint32_t align_units, Span::Use use);
  Span* carve(FreeSet& from, std::uint32_t units, std::uint32_t align_units);
  void return_span(Span* span) noexcept;
  void insert_free(Span* span);
  void erase_free(Span* span);
  void insert_joined(Span* span);
  void trim_to(std::uint64_t keep_units);
  void discard(const Span& span) noexcept;
  Span* span_of(const void* block) const;
  std::uint64_t bytes_of(const Span& span) const { return std::uint64_t{span.units} * unit_bytes; }
  FreeSet& set_of(Span::Use use) { return use == Span::Use::pooled ? pooled_ : fresh_; }

  std::byte* base_;
  std::size_t bytes_;
  std::byte* segment_base_;
  Pages pages_;
  Placement placement_;
  bool abandoned_ = false;
  std::shared_ptr<MemoryBudget> budget_;

  static constexpr std::size_t class_count = 37;  // 64 … 512 by 64, then four per doubling to 80 KiB
  SizeClass classes_[class_count];

  mutable std::mutex mutex_;  // spans and what follows; taken after a size class's, never before
  // Span by unit: all units of a slab, the first and last of others. A sparse segment of a terabyte costs no memory
  // here either.
  ZeroTable<std::atomic<Span*>> span_at_;
  FreeSet fresh_;
  FreeSet pooled_;
  std::uint64_t pooled_units_ = 0;
  std::uint64_t large_blocks_ = 0;
};

}  // namespace atl::runtime
