// SPDX-License-Identifier: Apache-2.0
// How an agent comes to run on its host: the command for it, what it is told of the environment, and where it is to
// report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atoll/launch/launcher.hpp"

namespace atl::runtime {

/// Words as a shell would part them: blanks, '…', "…". Throws ValueError for a quote without end.
std::vector<std::string> split_words(const std::string& text);

/// The command that runs `program` on `host`: `launch_agent` with its {host} replaced, or the host appended. ssh and
/// rsh pass the words to a shell there, so for these they are quoted.
std::vector<std::string> command_on_host(const std::string& launch_agent, const std::string& host,
                                         std::vector<std::string> program);

/// What PEs on other hosts are to find in their environment: the variables of Atoll, OpenSHMEM, libfabric, OpenMP,
/// Python and the loader, and those named. NAME=VALUE.
std::vector<std::string> carried_environment(const LaunchOptions& options);

/// Where the launcher listens, and under which addresses each host can reach it.
struct MeetingPlace {
  std::string listen;                            ///< empty: on all
  std::vector<std::vector<std::string>> by_host;
};
/// `direct` says of each host whether its agent is a child on this host. Throws ValueError when the address asked for
/// is not ours.
MeetingPlace choose_meeting_place(const LaunchOptions& options, const std::vector<bool>& direct);

}  // namespace atl::runtime
