// SPDX-License-Identifier: Apache-2.0
// Programs that are Python scripts.
#pragma once

#include <string>
#include <vector>

namespace atl::runtime {

/// Puts the interpreter `python` before a command that is a Python script: a file whose name ends with .py, or whose
/// first line names Python; looked for from `directory` (empty: ours). Returns whether it is one. Throws ValueError
/// when a .py file is not there.
bool run_by_python(const std::string& python, const std::string& directory, std::vector<std::string>& command);

}  // namespace atl::runtime
