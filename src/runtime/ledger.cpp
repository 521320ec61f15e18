// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/ledger.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "atoll/base/units.hpp"

namespace atl::runtime {
namespace {

constexpr std::uint64_t first_count = 1024;

std::uint64_t unit_down(std::uint64_t at) { return at / Heap::unit_bytes * Heap::unit_bytes; }
std::uint64_t unit_up(std::uint64_t at) { return round_up<std::uint64_t>(at, Heap::unit_bytes); }

}  // namespace

LedgerHead& Ledger::head_of(std::byte* segment) { return *reinterpret_cast<LedgerHead*>(segment + ledger_offset); }

std::vector<LedgerBlock> read_ledger(const std::byte* segment) {
  std::vector<LedgerBlock> found;
  const auto& head = *reinterpret_cast<const LedgerHead*>(segment + ledger_offset);
  const std::uint64_t at = head.entries.load(std::memory_order_acquire);  // partner: Ledger::grow()
  if (at == 0) return found;
  const auto* entries = reinterpret_cast<const LedgerEntry*>(segment + at);
  for (std::uint64_t i = 1; i < entries[0].count; ++i) {
    const std::uint64_t id = entries[i].id.load(std::memory_order_acquire);  // partner: Ledger::add()
    if (id != 0) found.push_back({id, entries[i].offset, entries[i].bytes});
  }
  return found;
}

Ledger::Ledger(std::byte* segment, std::shared_ptr<Heap> heap) : segment_(segment), heap_(std::move(heap)) {
  const std::uint64_t at = head().entries.load(std::memory_order_relaxed);
  if (at == 0) {
    grow();
    return;
  }
  entries_ = reinterpret_cast<LedgerEntry*>(segment_ + at);
  count_ = entries_[0].count;
  for (std::uint32_t i = static_cast<std::uint32_t>(count_) - 1; i != 0; --i) {
    const std::uint64_t id = entries_[i].id.load(std::memory_order_relaxed);
    if (id == 0) free_.push_back(i);
    else places_.emplace(id, i);
  }
}

void Ledger::grow() {
  const std::uint64_t count = count_ == 0 ? first_count : 2 * count_;
  void* block = heap_->allocate(count * sizeof(LedgerEntry));
  std::memset(block, 0, count * sizeof(LedgerEntry));
  if (entries_ != nullptr) std::memcpy(block, static_cast<void*>(entries_), count_ * sizeof(LedgerEntry));
  auto* entries = static_cast<LedgerEntry*>(block);
  entries[0].count = count;
  for (std::uint64_t i = count - 1; i >= std::max<std::uint64_t>(count_, 1); --i)
    free_.push_back(static_cast<std::uint32_t>(i));
  head().heap = heap_->offset_of(heap_->base()).value();
  head().bytes = heap_->capacity();
  // Release: the entries. Partner: read_ledger().
  head().entries.store(heap_->offset_of(block).value(), std::memory_order_release);
  if (entries_ != nullptr) heap_->release(entries_);
  entries_ = entries;
  count_ = count;
}

void Ledger::add(std::uint64_t id, const void* block) {
  if (!heap_->contains(block)) return;
  if (free_.empty()) grow();
  const std::uint32_t place = free_.back();
  free_.pop_back();
  LedgerEntry& entry = entries_[place];
  entry.offset = heap_->offset_of(block).value();
  entry.bytes = heap_->size_of(block);
  entry.id.store(id, std::memory_order_release);  // partner: read_ledger()
  places_[id] = place;
}

void Ledger::erase(std::uint64_t id) {
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  // Release: nothing that uses the memory again comes before. Partner: read_ledger().
  entries_[found->second].id.store(0, std::memory_order_release);
  free_.push_back(found->second);
  places_.erase(found);
}

std::unordered_map<std::uint64_t, AdoptedBlock> adopt_blocks(std::byte* segment, const std::shared_ptr<Heap>& heap) {
  const std::vector<LedgerBlock> blocks = read_ledger(segment);
  const std::uint64_t base = heap->offset_of(heap->base()).value();
  // Units that hold a block or the table, joined where blocks share a unit.
  struct Units {
    std::uint64_t end = 0;
    bool shared = false;  // by small blocks, which are copied
  };
  std::map<std::uint64_t, Units> taken;
  auto is_large = [&](const LedgerBlock& block) {
    return (block.offset - base) % Heap::unit_bytes == 0 && Heap::is_large(block.bytes);
  };
  std::vector<LedgerBlock> all = blocks;
  const std::uint64_t table = Ledger::head_of(segment).entries.load(std::memory_order_relaxed);
  const std::uint64_t table_bytes =
      reinterpret_cast<const LedgerEntry*>(segment + table)[0].count * sizeof(LedgerEntry);
  all.push_back({0, table, table_bytes});
  std::sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.offset < other.offset; });
  for (const LedgerBlock& block : all) {
    const bool stays = block.id != 0 && is_large(block);
    const std::uint64_t begin = base + unit_down(block.offset - base),
                        end = base + unit_up(block.offset - base + Heap::padded(block.bytes));
    if (!taken.empty()) {
      auto& [first, last] = *taken.rbegin();
      if (begin < last.end) {
        last.end = std::max(last.end, end);
        last.shared = last.shared || !stays;
        continue;
      }
    }
    taken[begin] = {end, !stays};
  }
  for (const auto& [begin, units] : taken) heap->adopt(begin, units.end - begin);
  std::map<std::uint64_t, AdoptedBlock> at;  // arrays may share a block
  std::unordered_map<std::uint64_t, AdoptedBlock> found;
  auto own = [&](void* block) {
    return AdoptedBlock{static_cast<std::byte*>(block),
                        std::shared_ptr<void>(block, [heap](void* one) { heap->release(one); })};
  };
  for (const LedgerBlock& block : blocks) {
    auto known = at.find(block.offset);
    if (known == at.end()) {
      AdoptedBlock adopted;
      if (is_large(block)) {
        adopted = own(segment + block.offset);
      } else {
        adopted = own(heap->allocate(block.bytes));
        std::memcpy(adopted.data, segment + block.offset, block.bytes);
      }
      known = at.emplace(block.offset, std::move(adopted)).first;
    }
    found.emplace(block.id, known->second);
  }
  // The new table replaces the old one by one store; before it a death leaves all as it was.
  LedgerHead& head = Ledger::head_of(segment);
  std::uint64_t count = first_count;
  while (count < 2 * (found.size() + 1)) count *= 2;
  auto* entries = static_cast<LedgerEntry*>(heap->allocate(count * sizeof(LedgerEntry)));
  std::memset(static_cast<void*>(entries), 0, count * sizeof(LedgerEntry));
  entries[0].count = count;
  std::uint64_t place = 0;
  for (const auto& [id, block] : found) {
    LedgerEntry& entry = entries[++place];
    entry.offset = heap->offset_of(block.data).value();
    entry.bytes = heap->size_of(block.data);
    entry.id.store(id, std::memory_order_relaxed);
  }
  head.entries.store(heap->offset_of(entries).value(), std::memory_order_release);  // partner: read_ledger()
  for (const auto& [begin, units] : taken)
    if (units.shared) heap->release(segment + begin);
  heap->discard_free();
  return found;
}

}  // namespace atl::runtime
