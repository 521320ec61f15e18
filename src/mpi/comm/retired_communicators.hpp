// SPDX-License-Identifier: Apache-2.0
// Communicators that were freed here but may still be in use on other members; closed lazily.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "atoll/coll/collectives.hpp"
#include "comm/group.hpp"

namespace atl::mpi {

/// A freed communicator's coll. `groups`: the members, whose memory it uses until it is closed. `number` becomes
/// reusable when all members have freed the communicator; none: no number becomes reusable.
struct RetiredWay {
  std::unique_ptr<coll::Communicator> way;
  std::optional<std::uint64_t> number;
  std::array<Ref<Group>, 2> groups;
};

/// Takes it over; callable from any thread and from hooks.
void leave_way(RetiredWay way);
/// Closes retired communicators, and destroys those that no member uses any more. Does not wait. Not from a hook.
void sweep_ways();
/// A reusable communicator number of this PE; none when there is none.
std::optional<std::uint64_t> used_number();

}  // namespace atl::mpi
