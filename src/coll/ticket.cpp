// SPDX-License-Identifier: Apache-2.0
// Tests whether a started operation has completed, without waiting for it.
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/progress.hpp"
#include "engine.hpp"

namespace atl::coll::detail {

bool Engine::test(std::uint64_t ticket) {
  if (!is_finished(ticket)) {
    throw_if_broken();
    try_advance();
    if (!is_finished(ticket)) {
      parts_.progress.progress();
      try {
        parts_.failures.check();
      } catch (...) {
        mail_.withdraw();  // the caller has its memory back
        throw;
      }
      throw_if_broken();
    }
    if (!is_finished(ticket)) {
      look_after_vain_test();
      return false;
    }
  }
  rest();
  return true;
}

void Engine::rest() {
  if (hook_.load(std::memory_order_relaxed) == 0 || queued_.load(std::memory_order_relaxed) != 0) return;
  Hold hold(*this);
  if (hook_ != 0 && queue_.empty()) parts_.progress.remove_hook(hook_.exchange(0));
}

}  // namespace atl::coll::detail
