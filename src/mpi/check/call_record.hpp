// SPDX-License-Identifier: Apache-2.0
// A collective call as each member tells every other of it, before anything else of it happens: which members have
// come, and whether all make the same call.
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

  // What goes to that rank of an intra-communicator, and what is expected from it. What nothing is said of is not
  // compared.
  void gives(int rank, MPI_Count count, MPI_Datatype type);
  void takes(int rank, MPI_Count count, MPI_Datatype type);

  /// Tells the others.
  void call();
  /// Whether all have told. Also from hooks.
  bool ready() override;
  /// Those that have not; none before ready() has been asked.
  std::vector<PeId> missing() const;
  /// When all have: Failure that names two members whose calls differ.
  void judge() const;
  const char* function() const { return mine_.front().function; }
  Comm& comm() const { return *comm_; }

 private:
  struct Share {
    std::int64_t count, bytes;  // -1: nothing is said of it
    std::uint64_t signature;
    char type[32];
  };
  struct Said {
    char function[40];
    std::int32_t root;
    std::uint32_t op;  // the constant of a predefined one; 0: none; 1: of the program's own
    Share gives, takes;
  };
  static Share share_of(MPI_Count count, MPI_Datatype type);
  static std::string text_of(const Share& share);
  std::string name_of(std::size_t index) const;

  Ref<Comm> comm_;
  std::vector<PeId> pes_;  // all but this one
  std::vector<int> ranks_; // of an intra-communicator
  std::vector<Said> mine_, theirs_;
  std::vector<runtime::Request> sent_, awaited_;
};

}  // namespace atl::mpi::check
