// SPDX-License-Identifier: Apache-2.0
// Strings in runs of some MiB: as much as a kernel does between two looks for an interrupt.
#pragma once

#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// Calls `body(begin, end)` for runs that are the strings [begin, end) together.
template <class Body>
void for_runs(const TextView& texts, std::size_t begin, std::size_t end, Body&& body) {
  constexpr std::int64_t most_bytes = std::int64_t{4} << 20;
  while (begin < end) {
    std::size_t stop = end;
    if (texts.offsets[end] - texts.offsets[begin] > most_bytes) {
      stop = begin + 1;
      while (stop < end && texts.offsets[stop + 1] - texts.offsets[begin] <= most_bytes) ++stop;
    }
    body(begin, stop);
    begin = stop;
  }
}

}  // namespace atl::table
