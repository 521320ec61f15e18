// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "atoll/base/validate.hpp"

namespace atl::runtime {

void Team::throw_no_member() const {
  raise<ValueError>(fmt::format("PE {} is not a member of this team", self_.value()));
}

Team Team::strided(std::uint32_t first, std::uint32_t stride, std::uint32_t size, PeId self) {
  ATOLL_VALIDATE(size >= 1 && (stride >= 1 || size == 1), ValueError,
                 "a team needs at least one PE and a stride of at least 1, not size {} and stride {}", size, stride);
  Team team;
  team.first_ = first;
  team.stride_ = std::max(stride, 1u);
  team.size_ = size;
  team.self_ = self;
  team.rank_ = team.rank_of(self).value_or(UINT32_MAX);
  return team;
}

Team Team::listed(std::vector<PeId> members, PeId self) {
  ATOLL_VALIDATE(!members.empty(), ValueError, "a team needs at least one PE");
  auto sorted = members;
  std::sort(sorted.begin(), sorted.end());
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  ATOLL_VALIDATE(twice == sorted.end(), ValueError, "PE {} is in the team twice", twice->value());
  Team team;
  team.size_ = static_cast<std::uint32_t>(members.size());
  team.self_ = self;
  team.members_ = std::move(members);
  team.rank_ = team.rank_of(self).value_or(UINT32_MAX);
  return team;
}

std::optional<std::uint32_t> Team::rank_of(PeId pe) const {
  if (!members_.empty()) {
    auto at = std::find(members_.begin(), members_.end(), pe);
    if (at == members_.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - members_.begin());
  }
  if (pe.value() < first_ || (pe.value() - first_) % stride_ != 0) return std::nullopt;
  std::uint32_t rank = (pe.value() - first_) / stride_;
  return rank < size_ ? std::optional(rank) : std::nullopt;
}

Team Team::split_strided(std::uint32_t start, std::uint32_t stride, std::uint32_t size) const {
  bool fits =
      size >= 1 && (stride >= 1 || size == 1) && start + static_cast<std::uint64_t>(stride) * (size - 1) < size_;
  ATOLL_VALIDATE(fits, ValueError, "ranks {}, {}, … ({} of them) are not all in a team of {}", start,
                 std::uint64_t{start} + stride, size, size_);
  if (members_.empty()) return strided(first_ + start * stride_, stride * stride_, size, self_);
  std::vector<PeId> chosen;
  for (std::uint32_t i = 0; i < size; ++i) chosen.push_back(members_[start + i * stride]);
  return listed(std::move(chosen), self_);
}

}  // namespace atl::runtime
