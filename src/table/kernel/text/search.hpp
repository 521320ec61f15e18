// SPDX-License-Identifier: Apache-2.0
// Where a string occurs in texts: in all bytes of a piece at once, then by text.
#pragma once

#include <vector>

#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Appends where `needle` (not empty) begins in `bytes`, also overlapping itself; at most 2^32 - 1 bytes.
void find_all(std::string_view bytes, std::string_view needle, std::vector<std::uint32_t>& places);

/// Calls visit(row, place in the row) for every occurrence inside one of the strings, in order.
template <class Visit>
void for_each_place(const TextView& texts, std::string_view needle, std::vector<std::uint32_t>& places, Visit&& visit) {
  // Pieces are some thousands of strings, but each may be long: windows that overlap by what an occurrence may reach
  // over.
  constexpr std::size_t window = std::size_t{1} << 20;
  const std::string_view all(texts.bytes + texts.offsets[0], static_cast<std::size_t>(texts.size_bytes()));
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < all.size(); begin += window) {
    places.clear();
    find_all(all.substr(begin, window + needle.size() - 1), needle, places);
    for (std::uint32_t place : places) {
      const auto at = texts.offsets[0] + static_cast<std::int64_t>(begin + place);
      while (texts.offsets[row + 1] <= at) ++row;
      if (at + static_cast<std::int64_t>(needle.size()) <= texts.offsets[row + 1])
        visit(row, static_cast<std::size_t>(at - texts.offsets[row]));
    }
  }
}

}  // namespace atl::table
