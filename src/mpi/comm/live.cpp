// SPDX-License-Identifier: Apache-2.0
#include "comm/live.hpp"

#include <mutex>
#include <set>
#include <vector>

#include "atoll/fabric/job.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

struct Live {
  std::recursive_mutex mutex;  // a visitor may release the visited communicator
  std::set<Comm*> comms;
  std::set<std::uint64_t> revoked;  // revoked numbers of communicators that this rank has not created yet or has freed
  std::set<std::uint64_t> given_up;
};
Live& live() {
  static auto& all = *new Live;
  return all;
}

}  // namespace

namespace detail {

bool enlist(Comm& comm) {
  std::lock_guard lock(live().mutex);
  live().comms.insert(&comm);
  live().given_up.erase(comm.number());
  return live().revoked.erase(comm.number()) != 0;
}

void strike(Comm& comm) {
  std::lock_guard lock(live().mutex);
  live().comms.erase(&comm);
  if (is_active() && (comm.revoked() || mpi::library().job().has_failed())) live().given_up.insert(comm.number());
}

}  // namespace detail

void for_each_comm(const std::function<void(Comm&)>& visit) {
  std::lock_guard lock(live().mutex);
  std::vector<Comm*> comms(live().comms.begin(), live().comms.end());
  for (Comm* comm : comms)
    if (live().comms.contains(comm)) visit(*comm);
}

void note_revoked(std::uint64_t number) {
  std::lock_guard lock(live().mutex);
  live().revoked.insert(number);
}

bool was_given_up(std::uint64_t number) {
  std::lock_guard lock(live().mutex);
  return live().given_up.contains(number);
}

bool is_noted_revoked(std::uint64_t number) {
  std::lock_guard lock(live().mutex);
  return live().revoked.contains(number);
}

}  // namespace atl::mpi
