// SPDX-License-Identifier: Apache-2.0
// First bytes of strings as numbers of few bits: bytes of a small range take fewer than eight bits each, so that a word
// holds more of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernel/text/image.hpp"

namespace atl::table {

/// What bytes of strings become: 0 at the end and of zero, else by how much they lie above `below`.
struct ByteCodes {
  std::uint8_t below = 0, highest = 255;
  unsigned bits = 8;  // of a code, at least 4: sixteen of them fill a word

  /// For bytes of [lowest, highest] and zeros.
  static ByteCodes of(std::uint8_t lowest, std::uint8_t highest) {
    if (lowest > highest) return {0, 0, 4};  // there is none
    const auto below = static_cast<std::uint8_t>(std::max<unsigned>(lowest, 1) - 1);
    return {below, highest,
            std::max(4u, static_cast<unsigned>(std::bit_width(static_cast<unsigned>(highest - below))))};
  }
};

/// keys[i] = the codes of image i's bytes, the first ones in the highest bits, as many as there is room for: images
/// compare as their keys do, or these are equal. Returns whether all bytes are of those that the codes are made for;
/// else keys are of no use.
bool make_keys(const Image* images, std::size_t count, ByteCodes codes, std::uint64_t* keys);

}  // namespace atl::table
