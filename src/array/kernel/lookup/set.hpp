// SPDX-License-Identifier: Apache-2.0
// Sets of unsigned keys. Private to the look-up kernels.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "atoll/array/kernel/work.hpp"

namespace atl::array {

/// Bits, of which several threads add some each to a copy of their own, and merge() makes one of the copies.
class Bitmap {
 public:
  Bitmap(const Work& work, std::uint64_t bits, unsigned copies)
      : length_(bits / 32 + 1), copies_(copies), words_(work.memory, length_ * copies) {}
  std::size_t length() const { return length_; }
  std::uint32_t* words(unsigned copy = 0) { return words_.data() + copy * length_; }
  /// Words [begin, end) of the first copy become those of all.
  void merge(std::size_t begin, std::size_t end) {
    for (unsigned copy = 1; copy < copies_; ++copy)
      for (std::size_t i = begin; i < end; ++i) words()[i] |= words(copy)[i];
  }

 private:
  std::size_t length_;
  unsigned copies_;
  Buffer<std::uint32_t> words_;
};

/// Keys in buckets of one cache line (8 or 16 keys), at most half full on average, so that a look-up is one line and
/// one vector comparison: only a bucket that is full (some 2 % are) sends it on to the next. 0 marks a free slot;
/// whether the key 0 is in the set is kept aside. Filled by one thread; then read by any number.
template <class K>
class HashSet {
 public:
  static constexpr std::size_t bucket = 64 / sizeof(K);

  HashSet(const Work& work, std::size_t keys)
      : bits_(static_cast<unsigned>(std::bit_width(keys * 2 / bucket | 3))), slots_(work.memory, bucket << bits_) {
    std::memset(slots_.data(), 0, slots_.size() * sizeof(K));
  }

  /// The bucket where the search for a key starts. Two multiplications spread keys that are multiples of anything.
  static std::uint64_t home(K key, unsigned bits) {
    std::uint64_t h = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ull;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ull;
    return h >> (64 - bits);
  }

  void add(K key, std::uint64_t at) {
    if (key == 0) {
      zero_ = true;
      return;
    }
    for (;; at = (at + 1) & ((std::uint64_t{1} << bits_) - 1)) {
      K* slot = slots_.data() + at * bucket;
      for (std::size_t k = 0; k < bucket; ++k) {
        if (slot[k] == key) return;
        if (slot[k] == 0) {
          slot[k] = key;
          return;
        }
      }
    }
  }

  unsigned bits() const { return bits_; }
  const K* slots() const { return slots_.data(); }
  bool has_zero() const { return zero_; }

 private:
  unsigned bits_;
  Buffer<K> slots_;  // starts at a line
  bool zero_ = false;
};

}  // namespace atl::array
