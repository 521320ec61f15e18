// SPDX-License-Identifier: Apache-2.0
// How a PE of a recoverable job says that it has left the job and waits until dead PEs have been replaced.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/ledger.hpp"

namespace atl::runtime {

// In the reserved part of LedgerHead:
//
// | offset | bytes | field | valid when                                                                             |
// |--------|-------|-------|----------------------------------------------------------------------------------------|
// |   0    |   4   | waits | always; 1: the PE has left, and joins again once Job::recoveries() has gone up (release) |
struct RecoveryWait {
  std::atomic<std::uint32_t> waits;
};
static_assert(sizeof(RecoveryWait) <= sizeof(LedgerHead::reserved));

inline RecoveryWait& recovery_wait_of(const fabric::Job& job, PeId pe) {
  return *reinterpret_cast<RecoveryWait*>(job.segment(pe) + ledger_offset + offsetof(LedgerHead, reserved));
}
/// Called by a PE when its Context has ended, before it looks at Job::recoveries(). Until then no process calls
/// Job::recover().
inline void begin_recovery_wait(const fabric::Job& job, PeId pe) {
  recovery_wait_of(job, pe).waits.store(1, std::memory_order_release);  // partner: waits_for_recovery()
}
/// By the process that calls Job::recover(), after it and before Job::announce_recovery(): no PE waits from now on.
inline void end_recovery_waits(const fabric::Job& job) {
  for (std::uint32_t pe = 0; pe < job.npes(); ++pe)
    recovery_wait_of(job, PeId(pe)).waits.store(0, std::memory_order_relaxed);
}
inline bool waits_for_recovery(const fabric::Job& job, PeId pe) {
  return recovery_wait_of(job, pe).waits.load(std::memory_order_acquire) != 0;  // partner: begin_recovery_wait()
}

}  // namespace atl::runtime
