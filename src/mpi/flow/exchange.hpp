// SPDX-License-Identifier: Apache-2.0
// A set of concurrent messages of bytes between PEs, which a flow can await.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/messaging/matching.hpp"
#include "flow/flow.hpp"

namespace atl::mpi {

class Exchange : public Waiting {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  /// Cancels receives that have not been matched.
  ~Exchange();

  void send(PeId to, std::uint64_t tag, const void* data, std::size_t bytes);
  void receive(PeId from, std::uint64_t tag, void* into, std::size_t bytes);
  bool ready() override;

 private:
  struct Pending {
    runtime::Request request;
    PeId peer;
    std::uint64_t tag;
  };
  std::vector<Pending> pending_;
  std::size_t done_ = 0;
};

/// A list of PEs that communicate, with this PE's rank in it and the match bits that they use.
struct Circle {
  const std::vector<PeId>* pes;
  int rank;
  std::uint64_t tag;

  int size() const { return static_cast<int>(pes->size()); }
  PeId pe(int member) const { return (*pes)[static_cast<std::size_t>(member)]; }
};

// Collectives of a few bytes for set-up, by binomial trees. `circle.pes` must outlive the flow.
Flow broadcast_bytes(Circle circle, void* data, std::size_t bytes, int root = 0);
/// Stores the `bytes` of member m at `all` + m * bytes.
Flow allgather_bytes(Circle circle, const void* mine, std::size_t bytes, void* all);
Flow barrier_of(Circle circle);

}  // namespace atl::mpi
