// SPDX-License-Identifier: Apache-2.0
// The keeper of guests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace atl::runtime {

struct KeeperOptions {
  std::uint32_t first = 0;  ///< the first of the guests that this one keeps
  std::uint32_t count = 1;
  std::uint32_t host = 0;   ///< the PE that asked for them, which may have no launcher that watches it
  std::vector<std::string> command;
};

/// `atoll-run --guests FIRST COUNT HOST PROGRAM …`, of the job in the environment. Goes into the background. The exit
/// status.
int keep_guests(const KeeperOptions& options);

}  // namespace atl::runtime
