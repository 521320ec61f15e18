// SPDX-License-Identifier: Apache-2.0
#include "fault/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "fault/agreement.hpp"
#include "fault/news.hpp"
#include "mpi-ext.h"
#include "request/background.hpp"

namespace atl::mpi {
namespace {

template <class T>
T read(const std::vector<std::byte>& from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof(T));
  return value;
}

// A member's value in an agreement: | value: 8 | PEs of failed ranks: 4 each |
std::vector<std::byte> opinion(std::uint64_t value, const std::vector<PeId>& pes) {
  std::vector<std::byte> bytes(sizeof(value) + pes.size() * sizeof(PeId));
  std::memcpy(bytes.data(), &value, sizeof(value));
  if (!pes.empty()) std::memcpy(bytes.data() + sizeof(value), pes.data(), pes.size() * sizeof(PeId));
  return bytes;
}
std::uint64_t value_of(const std::vector<std::byte>& opinion) { return read<std::uint64_t>(opinion, 0); }
std::vector<PeId> pes_of(const std::vector<std::byte>& opinion) {
  std::vector<PeId> pes;
  for (std::size_t at = sizeof(std::uint64_t); at < opinion.size(); at += sizeof(PeId))
    pes.push_back(read<PeId>(opinion, at));
  return pes;
}
bool contains(const std::vector<PeId>& pes, PeId pe) { return std::find(pes.begin(), pes.end(), pe) != pes.end(); }

Flow agree_flow(Ref<Comm> comm, int mine, int* flag) {
  Agreement agreement(*comm, opinion(static_cast<std::uint32_t>(mine), comm->acknowledged()));
  co_await agreement;
  Opinions opinions = agreement.take();
  std::uint32_t all = ~0u;
  std::vector<PeId> dead;
  const std::vector<PeId> members = comm->everybody();
  for (std::size_t i = 0; i < members.size(); ++i)
    if (opinions[i]) all &= static_cast<std::uint32_t>(value_of(*opinions[i]));
    else dead.push_back(members[i]);
  comm->note_failed(dead);
  *flag = static_cast<int>(all);
  // All members compute the same: whether every member with a value knows all failed members.
  for (const auto& one : opinions)
    for (PeId pe : dead)
      if (one && !contains(pes_of(*one), pe))
        fail_with(MPIX_ERR_PROC_FAILED, fmt::format("PE {} has died, and not all have acknowledged that", pe.value()),
                  comm.get());
}

Flow shrink_flow(Ref<Comm> comm, MPI_Comm* made) {
  Agreement agreement(*comm, opinion(new_number(), comm->failed()));
  co_await agreement;
  Opinions opinions = agreement.take();
  std::vector<PeId> dead;
  for (const auto& one : opinions)
    if (one)
      for (PeId pe : pes_of(*one)) dead.push_back(pe);
  const std::vector<PeId> members = comm->everybody();
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!opinions[i]) dead.push_back(members[i]);
    else if (number == 0 && !contains(dead, members[i])) number = value_of(*opinions[i]);
  }
  comm->note_failed(dead);
  auto survivors = [&](const Group& group) {
    std::vector<PeId> pes;
    for (PeId pe : group.pes())
      if (!contains(dead, pe)) pes.push_back(pe);
    return make<Group>(std::move(pes));
  };
  auto result =
      make<Comm>(number, survivors(*comm->local()), comm->is_inter() ? survivors(*comm->remote()) : Ref<Group>());
  *result->errors() = *comm->errors();
  give(std::move(result), made);
}

// The communicator of a ULFM call. Such a call shows that the program handles failed ranks.
Comm& of_recovery(MPI_Comm handle) {
  answer_deaths_here();
  return need<Comm>(handle);
}

}  // namespace

void comm_revoke(MPI_Comm handle) { revoke(of_recovery(handle)); }

void comm_is_revoked(MPI_Comm handle, int* flag) {
  library().progress().progress();
  *flag = need<Comm>(handle).revoked();
}

void comm_shrink(MPI_Comm handle, MPI_Comm* made) { run(shrink_flow(Ref<Comm>(of_recovery(handle)), made)); }

void comm_shrink_start(MPI_Comm handle, MPI_Comm* made, MPI_Request* request) {
  Comm& comm = of_recovery(handle);
  *made = MPI_COMM_NULL;
  start(shrink_flow(Ref<Comm>(comm), made), request);
}

void comm_agree(MPI_Comm handle, int* flag) { run(agree_flow(Ref<Comm>(of_recovery(handle)), *flag, flag)); }

void comm_agree_start(MPI_Comm handle, int* flag, MPI_Request* request) {
  start(agree_flow(Ref<Comm>(of_recovery(handle)), *flag, flag), request);
}

void comm_get_failed(MPI_Comm handle, MPI_Group* failed) { give_group(of_recovery(handle).failed(), failed); }

void comm_ack_failed(MPI_Comm handle, int count, int* acknowledged) {
  Comm& comm = of_recovery(handle);
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_ARG, "{} ranks to acknowledge", count);
  *acknowledged = comm.acknowledge(static_cast<std::size_t>(count));
}

void comm_failure_ack(MPI_Comm handle) {
  Comm& comm = of_recovery(handle);
  (void)comm.acknowledge(comm.failed().size());
}

void comm_failure_get_acked(MPI_Comm handle, MPI_Group* failed) {
  give_group(of_recovery(handle).acknowledged(), failed);
}

}  // namespace atl::mpi
