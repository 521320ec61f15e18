// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/owner.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

#include "atoll/base/clock.hpp"

namespace atl {
namespace {

// The owner of a network path polls once and releases it, in less time than a yield takes; some owners copy a long
// transfer meanwhile.
constexpr int tries = 200, yields = 600;
constexpr std::chrono::microseconds nap{20};

}  // namespace

void Owner::wait_to_take() {
  for (int i = 0; !try_take(); ++i) {
    if (i < tries) cpu_relax();
    else if (i < tries + yields) ::sched_yield();
    else std::this_thread::sleep_for(nap);
  }
}

}  // namespace atl
