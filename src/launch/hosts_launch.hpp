// SPDX-License-Identifier: Apache-2.0
// The launcher of a job on several hosts: starts an agent on each, is the place where they meet, and speaks to the user
// for all of them.
#pragma once

#include "atoll/launch/launcher.hpp"

namespace atl::runtime {

/// As launch(), for options with hosts.
int launch_on_hosts(const LaunchOptions& asked);

}  // namespace atl::runtime
