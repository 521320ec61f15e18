// SPDX-License-Identifier: Apache-2.0
// Symmetric addresses: the symmetric heap first, then the program's global and static data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::shmem {

/// A range of this process's addresses that lies at `offset` in every PE's segment.
struct Region {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  HeapOffset offset;
};

class Addresses {
 public:
  void add(const Region& region) { regions_.push_back(region); }
  void clear() { regions_.clear(); }
  const std::vector<Region>& regions() const { return regions_; }

  /// Segment offset of `bytes` at `address`; none when some of them are not symmetric.
  std::optional<HeapOffset> offset_of(const void* address, std::size_t bytes) const {
    auto own = reinterpret_cast<std::uintptr_t>(address);
    for (const Region& region : regions_) {
      std::uintptr_t at = own - region.begin;
      if (at < region.bytes && bytes <= region.bytes - at) return HeapOffset(region.offset.value() + at);
    }
    return std::nullopt;
  }

 private:
  std::vector<Region> regions_;
};

}  // namespace atl::shmem
