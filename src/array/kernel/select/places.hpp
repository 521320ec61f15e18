// SPDX-License-Identifier: Apache-2.0
// Where the set bits of a number are: how vectors are made dense on processors that have no instruction for it. Private
// to the kernels.
#pragma once

#include <array>
#include <cstdint>

namespace atl::array {

/// Of each byte, one after the other, the places of its set bits; behind them zeros.
inline constexpr auto set_places = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned bits = 0; bits < 256; ++bits) {
    std::size_t found = 0;
    for (std::uint8_t place = 0; place < 8; ++place)
      if (bits >> place & 1) table[bits][found++] = place;
  }
  return table;
}();

/// The same of four bits, each place p as that of two halves: 2p, 2p + 1.
struct alignas(32) HalfPlaces {
  std::uint32_t place[8];
};
inline constexpr auto set_half_places = [] {
  std::array<HalfPlaces, 16> table{};
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (unsigned k = 0; k < 4; ++k) {
      table[bits].place[2 * k] = 2u * set_places[bits][k];
      table[bits].place[2 * k + 1] = 2u * set_places[bits][k] + 1;
    }
  }
  return table;
}();

}  // namespace atl::array
