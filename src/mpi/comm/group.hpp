// SPDX-License-Identifier: Apache-2.0
// Ordered sets of PEs.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"
#include "core/object.hpp"

namespace atl::mpi {

/// The buffer of buffered sends that is attached to a communicator or session; message/ derives from it.
class Attached {
 public:
  virtual ~Attached() = default;
};
/// The buffer of a session, shared by the groups and communicators made from it. Null when they come from no session.
using SessionBuffer = std::shared_ptr<std::unique_ptr<Attached>>;

/// An immutable group.
class Group : public Object {
 public:
  using Handle = MPI_Group;
  static constexpr Kind kind = Kind::group;
  static constexpr int error_class = MPI_ERR_GROUP;
  static constexpr const char* what = "group";
  static Handle null_handle() { return MPI_GROUP_NULL; }

  explicit Group(std::vector<PeId> pes, SessionBuffer buffer = nullptr);
  ~Group();

  int size() const { return static_cast<int>(pes_.size()); }
  PeId pe(int rank) const { return pes_[static_cast<std::size_t>(rank)]; }
  const std::vector<PeId>& pes() const { return pes_; }
  const SessionBuffer& session_buffer() const { return session_buffer_; }
  /// MPI_UNDEFINED when `pe` is no member. Cost: constant when rank r is PE r, else logarithmic in size.
  int rank_of(PeId pe) const {
    if (plain_) return pe.value() < pes_.size() ? static_cast<int>(pe.value()) : MPI_UNDEFINED;
    return look_up(pe);
  }

 private:
  int look_up(PeId pe) const;
  std::vector<PeId> pes_;
  SessionBuffer session_buffer_;
  bool plain_;  // rank r is PE r
  std::vector<std::pair<PeId, int>> sorted_;
};

/// Sets `*group` to a new handle, or to MPI_GROUP_EMPTY when there are no PEs.
void give_group(std::vector<PeId> pes, MPI_Group* group, SessionBuffer buffer = nullptr);

void group_compare(MPI_Group one, MPI_Group other, int* result);
void group_free(MPI_Group* group);
void group_rank(MPI_Group group, int* rank);
void group_translate(MPI_Group from, int count, const int* ranks, MPI_Group to, int* found);
void group_union(MPI_Group one, MPI_Group other, MPI_Group* made);
void group_intersection(MPI_Group one, MPI_Group other, MPI_Group* made);
void group_difference(MPI_Group one, MPI_Group other, MPI_Group* made);
void group_incl(MPI_Group group, int count, const int* ranks, MPI_Group* made);
void group_excl(MPI_Group group, int count, const int* ranks, MPI_Group* made);
void group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group* made);
void group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group* made);

}  // namespace atl::mpi
