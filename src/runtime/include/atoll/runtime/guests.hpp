// SPDX-License-Identifier: Apache-2.0
// Guests: processes that join a running job of one node as further PEs. A keeper, a process of its own (`atoll-run
// --guests`), starts and watches them; it ends with the last of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// So many processes of one program.
struct GuestProgram {
  std::vector<std::string> command;
  std::uint32_t count = 1;
  std::string directory;  ///< empty: as we are
  std::string note = {};  ///< what they are to know
};

/// Room for guests in jobs that programs may ask for more.
inline constexpr std::uint32_t usual_guests = fabric::most_guests;

/// Starts them, for PE `host`, in places that were taken for all of them (Job::take_guests), from `cohort.first` on.
/// `launcher`: the path of atoll-run. Throws SetupError when a keeper cannot be started. Of guests that do not come to
/// join one at least is marked as dead, without notice: a PE that waits for them looks (Job::has_died), and gives up
/// the others, which ends them.
void start_guests(const fabric::Job& job, PeId host, fabric::Cohort cohort, std::span<const GuestProgram> programs,
                  const std::string& launcher);
/// GuestProgram::note. Empty: this process is no guest.
std::string note_for_guest();

}  // namespace atl::runtime
