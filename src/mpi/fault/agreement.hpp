// SPDX-License-Identifier: Apache-2.0
// Agreement among the live members of a communicator: each member's value reaches either all members or none, whichever
// members fail meanwhile. Works on revoked communicators.
#pragma once

#include <optional>
#include <vector>

#include "comm/comm.hpp"

namespace atl::mpi {

/// The value of each member (Comm::everybody); none for failed members. The same on all live members.
using Opinions = std::vector<std::optional<std::vector<std::byte>>>;

/// The coordinator, which is the lowest live member, collects the values of all live members and sends the decision to
/// all. When it fails, the next one takes over and adopts a decision that any live member knows; members that have
/// completed keep answering for that purpose. Members that have freed the communicator after a failure count as failed.
class Agreement : public Waiting {
 public:
  /// Begins the next agreement on this communicator. All members make the same calls in the same order.
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
  std::optional<PeId> told_;  // the coordinator that has this rank's value
  bool asked_ = false;  // as a coordinator that took over: the others have been asked
};

}  // namespace atl::mpi
