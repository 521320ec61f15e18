// SPDX-License-Identifier: Apache-2.0
// A program for tests of the launcher: joins the job it was started in and does what its first argument says.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/job.hpp"

namespace {

using namespace atl;

int work(runtime::Context& context, const std::string& what, int argc, char** argv) {
  std::uint32_t pe = context.pe().value();
  if (what == "hello") {
    std::printf("hello from %u of %u\n", pe, context.npes());
    return 0;
  }
  if (what == "lines") {
    for (int i = 0; i < 500; ++i) std::printf("%u:%d:%s:end\n", pe, i, std::string(100 + i % 50, 'x').c_str());
    return 0;
  }
  if (what == "status") {  // PE k exits with k, the highest first
    context.barrier();
    context.wait([] { return false; }, Deadline::after_seconds(pe + 1 == context.npes() ? 0.0 : 0.2)) ==
            Status::timed_out
        ? void()
        : std::abort();
    return static_cast<int>(pe);
  }
  if (what == "die") {  // the last PE dies in the middle of many barriers; each has a child
    if (argc > 2 && ::fork() == 0) {
      ::execlp("sleep", "sleep", argv[2], nullptr);
      ::_exit(1);
    }
    for (int round = 0;; ++round) {
      if (round == 100 && pe + 1 == context.npes()) ::raise(SIGKILL);
      context.barrier();
    }
  }
  if (what == "leave") {  // PE 0 leaves without a word
    context.barrier();
    if (pe == 0) ::_exit(0);
    context.barrier();
    return 0;
  }
  if (what == "stubborn") {  // hears of no failure
    context.barrier();
    if (pe + 1 == context.npes()) ::raise(SIGKILL);
    for (;;) ::pause();
  }
  if (what == "idle") {  // says its pid, then waits for ever
    std::ofstream(std::string(argv[2]) + "." + std::to_string(pe)) << ::getpid() << std::endl;
    context.barrier();
    std::printf("ready\n");
    std::fflush(stdout);
    context.wait([] { return false; });
  }
  if (what == "worker") {  // adds its number to PE 0's word, then serves until the driver is done
    context.add<std::uint64_t>(PeId(0), HeapOffset(runtime::Context::system_bytes - 64), pe);
    context.wait([&] { return context.job().shutdown_requested(); });
    return 0;
  }
  std::fprintf(stderr, "unknown request %s\n", what.c_str());
  return 99;
}

}  // namespace

int main(int argc, char** argv) {
  std::string what = argc > 1 ? argv[1] : "hello";
  try {
    auto membership = runtime::join_from_environment();
    if (!membership) {
      std::printf("no job\n");
      return 98;
    }
    runtime::Context context(membership->job, membership->pe);
    return work(context, what, argc, argv);
  } catch (const PeFailedError& error) {
    std::printf("survivor: %s\n", error.what());
    std::fflush(stdout);
    return 17;
  } catch (const Error& error) {
    std::printf("error: %s\n", error.what());
    return 18;
  }
}
