// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include "context.hpp"

namespace atl::shmem {

void pe_quiet(Call call, shmem_ctx_t ctx, const int* pes, std::size_t npes) {
  if (ctx == SHMEM_CTX_INVALID || npes == 0) return;
  Library& here = library(call);
  if (here.checking())
    for (std::size_t i = 0; i < npes; ++i) (void)here.contexts().target(call, here, ctx, pes[i]);
  quiet(call, ctx);
}

}  // namespace atl::shmem
