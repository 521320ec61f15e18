// SPDX-License-Identifier: Apache-2.0
// Guests: processes that join a running job as further PEs. In a job of one node a keeper, a process of its own
// (`atoll-run --guests`), starts and watches them; it ends with the last of them. In a job of several nodes the
// launcher does (GuestDesk), by its agents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// So many processes of one program.
struct GuestProgram {
  std::vector<std::string> command;
  std::uint32_t count = 1;
  std::string directory;  ///< empty: as we are
  std::string note = {};  ///< what they are to know
  std::string path = {};  ///< folders in which the program is looked for before PATH; of jobs of several hosts
  std::vector<std::string> hosts = {};  ///< on which it may run; empty: any. Of jobs of several hosts
};

/// By which all others come to know a guest of a job of several nodes.
struct Newcomer {
  PeId pe{0};
  std::uint32_t node = 0;
  std::string host;
  std::string card;  ///< NetworkEnd::card()
};

/// What PEs of a job of several nodes and its launcher have to say of guests. Thread-safe but for introduce() and
/// gather().
class GuestDesk {
 public:
  struct Answer {
    PeId first{0};        ///< of the guests, one after the other
    std::string refusal;  ///< why there are none; empty: all others know them, and they know all others
  };
  /// What a guest is told before it joins.
  struct Introduction {
    std::vector<PeId> gone;        ///< have left or died
    std::vector<Newcomer> guests;  ///< all that have come, itself and its cohort too
  };

  virtual ~GuestDesk() = default;
  /// Asks for so many processes, where the job has room for `room` guests in all. Returns a number for answer().
  virtual std::uint32_t ask(const std::vector<GuestProgram>& programs, std::uint32_t room) = 0;
  /// Nothing: there is none yet. A wait for it is woken.
  virtual std::optional<Answer> answer(std::uint32_t request) = 0;
  /// These are not wanted: the launcher ends them.
  virtual void give_up(fabric::Cohort guests) noexcept = 0;
  /// This PE knows the newcomers whose first is `first`, or objects to them.
  virtual void confirm(PeId first, const std::string& objection) = 0;

  /// For a guest: what the PEs that the job began with have published under `key`, by PE.
  virtual std::vector<std::string> gather(std::string_view key, Deadline deadline) = 0;
  /// For a guest: returns when all others know it, and the whole cohort has come so far.
  virtual Introduction introduce(const Newcomer& self, Deadline deadline) = 0;
  /// For a guest on a host where the job began with no PE: the Job::join_name() of the memory of its node, which the
  /// agent of the host makes for the first guest and keeps for all. Throws SetupError when it cannot be made.
  virtual std::string find_memory(const fabric::JobOptions& options, Deadline deadline) = 0;
};

/// Room for guests in jobs that programs may ask for more.
inline constexpr std::uint32_t usual_guests = fabric::most_guests;

/// GuestProgram::note. Empty: this process is no guest.
std::string note_for_guest();

}  // namespace atl::runtime
