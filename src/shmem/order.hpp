// SPDX-License-Identifier: Apache-2.0
// Memory ordering, and barriers of all PEs.
#pragma once

#include "atoll/runtime/one_sided.hpp"
#include "collective.hpp"

namespace atl::shmem {

inline void fence(Call call, shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  SHMEMX_FENCE_(ctx)
  (void)library(call).contexts_team(call, ctx);
  library(call).one_sided().fence();
}

inline void quiet(Call call, shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  SHMEMX_QUIET_(ctx)
  (void)library(call).contexts_team(call, ctx);
  library(call).one_sided().quiet();
}

void pe_quiet(Call call, shmem_ctx_t ctx, const int* pes, std::size_t npes);

inline void sync_all(Call call) { Collective(call).sync(); }
inline void barrier_all(Call call) { Collective(call).barrier(); }

}  // namespace atl::shmem
