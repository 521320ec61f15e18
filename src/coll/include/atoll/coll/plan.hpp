// SPDX-License-Identifier: Apache-2.0
// The steps of a collective without memory to run on: what each member sends, awaits and computes, from the same
// schedule builders that the executors use. For the simulator, which computes the cost of a schedule on a machine that
// does not exist.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/coll/placement.hpp"

namespace atl::coll {

struct PlanStep {
  enum class Kind : std::uint8_t {
    put,        ///< a small message
    take,       ///< awaits one
    fold,       ///< awaits one, and combines it
    send,       ///< a large one; complete at the next join
    recv,       ///< accepts one; complete at the next join
    recv_fold,  ///< likewise, and combines it
    join,       ///< all sends and receives since the last join are complete
    copy,
    reduce,
    identity,
    compute,    ///< `bytes` picoseconds of other work; written by patterns of programs, not by collectives
  };
  Kind kind;
  std::uint32_t peer;
  std::uint64_t bytes;
  bool placed = false;  ///< put, take: straight into the receiver's memory, which copies nothing
};

struct PlanOptions {
  std::string collective;          ///< "allreduce"
  std::string algorithm = "auto";  ///< "recursive_doubling"; auto: what a communicator would choose
  std::uint64_t bytes = 0;         ///< as coll::Communicator counts them: of the vector, or of each block
  std::uint64_t element_bytes = 8;
  int root = 0;
  std::uint64_t cores = 0;  ///< of each node, shared by its members; 0: each has one
};

/// Thread-safe once made. Keeps a reference to the placement.
class Planner {
 public:
  /// Throws ValueError for names that are not known (with those that are), a root that is no member, bytes that are no
  /// whole elements.
  Planner(const PlanOptions& options, const Placement& placement);
  ~Planner();
  /// Replaces `steps` by those of that member. Cost: that of building the schedule.
  void write(int rank, std::vector<PlanStep>& steps) const;
  /// The algorithm that was chosen.
  std::string_view algorithm() const;

  /// Every collective with its algorithms.
  static std::vector<std::pair<std::string_view, std::vector<std::string_view>>> known();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atl::coll
