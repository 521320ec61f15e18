// SPDX-License-Identifier: Apache-2.0
// How a process ended, from the status that waitpid() gives.
#pragma once

#include <string>

namespace atl {

/// "was killed by signal 9 (Killed)", "exited with status 3".
std::string describe_end(int wait_status);

/// The status a shell would give: 128 + signal, or the exit status.
int exit_status_of(int wait_status);

}  // namespace atl
