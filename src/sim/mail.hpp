// SPDX-License-Identifier: Apache-2.0
// What has come and is not awaited yet, and what is awaited and has not come: first in, first out for each pair of PEs
// and kind.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/base/random.hpp"
#include "atoll/sim/time.hpp"

namespace atl::sim {

class Mail {
 public:
  enum class Kind : std::uint8_t { small = 1, large = 2, posted = 3 };
  struct Letter {
    Time time;
    std::uint64_t note;  ///< the caller's
  };
  static std::uint64_t key(std::uint32_t to, std::uint32_t from, Kind kind) {
    return std::uint64_t{to} << 33 | std::uint64_t{from} << 2 | static_cast<std::uint64_t>(kind);
  }

  void put(std::uint64_t key, Letter letter) {
    if (used_ * 2 >= slots_.size()) grow();
    std::size_t at = place(key);
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask_;
    Slot& slot = slots_[at];
    if (slot.key == 0) {
      slot = {key, letter, none, none};
      ++used_;
      return;
    }
    const std::uint32_t entry = take_entry();
    entries_[entry] = {letter, none};
    if (slot.first == none) slot.first = entry;
    else entries_[slot.last].next = entry;
    slot.last = entry;
  }

  bool take(std::uint64_t key, Letter& letter) {
    if (used_ == 0) return false;
    std::size_t at = place(key);
    for (; slots_[at].key != key; at = (at + 1) & mask_)
      if (slots_[at].key == 0) return false;
    Slot& slot = slots_[at];
    letter = slot.letter;
    if (slot.first == none) {
      remove(at);
      return true;
    }
    const std::uint32_t entry = slot.first;
    slot.letter = entries_[entry].letter;
    slot.first = entries_[entry].next;
    entries_[entry].next = free_;
    free_ = entry;
    return true;
  }

  bool empty() const { return used_ == 0; }
  std::uint64_t bytes() const { return slots_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(Entry); }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Slot {
    std::uint64_t key = 0;  // 0: free
    Letter letter{};        // the oldest
    std::uint32_t first = none, last = none;  // those after it
  };
  struct Entry {
    Letter letter;
    std::uint32_t next;
  };

  std::size_t place(std::uint64_t key) const { return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15ull >> shift_); }
  std::uint32_t take_entry() {
    if (free_ == none) {
      entries_.push_back({});
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t entry = free_;
    free_ = entries_[entry].next;
    return entry;
  }
  // Those behind it that would be looked for here move up, so that there are no holes.
  void remove(std::size_t hole) {
    --used_;
    for (std::size_t at = (hole + 1) & mask_; slots_[at].key != 0; at = (at + 1) & mask_) {
      const std::size_t home = place(slots_[at].key);
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].key = 0;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = static_cast<unsigned>(64 - __builtin_ctzll(slots_.size()));
    for (const Slot& slot : old) {
      if (slot.key == 0) continue;
      std::size_t at = place(slot.key);
      while (slots_[at].key != 0) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  unsigned shift_ = 63;
  std::size_t used_ = 0;
  std::vector<Entry> entries_;
  std::uint32_t free_ = none;
};

}  // namespace atl::sim
