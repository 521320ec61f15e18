// SPDX-License-Identifier: Apache-2.0
#include "comm/held_guests.hpp"

#include <map>
#include <mutex>

#include "atoll/fabric/job.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

struct HeldGuests {
  std::mutex mutex;
  std::map<PeId, std::uint32_t> groups;  // by guest: how many it is a member of
};
HeldGuests& held() {
  static auto& all = *new HeldGuests;
  return all;
}

// Of groups that the program has not freed.
void let_all_go() {
  std::lock_guard lock(held().mutex);
  for (const auto& [guest, groups] : held().groups)
    for (std::uint32_t group = 0; group < groups; ++group) library().job().let_go(guest);
  held().groups.clear();
}

[[maybe_unused]] const bool added = (add_end(let_all_go), true);

// The memory of this process's own cohort is kept while one of its processes lives.
bool is_held(const fabric::Job& job, PeId pe) {
  return pe.value() >= job.npes() && pe.value() - job.cohort().first.value() >= job.cohort().count && job.is_local(pe);
}

}  // namespace

void hold_guests(const std::vector<PeId>& members) {
  if (!is_active()) return;
  fabric::Job& job = library().job();
  if (job.guests() == 0) return;
  std::lock_guard lock(held().mutex);
  for (PeId pe : members) {
    if (!is_held(job, pe)) continue;
    job.hold(pe);
    (void)job.find_guest(pe);
    ++held().groups[pe];
  }
}

void let_guests_go(const std::vector<PeId>& members) {
  if (!is_active()) return;
  fabric::Job& job = library().job();
  if (job.guests() == 0) return;
  std::lock_guard lock(held().mutex);
  for (PeId pe : members) {
    const auto found = held().groups.find(pe);
    if (found == held().groups.end()) continue;
    job.let_go(pe);
    if (--found->second == 0) held().groups.erase(found);
  }
}

}  // namespace atl::mpi
