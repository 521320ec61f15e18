// SPDX-License-Identifier: Apache-2.0
// Starting processes that join a running job of one node as further PEs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/bootstrap/guests.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// Starts them in a job of one node, for PE `host`, in places that were taken for all of them (Job::take_guests), from
/// `cohort.first` on. `launcher`: the path of atoll-run. Throws SetupError when a keeper cannot be started. Of guests
/// that do not come to join one at least is marked as dead, without notice: a PE that waits for them looks
/// (Job::has_died), and gives up the others, which ends them.
void start_guests(const fabric::Job& job, PeId host, fabric::Cohort cohort, std::span<const GuestProgram> programs,
                  const std::string& launcher);
/// Hosts that a file for the launcher's --hostfile names. Throws ValueError.
std::vector<std::string> hosts_in_file(const std::string& path);

}  // namespace atl::runtime
