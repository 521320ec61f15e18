// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "atoll/base/config.hpp"

namespace atl {

bool log_enabled(LogLevel level) {
  static const int wanted = config::choice(config::Variable::log);
  return static_cast<int>(level) <= wanted;
}

void log_line(LogLevel level, std::string_view text) {
  static constexpr std::array names{"error", "warning", "info", "debug"};
  auto pe = config::text(config::Variable::pe);
  std::string line = pe.empty()
                         ? fmt::format("atoll {}: {}\n", names[static_cast<std::size_t>(level)], text)
                         : fmt::format("atoll[PE {}] {}: {}\n", pe, names[static_cast<std::size_t>(level)], text);
  // One write per line, so that lines of several PEs do not mix.
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace atl
