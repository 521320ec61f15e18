// SPDX-License-Identifier: Apache-2.0
// What PEs of a job run: one program as a rule, several where the command line has a `:`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atl::runtime {

struct Program {
  std::uint32_t pes = 0;  ///< those that follow the PEs of the program before; of the last one: all that are left
  std::vector<std::string> command;
  std::vector<std::string> environment = {};  ///< NAME=VALUE, for its PEs alone
  std::string directory = {};  ///< to start in; empty: the launcher's
};

/// Number of the program that PE `pe` runs. Cost: linear in their number.
inline std::uint32_t program_of(const std::vector<Program>& programs, std::uint32_t pe) {
  std::uint32_t number = 0;
  for (std::uint64_t end = 0; number + 1 < programs.size(); ++number)
    if ((end += programs[number].pes) > pe) break;
  return number;
}

}  // namespace atl::runtime
