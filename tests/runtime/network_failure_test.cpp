// SPDX-License-Identifier: Apache-2.0
// Jobs over the network of which a PE dies.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <fstream>

#include "atoll/base/error.hpp"
#include "run_nodes.hpp"

namespace atl::runtime {
namespace {

using ::testing::HasSubstr;
using testing::run_nodes;
using testing::succeeded;

using NetworkFailures = testing::Network;

// Of the process: 'T' when it is stopped.
char state_of(std::uint64_t pid) {
  std::string text;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", pid)), text);
  std::size_t name = text.rfind(')');
  return name == std::string::npos || name + 2 >= text.size() ? '?' : text[name + 2];
}

enum class Transfer { put_nbi, get_nbi, get };

// PE 0 moves more than sockets hold, to or from PE 1, which is stopped, and PE 2 fails. PE 0's memory goes before PE 1
// goes on.
int lose_memory_within(Transfer how, const std::shared_ptr<Bootstrap>& bootstrap) {
  constexpr std::size_t bytes = std::size_t{16} << 20;
  auto seat = join_through(bootstrap);
  Context context(seat.job, seat.pe);
  HeapOffset block = context.allocate_symmetric(bytes), pid = context.allocate_symmetric(8);
  *context.local_pointer<std::uint64_t>(pid) = 0;
  context.barrier();
  auto await_stop = [&] {
    context.wait([&] {
      return std::atomic_ref(*context.local_pointer<std::uint64_t>(pid)).load(std::memory_order_acquire) != 0;
    });
    std::uint64_t stopped = *context.local_pointer<std::uint64_t>(pid);
    while (state_of(stopped) != 'T') ::sched_yield();
    return static_cast<pid_t>(stopped);
  };
  try {
    if (context.pe() == PeId(1)) {
      for (std::uint32_t pe : {0u, 2u})
        context.set<std::uint64_t>(PeId(pe), pid, static_cast<std::uint64_t>(::getpid()));
      context.quiet();
      ::raise(SIGSTOP);
    } else if (context.pe() == PeId(2)) {
      (void)await_stop();
      context.job().mark_failed(PeId(2), 0, "fails as the test wants it");
    } else {
      pid_t stopped = await_stop();
      void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      struct Caller {
        void* memory;
        pid_t stopped;
        ~Caller() {
          EXPECT_EQ(::munmap(memory, bytes), 0);
          ::kill(stopped, SIGCONT);
        }
      } caller{memory, stopped};
      for (int i = 0; i < 4; ++i) {
        if (how == Transfer::put_nbi) context.put_nbi(PeId(1), block, memory, bytes);
        else if (how == Transfer::get_nbi) context.get_nbi(memory, PeId(1), block, bytes);
        else context.get(memory, PeId(1), block, bytes);
      }
      context.quiet();
    }
    context.wait([] { return false; });
  } catch (const PeFailedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("fails as the test wants it"));
    // What PE 1 sends now, or takes, is looked at.
    if (context.pe() == PeId(0))
      for (Deadline deadline = Deadline::after_ns(50'000'000); !deadline.passed();) context.endpoint().poll();
    return 0;
  }
  return 1;
}

TEST_F(NetworkFailures, TransfersOutliveBuffersOfACallThatThrowsAtADeath) {
  for (Transfer how : {Transfer::put_nbi, Transfer::get_nbi, Transfer::get})
    for (int end :
         run_nodes({"reef", "shoal", "cove"}, [&](auto bootstrap, PeId) { return lose_memory_within(how, bootstrap); }))
      EXPECT_TRUE(succeeded(end)) << static_cast<int>(how) << ": " << end;
}

// A program that only sends, to a PE that takes nothing, is told of the death of another, and of that PE's own.
TEST_F(NetworkFailures, ASendingPeIsNotifiedOfADeath) {
  for (std::uint32_t dies : {1u, 2u}) {
    auto ends = run_nodes({"reef", "shoal", "cove"}, [&](auto bootstrap, PeId) {
      auto seat = join_through(bootstrap);
      Context context(seat.job, seat.pe);
      HandlerId take = context.register_handler([](Context&, PeId, std::span<const std::byte>) {});
      context.barrier();
      std::vector<std::byte> message(100'000);
      try {
        if (context.pe() == PeId(0))
          for (int i = 0;; ++i) {
            if (i == 1000) context.job().mark_failed(PeId(dies), 0, "fails as the test wants it");
            context.send(PeId(1), take, message);
          }
        while (!context.job().has_failed()) ::sched_yield();  // takes no messages
      } catch (const PeFailedError&) { return 0; }
      return context.pe() == PeId(0) ? 1 : 0;
    });
    for (int end : ends) EXPECT_TRUE(succeeded(end)) << "PE " << dies;
  }
}

// What a survivor does; 0: it was told by the right exception, in time.
int survive(const std::shared_ptr<Bootstrap>& bootstrap, PeId dies, const std::string& host, bool talk) {
  auto seat = join_through(bootstrap);
  Context context(seat.job, seat.pe);
  HeapOffset word = context.allocate_symmetric(8);
  std::int64_t begin = now_ns();
  try {
    context.barrier();  // the last of it may come after the death
    if (context.pe() == dies) ::raise(SIGKILL);
    if (talk)
      for (;; context.check()) (void)context.fetch_add<std::uint64_t>(dies, word, 1);  // its neighbour maps the word
    context.wait([] { return false; });
  } catch (const PeFailedError& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("PE {}", dies.value())));
    EXPECT_THAT(error.what(), HasSubstr(host));
    EXPECT_LT(now_ns() - begin, 10'000'000'000);
    return 0;
  }
  return 1;
}

TEST_F(NetworkFailures, ADeathOnOneNodeIsKnownOnAll) {
  for (bool talk : {false, true}) {
    auto ends = run_nodes({"reef", "reef", "shoal", "shoal"},
                          [&](auto bootstrap, PeId) { return survive(bootstrap, PeId(3), "shoal", talk); });
    for (std::size_t pe : {0, 1, 2}) EXPECT_TRUE(succeeded(ends[pe])) << "PE " << pe << (talk ? ", talking" : "");
    EXPECT_TRUE(WIFSIGNALED(ends[3]));
  }
}

TEST_F(NetworkFailures, AnUnansweringNodeIsLost) {
  ::setenv("ATOLL_PEER_TIMEOUT", "4", 1);
  for (bool talk : {false, true}) {
    auto ends = run_nodes({"reef", "reef", "shoal"},
                          [&](auto bootstrap, PeId) { return survive(bootstrap, PeId(2), "shoal", talk); });
    for (std::size_t pe : {0, 1}) EXPECT_TRUE(succeeded(ends[pe])) << "PE " << pe << (talk ? ", talking" : "");
    EXPECT_TRUE(WIFSIGNALED(ends[2]));
  }
  ::unsetenv("ATOLL_PEER_TIMEOUT");
}

}  // namespace
}  // namespace atl::runtime
