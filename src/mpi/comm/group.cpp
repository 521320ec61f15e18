// SPDX-License-Identifier: Apache-2.0
#include "comm/group.hpp"

#include <algorithm>

#include "comm/held_guests.hpp"

namespace atl::mpi {
namespace {

Group& empty_group() {
  static auto& group = []() -> Group& {
    auto& made = *new Group({});
    made.predefine(reinterpret_cast<std::uintptr_t>(MPI_GROUP_EMPTY));
    return made;
  }();
  return group;
}
[[maybe_unused]] const bool made = (empty_group(), true);

void check_rank(const Group& group, int rank) {
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < group.size(), MPI_ERR_RANK, "the group has ranks 0 to {}, no {}",
                    group.size() - 1, rank);
}

std::vector<int> listed(const Group& group, int count, const int* ranks) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_ARG, "a list of {} ranks", count);
  need_list(ranks, count, "ranks");
  std::vector<int> list(ranks, ranks + count);
  std::vector<bool> seen(static_cast<std::size_t>(group.size()));
  for (int rank : list) {
    check_rank(group, rank);
    ATOLL_MPI_REQUIRE(!seen[static_cast<std::size_t>(rank)], MPI_ERR_RANK, "rank {} is named twice", rank);
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return list;
}

std::vector<int> unrolled(const Group& group, int count, int ranges[][3]) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_ARG, "a list of {} ranges", count);
  need_list(ranges, count, "ranges");
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) {
    auto [first, last, stride] = std::array{ranges[i][0], ranges[i][1], ranges[i][2]};
    ATOLL_MPI_REQUIRE(stride != 0, MPI_ERR_ARG, "range {} has a stride of 0", i);
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      check_rank(group, rank);
      ranks.push_back(rank);
    }
  }
  return listed(group, static_cast<int>(ranks.size()), ranks.data());
}

void give_chosen(const Group& group, const std::vector<int>& ranks, MPI_Group* made) {
  std::vector<PeId> pes;
  for (int rank : ranks) pes.push_back(group.pe(rank));
  give_group(std::move(pes), made, group.session_buffer());
}

void give_others(const Group& group, const std::vector<int>& ranks, MPI_Group* made) {
  std::vector<bool> out(static_cast<std::size_t>(group.size()));
  for (int rank : ranks) out[static_cast<std::size_t>(rank)] = true;
  std::vector<PeId> pes;
  for (int rank = 0; rank < group.size(); ++rank)
    if (!out[static_cast<std::size_t>(rank)]) pes.push_back(group.pe(rank));
  give_group(std::move(pes), made, group.session_buffer());
}

}  // namespace

Group::Group(std::vector<PeId> pes, SessionBuffer buffer)
    : Object(kind), pes_(std::move(pes)), session_buffer_(std::move(buffer)), plain_(true) {
  for (std::size_t rank = 0; rank < pes_.size(); ++rank) plain_ = plain_ && pes_[rank].value() == rank;
  hold_guests(pes_);
  if (plain_) return;
  for (std::size_t rank = 0; rank < pes_.size(); ++rank) sorted_.emplace_back(pes_[rank], static_cast<int>(rank));
  std::sort(sorted_.begin(), sorted_.end());
}

Group::~Group() { let_guests_go(pes_); }

int Group::look_up(PeId pe) const {
  auto found = std::lower_bound(sorted_.begin(), sorted_.end(), pe,
                                [](const auto& entry, PeId wanted) { return entry.first < wanted; });
  return found != sorted_.end() && found->first == pe ? found->second : MPI_UNDEFINED;
}

void give_group(std::vector<PeId> pes, MPI_Group* group, SessionBuffer buffer) {
  if (pes.empty()) *group = MPI_GROUP_EMPTY;
  else give(make<Group>(std::move(pes), std::move(buffer)), group);
}

void group_compare(MPI_Group one, MPI_Group other, int* result) {
  const Group& left = need<Group>(one);
  const Group& right = need<Group>(other);
  if (left.pes() == right.pes()) {
    *result = MPI_IDENT;
    return;
  }
  auto a = left.pes(), b = right.pes();
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  *result = a == b ? MPI_SIMILAR : MPI_UNEQUAL;
}

void group_free(MPI_Group* group) {
  need<Group>(*group).release();
  *group = MPI_GROUP_NULL;
}

void group_translate(MPI_Group from, int count, const int* ranks, MPI_Group to, int* found) {
  const Group& one = need<Group>(from);
  const Group& other = need<Group>(to);
  ATOLL_MPI_REQUIRE(count >= 0 && (count == 0 || (ranks != nullptr && found != nullptr)), MPI_ERR_ARG,
                    "a list of {} ranks", count);
  for (int i = 0; i < count; ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      found[i] = MPI_PROC_NULL;
      continue;
    }
    check_rank(one, ranks[i]);
    found[i] = other.rank_of(one.pe(ranks[i]));
  }
}

void group_union(MPI_Group one, MPI_Group other, MPI_Group* made) {
  const Group& left = need<Group>(one);
  auto pes = left.pes();
  for (PeId pe : need<Group>(other).pes())
    if (left.rank_of(pe) == MPI_UNDEFINED) pes.push_back(pe);
  give_group(std::move(pes), made, left.session_buffer());
}

void group_intersection(MPI_Group one, MPI_Group other, MPI_Group* made) {
  const Group& right = need<Group>(other);
  std::vector<PeId> pes;
  for (PeId pe : need<Group>(one).pes())
    if (right.rank_of(pe) != MPI_UNDEFINED) pes.push_back(pe);
  give_group(std::move(pes), made, right.session_buffer());
}

void group_difference(MPI_Group one, MPI_Group other, MPI_Group* made) {
  const Group& right = need<Group>(other);
  std::vector<PeId> pes;
  for (PeId pe : need<Group>(one).pes())
    if (right.rank_of(pe) == MPI_UNDEFINED) pes.push_back(pe);
  give_group(std::move(pes), made, right.session_buffer());
}

void group_incl(MPI_Group group, int count, const int* ranks, MPI_Group* made) {
  const Group& from = need<Group>(group);
  give_chosen(from, listed(from, count, ranks), made);
}
void group_excl(MPI_Group group, int count, const int* ranks, MPI_Group* made) {
  const Group& from = need<Group>(group);
  give_others(from, listed(from, count, ranks), made);
}
void group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group* made) {
  const Group& from = need<Group>(group);
  give_chosen(from, unrolled(from, count, ranges), made);
}
void group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group* made) {
  const Group& from = need<Group>(group);
  give_others(from, unrolled(from, count, ranges), made);
}

}  // namespace atl::mpi
