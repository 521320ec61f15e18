// SPDX-License-Identifier: Apache-2.0
// Bytes that are broken at random, by a seed that can be given again: --gtest_random_seed=N.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>

namespace atl::test {

/// The seed that was asked for, or another each time. It is printed.
inline std::uint32_t printed_seed() {
  const std::uint32_t asked = static_cast<std::uint32_t>(GTEST_FLAG_GET(random_seed));
  const std::uint32_t seed = asked != 0 ? asked : std::random_device{}() % 99'999 + 1;
  std::cout << "--gtest_random_seed=" << seed << "\n";
  return seed;
}

/// The bytes cut, or with some of them altered, taken out or doubled.
template <class Byte>
std::vector<Byte> broken(std::vector<Byte> bytes, std::mt19937& random) {
  auto at = [&] { return bytes.empty() ? std::size_t{0} : random() % bytes.size(); };
  auto place = [&](std::size_t where) { return bytes.begin() + static_cast<std::ptrdiff_t>(where); };
  if (random() % 8 == 0) bytes.resize(at());
  for (std::uint32_t left = random() % 4 + 1; left > 0 && !bytes.empty(); --left) {
    const std::size_t from = at(), some = std::min<std::size_t>(random() % 9 + 1, bytes.size() - from);
    switch (random() % 5) {
      case 0: bytes[from] = static_cast<Byte>(random()); break;
      case 1: bytes[from] = static_cast<Byte>(static_cast<unsigned>(bytes[from]) ^ 1u << random() % 8); break;
      case 2:
        std::fill(place(from), place(from + std::min<std::size_t>(some, 4)),
                  static_cast<Byte>(random() % 2 == 0 ? 0xff : 0));
        break;
      case 3: bytes.erase(place(from), place(from + some)); break;
      default: {
        const std::vector<Byte> copy(place(from), place(from + some));
        bytes.insert(place(at()), copy.begin(), copy.end());
      }
    }
  }
  return bytes;
}

}  // namespace atl::test
