// SPDX-License-Identifier: Apache-2.0
#include "wait.hpp"

#include <sched.h>

namespace atl::shmem {

runtime::Compare comparison(Call call, int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return runtime::Compare::equal;
    case SHMEM_CMP_NE: return runtime::Compare::not_equal;
    case SHMEM_CMP_GT: return runtime::Compare::greater;
    case SHMEM_CMP_GE: return runtime::Compare::greater_equal;
    case SHMEM_CMP_LT: return runtime::Compare::less;
    case SHMEM_CMP_LE: return runtime::Compare::less_equal;
  }
  fail(call, "argument 'cmp': {} is not one of SHMEM_CMP_EQ, NE, GT, GE, LT, LE", cmp);
}

void after_failed_test(Library& here) {
  here.context().progress();
  here.context().check();
  if (here.context().node().oversubscribed) ::sched_yield();
}

std::size_t next_start(std::size_t count) {
  static thread_local std::size_t turn = 0;
  return turn++ % count;
}

}  // namespace atl::shmem
