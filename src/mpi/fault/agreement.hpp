// SPDX-License-Identifier: Apache-2.0
// Agreement among the live members of a communicator: each member's value reaches all or counts for none, whichever
// members die meanwhile. Works on revoked communicators.
#pragma once

#include <optional>
#include <vector>

#include "comm/comm.hpp"

namespace atl::mpi {

/// What each member (Comm::everybody) has said; nothing of those that were dead. The same on all that are alive.
using Opinions = std::vector<std::optional<std::vector<std::byte>>>;

/// The lowest member that is alive collects what all others that are alive say, and tells all of them. When it dies the
/// next one does that, and takes over what has been decided already if anybody alive knows: those that have gone on
/// answer for that long. Members that have freed the communicator since a death count as dead.
class Agreement : public Waiting {
 public:
  /// The next one on this communicator: the same calls in the same order on all members.
  Agreement(Comm& comm, std::vector<std::byte> mine);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  bool ready() override;
  Opinions take();

 private:
  struct Key {
    std::uint64_t comm, number;
  } key_;
  std::vector<PeId> members_;
  std::vector<std::byte> mine_;
  std::optional<PeId> told_;  // the collector that knows what this rank says
  bool asked_ = false;  // as a later collector: the others were asked
};

}  // namespace atl::mpi
