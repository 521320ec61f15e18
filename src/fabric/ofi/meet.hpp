// SPDX-License-Identifier: Apache-2.0
// What an endpoint learns of another process's from its card.
#pragma once

#include <cstddef>
#include <string>

#include "atoll/fabric/job.hpp"
#include "device.hpp"

namespace atl::fabric::ofi {

/// Tells `device`, endpoint number `lane` of PE `self`, of the endpoint with that number of PE `pe`, which has sent
/// `cards`. Throws SetupError when the two do not fit together, naming both.
RemoteMemory meet(Device& device, const Job& job, PeId self, PeId pe, const std::string& cards, std::size_t lane);

}  // namespace atl::fabric::ofi
