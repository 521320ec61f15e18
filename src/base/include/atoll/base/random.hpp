// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: element i of stream `key` is a pure function of (key, i), so a random
// array does not depend on how many PEs or threads fill it.
#pragma once

#include <cstdint>

namespace atl {

/// SplitMix64's output function (Steele, Lea, Flood 2014) over a Weyl sequence: 2^64 streams.
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t counter) {
  std::uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// 53 random bits as a double in [0, 1).
constexpr double to_unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

/// An integer in [0, bound), by the high half of a 128-bit product (Lemire 2019, without rejection: the bias
/// is below bound / 2^64). `bound` 0 means 2^64.
constexpr std::uint64_t to_bounded(std::uint64_t bits, std::uint64_t bound) {
  if (bound == 0) return bits;
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * bound) >> 64);
}

/// A small sequential generator for sampling inside algorithms. Seeded by the caller: runs repeat.
class SequentialRandom {
 public:
  explicit SequentialRandom(std::uint64_t seed) : key_(seed) {}
  std::uint64_t operator()() { return random_bits(key_, counter_++); }
  std::uint64_t below(std::uint64_t bound) { return to_bounded((*this)(), bound); }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace atl
