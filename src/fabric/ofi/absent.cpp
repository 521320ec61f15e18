// SPDX-License-Identifier: Apache-2.0
// In the place of the network when libfabric's headers were not there to build it.
#include <fmt/format.h>

#include "atoll/base/raise.hpp"
#include "atoll/fabric/deferred.hpp"
#include "atoll/fabric/network.hpp"

namespace atl::fabric {
namespace {

constexpr const char* why = "Atoll was built without libfabric's headers (Debian: libfabric-dev)";

}  // namespace

std::unique_ptr<NetworkEnd> open_network(Job&, PeId, const std::vector<std::string>&) {
  raise<SetupError>(fmt::format("this job spans several nodes, but {}. Install them and build again", why));
}

std::vector<std::string> network_interfaces() { raise<SetupError>(why); }

bool has_deferred_work(const Job&) { return false; }

std::unique_ptr<DeferredWork> open_deferred_work(Job&, PeId, std::span<const DeferredWork::Channel>) {
  raise<SetupError>(why);
}

std::string describe_network() { return fmt::format("none: {}", why); }

}  // namespace atl::fabric
