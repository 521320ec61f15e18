// SPDX-License-Identifier: Apache-2.0
// Sets of unsigned keys. Private to the look-up kernels.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "atoll/array/kernel/work.hpp"

namespace atl::array {

class Bitmap {
 public:
  Bitmap(const Work& work, std::uint64_t bits) : words_(work.memory, bits / 32 + 1) {
    std::memset(words_.data(), 0, words_.size() * sizeof(std::uint32_t));
  }
  void add(std::uint64_t bit) { words_[bit >> 5] |= 1u << (bit & 31); }
  bool has(std::uint64_t bit) const { return words_[bit >> 5] >> (bit & 31) & 1; }

 private:
  Buffer<std::uint32_t> words_;
};

/// Open addressing with linear probing, at most half full. 0 marks a free slot; the key 0 is kept aside.
template <class K>
class HashSet {
 public:
  HashSet(const Work& work, std::size_t keys)
      : shift_(64 - static_cast<unsigned>(std::bit_width(keys * 2 | 63))),
        slots_(work.memory, std::size_t{1} << (64 - shift_)) {
    std::memset(slots_.data(), 0, slots_.size() * sizeof(K));
  }
  void add(K key) {
    if (key == 0) {
      zero_ = true;
      return;
    }
    std::size_t at = home(key);
    while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = key;
  }
  bool has(K key) const {
    if (key == 0) return zero_;
    std::size_t at = home(key);
    while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at] == key;
  }
  void prefetch(K key) const { __builtin_prefetch(slots_.data() + home(key)); }

 private:
  // Two multiplications: one would leave keys that differ only in high bits in few places.
  std::size_t home(K key) const {
    std::uint64_t h = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ull;
    return static_cast<std::size_t>(h >> shift_);
  }

  unsigned shift_;
  Buffer<K> slots_;
  bool zero_ = false;
};

}  // namespace atl::array
