// SPDX-License-Identifier: Apache-2.0
// One line per event on standard error: `atoll[PE 3] warning: …`. The function that detects an event logs it; its
// callers do not.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace atl {

enum class LogLevel { error, warning, info, debug };

/// True when ATOLL_LOG asks for this level.
bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view text);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace atl
