// SPDX-License-Identifier: Apache-2.0
// Numbers distinct keys in order of appearance: open addressing, linear probing. Equality is equality of keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::table {

class HashTable {
 public:
  explicit HashTable(std::size_t capacity = 1024) { resize(std::bit_ceil(capacity)); }

  /// Forgets all keys. Costs as much as there were, or 1,024: a table that many keys have made large is small again
  /// when few came since.
  void clear() {
    resize(std::min(slots_.size(), std::bit_ceil(std::max<std::size_t>(1024, 4 * keys_.size()))));
    keys_.clear();
  }
  std::size_t size() const { return keys_.size(); }
  const std::vector<std::uint64_t>& keys() const { return keys_; }

  /// codes[i] is that of keys[i], n of them, n up to most_at_once. Most keys are in the first place that is looked at:
  /// that takes no branch, which would be mispredicted for the others, and they are looked for afterwards.
  static constexpr std::size_t most_at_once = 512;
  void codes_of(const std::uint64_t* keys, std::size_t n, std::uint32_t* codes) {
    std::uint16_t others[most_at_once];
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Slot& slot = slots_[(keys[i] * multiplier) >> shift_];
      codes[i] = slot.code;
      others[count] = static_cast<std::uint16_t>(i);
      count += slot.key != keys[i] || slot.code == empty ? 1 : 0;
    }
    for (std::size_t k = 0; k < count; ++k) codes[others[k]] = code_of(keys[others[k]]);
  }
  std::uint32_t code_of(std::uint64_t key) {
    std::size_t at = (key * multiplier) >> shift_;
    for (;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.code == empty) [[unlikely]]
        return insert(key, at);
      if (slot.key == key) return slot.code;
    }
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t code;
  };
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  static constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15ull;  // 2^64 / golden ratio (Knuth)

  std::uint32_t insert(std::uint64_t key, std::size_t at) {
    const auto code = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    slots_[at] = {key, code};
    if (4 * keys_.size() > slots_.size()) grow();
    return code;
  }
  void grow() {
    resize(4 * slots_.size());
    for (std::uint32_t code = 0; code < keys_.size(); ++code) {
      std::size_t at = (keys_[code] * multiplier) >> shift_;
      while (slots_[at].code != empty) at = (at + 1) & mask_;
      slots_[at] = {keys_[code], code};
    }
  }
  void resize(std::size_t capacity) {
    slots_.assign(capacity, Slot{0, empty});
    mask_ = capacity - 1;
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> keys_;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
};

}  // namespace atl::table
