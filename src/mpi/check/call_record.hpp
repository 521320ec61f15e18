// SPDX-License-Identifier: Apache-2.0
// Record of a collective call. Each member sends it to all others before the call itself begins, which shows which
// members have called and whether all calls agree.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/comm.hpp"
#include "flow/flow.hpp"

namespace atl::mpi::check {

class CallRecord final : public Waiting {
 public:
  static constexpr int no_root = INT32_MIN;
  CallRecord(Comm& comm, const char* function, int root = no_root, MPI_Op op = MPI_OP_NULL);
  CallRecord(const CallRecord&) = delete;
  CallRecord& operator=(const CallRecord&) = delete;

  // Elements that this rank sends to, or receives from, a rank of the intra-communicator. Unspecified amounts are not
  // compared.
  void gives(int rank, MPI_Count count, MPI_Datatype type);
  void takes(int rank, MPI_Count count, MPI_Datatype type);

  /// Sends the record to the other members.
  void call();
  /// Whether the records of all members have arrived. May be called from hooks.
  bool ready() override;
  /// Members whose record has not arrived, as of the last ready(); empty before that.
  std::vector<PeId> missing() const;
  /// Call when ready(). Throws Failure that names two members whose calls differ.
  void judge() const;
  const char* function() const { return mine_.front().function; }
  Comm& comm() const { return *comm_; }

 private:
  struct Share {
    std::int64_t count, bytes;  // -1: unspecified
    std::uint64_t signature;
    char type[32];
  };
  struct Said {
    char function[40];
    std::int32_t root;
    std::uint32_t op;  // the constant of a predefined operation; 0: no operation; 1: user-defined
    Share gives, takes;
  };
  static Share share_of(MPI_Count count, MPI_Datatype type);
  static std::string text_of(const Share& share);
  std::string name_of(std::size_t index) const;

  Ref<Comm> comm_;
  std::vector<PeId> pes_;  // all members but this one
  std::vector<int> ranks_;  // of an intra-communicator
  std::vector<Said> mine_, theirs_;
  std::vector<runtime::Request> sent_, awaited_;
};

}  // namespace atl::mpi::check
