// SPDX-License-Identifier: Apache-2.0
// A program for tests of the launcher: joins the job it was started in and does what its first argument says.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/static_data.hpp"

namespace {

using namespace atl;

std::uint64_t global_word = 1;

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
  if (what == "end") {  // one PE, argv[3], ends the whole job; each PE's buffer has one word
    std::printf("word of %u;", pe);
    context.barrier();
    if (pe == static_cast<std::uint32_t>(std::atoi(argv[3]))) {
      context.job().request_exit(std::atoi(argv[2]));
      std::exit(std::atoi(argv[2]));
    }
    if (pe == 1)
      for (;;) ::pause();  // does not look
    context.wait([] { return false; });
  }
  if (what == "globals") {  // wherever the loader put them: writes to the next PE's
    runtime::StaticData data(context);
    const runtime::StaticRegion& region = data.regions()[0];
    auto at = reinterpret_cast<std::byte*>(&global_word) - region.begin;
    context.put_value<std::uint64_t>(PeId((pe + 1) % context.npes()), HeapOffset(region.at.value() + at), 10 + pe);
    context.barrier();
    std::printf("%p %lu\n", static_cast<void*>(&global_word), global_word);
    context.barrier();
    return 0;
  }
  if (what == "leave") {  // PE 0 leaves without a word
    context.barrier();
    if (pe == 0) ::_exit(0);
    context.barrier();
    return 0;
  }
  if (what == "stubborn") {  // ignores failures
    context.barrier();
    if (pe + 1 == context.npes()) ::raise(SIGKILL);
    for (;;) ::pause();
  }
  if (what == "idle" || what == "throws") {  // says its pid, then waits for ever
    std::ofstream(std::string(argv[2]) + "." + std::to_string(pe)) << ::getpid() << std::endl;
    if (argc > 3 && ::fork() == 0) {
      ::execlp("sleep", "sleep", argv[3], nullptr);
      ::_exit(1);
    }
    context.barrier();
    std::printf("ready\n");
    std::fflush(stdout);
    context.wait([] { return false; });
  }
  if (what == "talks") {  // all others send PE 0 messages of 1 MB for ever
    auto take = context.register_handler([](runtime::Context&, PeId, std::span<const std::byte>) {});
    context.barrier();
    std::printf("ready\n");
    std::fflush(stdout);
    std::vector<std::byte> message(1'000'000);
    while (pe != 0) context.send(PeId(0), take, message);
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
    if (membership && what == "symmetric") {  // 100 blocks of 2 MiB
      runtime::Context context(membership->job, membership->pe, {.symmetric_bytes = config::symmetric_bytes()});
      for (int i = 0; i < 100; ++i) (void)context.allocate_symmetric(std::size_t{2} << 20);
      context.barrier();
      return 0;
    }
    if (!membership) {
      std::printf("no job\n");
      return 98;
    }
    runtime::Context context(membership->job, membership->pe, {.static_bytes = runtime::StaticData::bytes_needed()});
    try {
      return work(context, what, argc, argv);
    } catch (const PeFailedError&) {
      if (auto status = membership->job->exit_requested()) return *status;
      throw;
    }
  } catch (const PeFailedError& error) {
    if (what == "throws") throw;
    std::printf("survivor: %s\n", error.what());
    std::fflush(stdout);
    return 17;
  } catch (const Error& error) {
    std::printf("error: %s\n", error.what());
    return 18;
  }
}
