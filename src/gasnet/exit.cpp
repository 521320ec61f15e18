// SPDX-License-Identifier: Apache-2.0
#include "exit.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

// Time that an exiting rank waits for the others, which may still print.
constexpr double patience_seconds = 1;
constexpr std::int64_t look_again_ns = 200'000;

HeapOffset leaving_word{0};  // on rank 0: number of exiting ranks
std::atomic<bool> leaving{false};
pid_t owner = 0;  // the child of a fork is no rank

void meet(Library& here) noexcept {
  try {
    runtime::OneSided& one_sided = here.one_sided();
    (void)one_sided.fetch_add<std::uint64_t>(PeId(0), leaving_word, 1);
    const Deadline deadline = Deadline::after_seconds(patience_seconds);
    while (one_sided.fetch<std::uint64_t>(PeId(0), leaving_word) < here.size() && !deadline.passed() &&
           !here.job().has_failed()) {
      if (!here.is_handling()) here.make_progress();
      ::usleep(look_again_ns / 1000);
    }
  } catch (const std::exception&) {
    // A rank has failed: the job ends anyway.
  }
}

// Flushes all output before the other ranks are told to end.
void end_job(int status) {
  Library& here = *library_if_open();
  std::fflush(nullptr);
  meet(here);
  here.job().request_exit(status);
}

void at_exit(int status, void*) {
  if (::getpid() != owner || leaving.exchange(true) || library_if_open()->job().exit_requested()) return;
  end_job(status);
}

}  // namespace

void prepare_exit(Library& library) {
  leaving_word = library.memory().reserve_system(sizeof(std::uint64_t));
  owner = ::getpid();
  ::on_exit(at_exit, nullptr);
}

void leave(Call, int status) {
  if (library_if_open() == nullptr) std::_Exit(status & 0xFF);
  if (leaving.exchange(true))  // another thread ends the process
    for (;;) ::pause();
  end_job(status);
  std::_Exit(status & 0xFF);
}

}  // namespace atl::gasnet
