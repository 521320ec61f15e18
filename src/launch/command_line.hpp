// SPDX-License-Identifier: Apache-2.0
// Reads the launcher's command line.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/launch/launcher.hpp"

namespace atl::runtime {

enum class Wish : std::uint8_t { launch, help, version };

/// Reads `arguments`, of which the first is the launcher itself, into `options`. Throws UsageError, and ValueError for
/// a hostfile that cannot be read.
Wish parse_command_line(std::span<const char* const> arguments, LaunchOptions& options);

}  // namespace atl::runtime
