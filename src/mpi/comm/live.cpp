// SPDX-License-Identifier: Apache-2.0
#include "comm/live.hpp"

#include <mutex>
#include <set>
#include <vector>

namespace atl::mpi {
namespace {

struct Live {
  std::recursive_mutex mutex;  // a communicator may be released by whom it is shown to
  std::set<Comm*> comms;
  std::set<std::uint64_t> revoked;  // numbers nobody here has, or nobody has any more
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
  return live().revoked.erase(comm.number()) != 0;
}

void strike(Comm& comm) {
  std::lock_guard lock(live().mutex);
  live().comms.erase(&comm);
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

bool is_noted_revoked(std::uint64_t number) {
  std::lock_guard lock(live().mutex);
  return live().revoked.contains(number);
}

}  // namespace atl::mpi
