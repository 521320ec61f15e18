// SPDX-License-Identifier: Apache-2.0
// An ordered set of PEs. A plain value: making one needs no communication.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "atoll/base/ids.hpp"

namespace atl::runtime {

/// Rank r of the team is PE `pe_of(r)`. Stored as first + stride·r where it is regular: a team of all of 32,768 PEs
/// takes no memory.
class Team {
 public:
  /// PEs first, first + stride, …: `size` of them, seen from `self`.
  static Team strided(std::uint32_t first, std::uint32_t stride, std::uint32_t size, PeId self);
  static Team world(std::uint32_t npes, PeId self) { return strided(0, 1, npes, self); }
  /// Any order, no PE twice.
  static Team listed(std::vector<PeId> members, PeId self);

  std::uint32_t size() const { return size_; }
  PeId pe_of(std::uint32_t rank) const {
    ATOLL_EXPECT(rank < size_);
    return members_.empty() ? PeId(first_ + rank * stride_) : members_[rank];
  }
  std::optional<std::uint32_t> rank_of(PeId pe) const;
  /// This PE's rank. Throws ValueError when it is no member.
  std::uint32_t rank() const {
    if (!is_member()) [[unlikely]]
      throw_no_member();
    return rank_;
  }
  bool is_member() const { return rank_ < size_; }
  /// Ranks start, start + stride, … of this team, `size` of them, as a team of their own.
  Team split_strided(std::uint32_t start, std::uint32_t stride, std::uint32_t size) const;
  /// Rank in `other` of the PE with rank `rank` here.
  std::optional<std::uint32_t> translate(std::uint32_t rank, const Team& other) const {
    return other.rank_of(pe_of(rank));
  }

 private:
  [[noreturn]] void throw_no_member() const;
  std::uint32_t first_ = 0;
  std::uint32_t stride_ = 1;
  std::uint32_t size_ = 0;
  std::uint32_t rank_ = UINT32_MAX;
  PeId self_;
  std::vector<PeId> members_;
};

}  // namespace atl::runtime
