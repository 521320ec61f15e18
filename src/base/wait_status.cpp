// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/wait_status.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace atl {

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(wait_status), ::strsignal(WTERMSIG(wait_status)));
  return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
}

int exit_status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace atl
