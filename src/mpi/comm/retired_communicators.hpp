// SPDX-License-Identifier: Apache-2.0
// Communicators that were freed here but may still be in use on other members; closed lazily.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "atoll/coll/collectives.hpp"

namespace atl::mpi {

/// Takes it over, from any thread and from hooks. `number` is free again when all members have left it; none: it is not
/// given back.
void leave_way(std::unique_ptr<coll::Communicator> way, std::optional<std::uint64_t> number);
/// Closes retired ones, and releases those that no member uses any more. Does not wait. Not from a hook.
void sweep_ways();
/// A number of this PE's that a communicator had which is no more.
std::optional<std::uint64_t> used_number();

}  // namespace atl::mpi
