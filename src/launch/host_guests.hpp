// SPDX-License-Identifier: Apache-2.0
// The launcher's part in MPI_Comm_spawn over several hosts: finds places and hosts for guests, has the agents start
// them, and makes them known to all other PEs before any of these can meet them. One cohort after the other, so that
// each knows all that came before it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/bootstrap/control/guest_order.hpp"
#include "atoll/launch/launcher.hpp"
#include "host_agents.hpp"
#include "pe_state.hpp"

namespace atl::runtime {

class HostGuests {
 public:
  /// All must outlive it. `pes` grows by those that are to be started.
  HostGuests(const LaunchOptions& options, HostAgents& agents, std::vector<PeState>& pes)
      : options_(options), agents_(agents), pes_(pes) {}

  /// Takes what an agent says of guests. False: it says something else. Throws SetupError.
  bool take(std::uint32_t host, const Frame& frame);
  /// A PE has ended. True: it is a guest that has not been admitted, and its cohort fails.
  bool take_end(std::uint32_t pe);
  /// An idle host's agent has connected: sends what guests there have to know, then the order to start them.
  void welcome(std::uint32_t host);
  /// No more PEs are on that host, and none can be started there. `why` is for the processes that want some there.
  void lose_host(std::uint32_t host, const std::string& why);
  /// Gives a cohort up that has waited for too long.
  void look_after();
  /// The job ends: no guests come any more.
  void stop();
  /// Whether a PE is a guest that has not been admitted.
  bool has(std::uint32_t pe) const { return cohort_ && pe - cohort_->first < cohort_->count; }

 private:
  struct Wish {
    std::uint32_t pe = 0;  // that asks
    GuestWish what;
  };
  struct Cohort {
    Wish wish;
    std::uint32_t first = 0, count = 0;
    std::vector<std::uint32_t> program_of = {};  // by guest
    std::vector<std::string> cards = {};         // of those that have come
    bool introduced = false;
    std::set<std::uint32_t> unconfirmed = {};  // hosts whose PEs do not know them all yet
    Deadline deadline = Deadline::never();
  };

  void begin_next();
  void begin(Wish wish);
  std::uint32_t choose_host(const GuestProgram& program, std::uint32_t asker) const;
  void start();
  void order(std::uint32_t host);
  void take_started(std::uint32_t host, Unpacker& reader);
  void take_newcomer(std::uint32_t host, Unpacker& reader);
  void take_confirmation(std::uint32_t host, Unpacker& reader);
  void admit_if_known();
  void fail(const std::string& why);
  void give_up(std::uint32_t first, std::uint32_t count);
  void answer(const Wish& wish, std::uint32_t first, const std::string& refusal);
  const std::string& name_of(std::uint32_t host) const { return options_.hosts[host].name; }

  const LaunchOptions& options_;
  HostAgents& agents_;
  std::vector<PeState>& pes_;
  std::deque<Wish> wishes_;
  std::optional<Cohort> cohort_;  // that is being started
  std::map<std::uint32_t, std::string> cards_;  // of guests that have been admitted and are not gone, by PE
  bool stopped_ = false;
};

}  // namespace atl::runtime
