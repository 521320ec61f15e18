// SPDX-License-Identifier: Apache-2.0
// Connecting an endpoint to those of another process by its card.
#pragma once

#include <cstddef>
#include <string>

#include "atoll/fabric/job.hpp"
#include "device.hpp"

namespace atl::fabric::ofi {

/// Connects `device`, endpoint number `lane` of PE `self`, to the endpoint with the same number of PE `pe`, which sent
/// `cards`. Throws SetupError, naming both, when the two are incompatible.
RemoteMemory meet(Device& device, const Job& job, PeId self, PeId pe, const std::string& cards, std::size_t lane);

}  // namespace atl::fabric::ofi
