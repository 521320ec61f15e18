// SPDX-License-Identifier: Apache-2.0
// Strong types for identities and offsets, so that a PE cannot be passed where an offset is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace atl {

/// An integer that only compares and hashes with its own kind. `value()` opens it.
template <class Tag, class Int>
class StrongId {
 public:
  using value_type = Int;
  constexpr StrongId() = default;
  constexpr explicit StrongId(Int value) : value_(value) {}
  constexpr Int value() const { return value_; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Int value_{};
};

/// Rank of a processing element in the job, 0 … npes-1.
using PeId = StrongId<struct PeTag, std::uint32_t>;
/// Byte offset from the start of a PE's segment.
using HeapOffset = StrongId<struct HeapOffsetTag, std::uint64_t>;

}  // namespace atl

template <class Tag, class Int>
struct std::hash<atl::StrongId<Tag, Int>> {
  std::size_t operator()(atl::StrongId<Tag, Int> id) const noexcept { return std::hash<Int>{}(id.value()); }
};
