// SPDX-License-Identifier: Apache-2.0
#include "x_request.hpp"

#include <cstring>

#include "wait.hpp"

/// A collective in progress.
struct shmemx_request_v1 {
  atl::shmem::Team& team;
  atl::coll::Request request;
};

namespace atl::shmem {
namespace {

void hand_out(Team& team, coll::Request request, shmemx_request_t* handle) {
  *handle = new shmemx_request_v1{team, std::move(request)};
  team.under_way.fetch_add(1, std::memory_order_relaxed);
}

void complete(shmemx_request_t* handle) {
  (*handle)->team.under_way.fetch_sub(1, std::memory_order_relaxed);
  delete *handle;
  *handle = SHMEMX_REQUEST_INVALID;
}

}  // namespace

void start_sync(Call call, shmem_team_t team, shmemx_request_t* request) {
  Team& found = library(call).teams().find(call, team);
  hand_out(found, found.communicator->ibarrier(), request);
}

void start_broadcast(Call call, shmem_team_t team, void* dest, const void* source, std::size_t bytes, int root,
                     shmemx_request_t* request) {
  Collective here(call, team);
  here.check_root(root);
  void* to = here.place("dest", dest, bytes);
  void* from = here.place("source", source, bytes);
  bool mine = here.communicator().rank() == root;
  if (mine && to != from && bytes != 0) std::memcpy(to, from, bytes);
  hand_out(library(call).teams().find(call, team), here.communicator().ibroadcast(mine ? from : to, bytes, root),
           request);
}

void start_fcollect(Call call, shmem_team_t team, void* dest, const void* source, std::size_t bytes,
                    shmemx_request_t* request) {
  Collective here(call, team);
  void* to = here.place("dest", dest, bytes * static_cast<std::size_t>(here.communicator().size()));
  void* from = here.place("source", source, bytes);
  hand_out(library(call).teams().find(call, team), here.communicator().iallgather(from, bytes, to), request);
}

void start_alltoall(Call call, shmem_team_t team, void* dest, const void* source, std::size_t bytes,
                    shmemx_request_t* request) {
  Collective here(call, team);
  std::size_t all = bytes * static_cast<std::size_t>(here.communicator().size());
  void* to = here.place("dest", dest, all);
  void* from = here.place("source", source, all);
  hand_out(library(call).teams().find(call, team),
           here.communicator().ialltoall(from, bytes, to, coll::Destination::symmetric), request);
}

void start_reduction(Call call, shmem_team_t team, void* dest, const void* source, std::size_t count,
                     const coll::Reduction& reduction, shmemx_request_t* request) {
  Collective here(call, team);
  std::size_t bytes = count * reduction.element_bytes();
  void* to = here.place("dest", dest, bytes);
  void* from = here.place("source", source, bytes);
  hand_out(library(call).teams().find(call, team), here.communicator().iallreduce(from, to, count, reduction), request);
}

int test_request(Call call, shmemx_request_t* request) {
  Library& here = library(call);
  if (*request == SHMEMX_REQUEST_INVALID) return 1;
  if (!(*request)->request.test()) {
    after_failed_test(here);
    return 0;
  }
  complete(request);
  return 1;
}

void wait_request(Call call, shmemx_request_t* request) {
  (void)library(call);
  if (*request == SHMEMX_REQUEST_INVALID) return;
  (*request)->request.wait();
  complete(request);
}

void wait_requests(Call call, shmemx_request_t* requests, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) wait_request(call, &requests[i]);
}

}  // namespace atl::shmem
