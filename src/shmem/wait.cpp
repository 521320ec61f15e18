// SPDX-License-Identifier: Apache-2.0
#include "wait.hpp"

#include <sched.h>

#include <array>
#include <cstdint>

#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"

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
  here.progress().progress();
  here.failures().check();
  if (here.one_sided().node().oversubscribed) ::sched_yield();
}

std::size_t next_start(std::size_t count) {
  static thread_local std::size_t turn = 0;
  return turn++ % count;
}

}  // namespace atl::shmem

// Programs also wait by fetching a word, or several words in turn, in a loop. Such a PE would keep its core for a time
// slice: Bale's histo with exstack2 took 180 to 280 ms on 4 PEs and 280 to 300 on 8, with this function 2 to 5 and 3 to
// 10 (20,000 updates each, 2 busy cores).
extern "C" void shmemx_looked_v1(const void* word, std::uint64_t value) {
  struct Look {
    const void* word;
    std::uint64_t value;
  };
  constexpr std::uintptr_t words = 16;
  static thread_local std::array<Look, words> before{};
  auto address = reinterpret_cast<std::uintptr_t>(word);
  Look& last = before[(address >> 3 ^ address >> 6) % words];
  if (last.word == word && last.value == value) ::sched_yield();
  last = {word, value};
}
