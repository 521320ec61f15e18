// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/pe_memory.hpp"

#include "atoll/base/assertion.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "meeting_area.hpp"

namespace atl::runtime {

PeMemory::PeMemory(const OneSided& one_sided, const ContextOptions& options)
    : segment_bytes_(one_sided.job().segment_bytes()),
      is_recoverable_(one_sided.job().is_recoverable()),
      system_used_(meeting_offset + meeting_bytes(one_sided.job())) {
  const fabric::Job& job = one_sided.job();
  std::byte* segment = one_sided.local_pointer(HeapOffset(0));
  std::uint64_t static_bytes = round_up<std::uint64_t>(options.static_bytes, fabric::huge_page);
  std::uint64_t asked = options.symmetric_bytes != 0 ? fabric::symmetric_area_bytes(options.symmetric_bytes) : 0;
  std::uint64_t room = segment_bytes_ - system_bytes;
  ATOLL_VALIDATE(static_bytes < room && asked < room - static_bytes, SetupError,
                 "a segment of {} has no room for a symmetric heap of {} and {} of global data. Raise ATOLL_HEAP_SIZE",
                 format_bytes(segment_bytes_), format_bytes(options.symmetric_bytes),
                 format_bytes(options.static_bytes));
  room -= static_bytes;
  static_area_ = HeapOffset(segment_bytes_ - static_bytes);
  std::uint64_t symmetric_bytes = asked != 0 ? asked : room / 2 / fabric::huge_page * fabric::huge_page;
  if (symmetric_bytes == 0) symmetric_bytes = room / 2 / Heap::unit_bytes * Heap::unit_bytes;
  Pages pages = job.kind() == fabric::Kind::loop ? Pages::anonymous : Pages::shared;
  budget_ = options.heap != nullptr ? options.heap->budget()
                                    : std::make_shared<MemoryBudget>(options.memory_limit_bytes, options.pool_bytes,
                                                                     one_sided.node().pes, asked);
  // With one PE any address is the same on all, and neither kind of block needs a part of its own.
  if (one_sided.npes() == 1 && asked == 0) symmetric_bytes = 0;
  if (options.heap != nullptr) heap_ = options.heap;
  else if (is_recoverable_) heap_ = adopt_heap(one_sided, symmetric_bytes, room - symmetric_bytes);
  else
    heap_ = std::make_shared<Heap>(segment + system_bytes + symmetric_bytes, room - symmetric_bytes, segment, pages,
                                   Placement::reuse, budget_);
  symmetric_ = symmetric_bytes == 0 ? heap_
                                    : std::make_shared<Heap>(segment + system_bytes, symmetric_bytes, segment, pages,
                                                             Placement::repeatable, budget_);
}

// The heap of a recoverable job, with the blocks of the dead PE that this process replaces, if it does.
std::shared_ptr<Heap> PeMemory::adopt_heap(const OneSided& one_sided, std::uint64_t symmetric_bytes,
                                           std::uint64_t bytes) {
  std::byte* segment = one_sided.local_pointer(HeapOffset(0));
  const LedgerHead& left = Ledger::head_of(segment);
  const bool adopts = left.entries.load(std::memory_order_acquire) != 0;  // partner: Ledger::grow()
  std::byte* base = segment + (adopts ? left.heap : system_bytes + symmetric_bytes);
  if (adopts) {
    // What the dead PE has held is no longer available, and is not this process's to ask for.
    std::uint64_t held = 0;
    if (config::bytes(config::Variable::memory_limit) == 0)
      for (const LedgerBlock& block : read_ledger(segment)) held += block.bytes;
    budget_ = std::make_shared<MemoryBudget>(0, 0, one_sided.node().pes, held);
    bytes = left.bytes;
  }
  std::shared_ptr<Heap> heap(new Heap(base, bytes, segment, Pages::shared, Placement::reuse, budget_),
                             [job = one_sided.shared_job()](Heap* one) { delete one; });
  if (adopts) adopted_ = adopt_blocks(segment, heap);
  return heap;
}

HeapOffset PeMemory::reserve_system(std::size_t bytes, std::size_t align) {
  ATOLL_EXPECT(align != 0 && (align & (align - 1)) == 0);
  std::size_t at = round_up(system_used_, align);
  ATOLL_VALIDATE(bytes <= ledger_offset && at <= ledger_offset - bytes, SetupError,
                 "the system area of {} is used up: {} more were asked for", format_bytes(system_bytes),
                 format_bytes(bytes));
  system_used_ = at + bytes;
  return HeapOffset(at);
}

}  // namespace atl::runtime
