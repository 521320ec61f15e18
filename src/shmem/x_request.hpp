// SPDX-License-Identifier: Apache-2.0
// Non-blocking collectives.
#pragma once

#include "collective.hpp"
#include "shmemx.h"

namespace atl::shmem {

void start_sync(Call call, shmem_team_t team, shmemx_request_t* request);
void start_broadcast(Call call, shmem_team_t team, void* dest, const void* source, std::size_t bytes, int root,
                     shmemx_request_t* request);
void start_fcollect(Call call, shmem_team_t team, void* dest, const void* source, std::size_t bytes,
                    shmemx_request_t* request);
void start_alltoall(Call call, shmem_team_t team, void* dest, const void* source, std::size_t bytes,
                    shmemx_request_t* request);
void start_reduction(Call call, shmem_team_t team, void* dest, const void* source, std::size_t count,
                     const coll::Reduction& reduction, shmemx_request_t* request);

template <class T>
void start_reduce(Call call, shmem_team_t team, T* dest, const T* source, std::size_t count, coll::Op op,
                  shmemx_request_t* request) {
  start_reduction(call, team, dest, source, count, coll::reduction_of<typename Element<T>::type>(op), request);
}

/// Returns 1 when the request is complete, and sets it to SHMEMX_REQUEST_INVALID. An invalid request is complete.
int test_request(Call call, shmemx_request_t* request);
void wait_request(Call call, shmemx_request_t* request);
void wait_requests(Call call, shmemx_request_t* requests, std::size_t count);

}  // namespace atl::shmem
