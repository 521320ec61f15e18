// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/doorbell.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "atoll/base/scheduler.hpp"

namespace atl::fabric {
namespace {

// Longest sleep with membarrier, when no wake-up can be lost, and without it.
constexpr std::int64_t longest_sleep_ns = 100'000'000;
constexpr std::int64_t longest_blind_sleep_ns = 1'000'000;

std::uint32_t* futex_word(PeRecord& record) { return reinterpret_cast<std::uint32_t*>(&record.sleeping); }

}  // namespace

bool prepare_sleeping() noexcept {
  static const bool available = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return available;
}

void wake_sleepers(PeRecord& record) noexcept {
  // Acquire-release, so that only one of several wakers makes the system call; partner: `announce`.
  if (record.sleeping.exchange(0, std::memory_order_acq_rel) == 0) return;
  if (Scheduler* simulation = Scheduler::current(); simulation != nullptr) simulation->wake(&record);
  else ::syscall(SYS_futex, futex_word(record), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Sleeper::announce() noexcept {
  // Sequentially consistent: the caller's next check of its condition must come after; partner: ring_bell's load.
  record_.sleeping.store(1, std::memory_order_seq_cst);
  if (Scheduler::current() != nullptr) return;
  if (prepare_sleeping()) ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

void Sleeper::block(std::int64_t limit_ns) noexcept {
  if (Scheduler* simulation = Scheduler::current(); simulation != nullptr) {
    if (record_.sleeping.load(std::memory_order_relaxed) != 0)
      simulation->sleep(&record_, std::min(limit_ns, longest_sleep_ns));
    return;
  }
  limit_ns = std::clamp<std::int64_t>(limit_ns, 0, prepare_sleeping() ? longest_sleep_ns : longest_blind_sleep_ns);
  timespec limit{limit_ns / 1'000'000'000, limit_ns % 1'000'000'000};
  ::syscall(SYS_futex, futex_word(record_), FUTEX_WAIT, 1, &limit, nullptr, 0);
}

}  // namespace atl::fabric
