// SPDX-License-Identifier: Apache-2.0
// What a hanging test says before it fails: the stacks of all threads of this process and of all that it started.
#pragma once

#include <string>

namespace atl::testing {

/// Writes `why` and the stacks to stderr: with gdb where that is installed, otherwise as addresses for addr2line, and
/// then only of processes forked from this one. Takes seconds; may be called from any thread.
void dump_stacks(const std::string& why);

}  // namespace atl::testing
