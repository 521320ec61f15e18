// SPDX-License-Identifier: Apache-2.0
// Stacks on demand, and a watchdog over each test: of one that does not end within ATOLL_TEST_SECONDS it prints them
// and ends it, before ctest would without a word. Linked into every test program.
#include "stacks.hpp"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#ifndef ATOLL_TEST_SECONDS
#error "the build says how long a test may take"
#endif

namespace atl::testing {
namespace {

namespace fs = std::filesystem;

const int stack_signal = SIGRTMIN + 5;

void on_stack_signal(int) {
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

std::vector<pid_t> numbers_in(const fs::path& folder) {
  std::vector<pid_t> numbers;
  std::error_code gone;  // a process may end while we look
  for (const auto& entry : fs::directory_iterator(folder, gone))
    if (pid_t number = std::atoi(entry.path().filename().c_str())) numbers.push_back(number);
  return numbers;
}

/// A process and all below it, parents first.
std::vector<pid_t> family(pid_t oldest) {
  std::vector<pid_t> members{oldest};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const fs::path tasks = "/proc/" + std::to_string(members[i]) + "/task";
    for (pid_t task : numbers_in(tasks)) {
      std::ifstream children(tasks / std::to_string(task) / "children");
      for (pid_t child; children >> child;) members.push_back(child);
    }
  }
  return members;
}

std::string program_of(pid_t pid) {
  std::error_code gone;
  return fs::read_symlink("/proc/" + std::to_string(pid) + "/exe", gone).string();
}

/// Runs gdb on a process, for at most 20 s. False when there is none, or it may not look.
bool print_with_gdb(pid_t pid) {
  const std::string target = std::to_string(pid);
  pid_t gdb = ::fork();
  if (gdb == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execlp("gdb", "gdb", "-nx", "-batch", "-p", target.c_str(), "-ex", "set pagination off", "-ex",
             "thread apply all backtrace 40", nullptr);
    ::_exit(127);
  }
  if (gdb < 0) return false;
  for (int tenths = 0; tenths < 200; ++tenths) {
    int status = 0;
    if (::waitpid(gdb, &status, WNOHANG) == gdb) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ::poll(nullptr, 0, 100);
  }
  ::kill(gdb, SIGKILL);
  ::waitpid(gdb, nullptr, 0);
  return false;
}

/// Has each thread write its own stack.
void print_by_signal(pid_t pid) {
  if (program_of(pid) != program_of(::getpid())) return;  // it has no handler, and would die
  for (pid_t task : numbers_in("/proc/" + std::to_string(pid) + "/task")) {
    std::fprintf(stderr, "-- thread %d of process %d\n", task, pid);
    ::syscall(SYS_tgkill, pid, task, stack_signal);
    ::poll(nullptr, 0, 100);  // one after the other, so that the lines do not mix
  }
}

void print_family(pid_t oldest, const std::string& why) {
  std::fprintf(stderr, "\n== %s. Stacks:\n", why.c_str());
  for (pid_t pid : family(oldest)) {
    std::fprintf(stderr, "== process %d, %s\n", pid, program_of(pid).c_str());
    if (!print_with_gdb(pid)) print_by_signal(pid);
  }
}

/// Suites whose names end with "Slow" have more time (cmake/AtollSuites.cmake: likewise).
int seconds_of(const std::string& test) {
  constexpr int slow_factor = 6;
  return ATOLL_TEST_SECONDS * (test.find("Slow.") != std::string::npos ? slow_factor : 1);
}

/// The watchdog's process: hears the name of each test that starts, and nothing but an end of line when it ends.
[[noreturn]] void watch(int heard, pid_t tested) {
  std::string name;
  for (;;) {
    pollfd ready{heard, POLLIN, 0};
    const int limit = seconds_of(name);
    if (::poll(&ready, 1, name.empty() ? -1 : limit * 1000) == 0) {
      print_family(tested, name + " did not end within " + std::to_string(limit) + " s");
      std::vector<pid_t> members = family(tested);
      for (std::size_t i = members.size(); i-- > 0;) ::kill(members[i], SIGKILL);
      ::_exit(0);
    }
    char words[512];
    ssize_t got = ::recv(heard, words, sizeof words, 0);  // whole messages
    if (got <= 0) ::_exit(0);
    name.assign(words, static_cast<std::size_t>(got) - 1);
  }
}

/// A process of its own, because a thread would be in the way of tests that fork, and because it must not hang as well.
/// A detached process, because tests wait for all their children.
class Watchdog final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const ::testing::UnitTest&) override {
    void* frame;
    backtrace(&frame, 1);  // loads what the handler would have to load
    struct sigaction action = {};
    action.sa_handler = on_stack_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(stack_signal, &action, nullptr);
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // gdb may look at us, and at forked processes

    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    const pid_t tested = ::getpid();
    pid_t between = ::fork();
    if (between == 0) {
      if (::fork() != 0) ::_exit(0);
      ::close(ends[1]);
      watch(ends[0], tested);
    }
    ::close(ends[0]);
    ::waitpid(between, nullptr, 0);
    tell_ = ends[1];
  }
  void OnTestStart(const ::testing::TestInfo& test) override {
    tell(std::string(test.test_suite_name()) + "." + test.name() + "\n");
  }
  void OnTestEnd(const ::testing::TestInfo&) override { tell("\n"); }

 private:
  void tell(const std::string& words) {
    if (tell_ >= 0) (void)::send(tell_, words.data(), words.size(), MSG_NOSIGNAL);
  }

  int tell_ = -1;
};

// Before main: so that the programs need no main of their own.
[[maybe_unused]] const bool watched = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);  // which owns it
  return true;
}();

}  // namespace

void dump_stacks(const std::string& why) { print_family(::getpid(), why); }

}  // namespace atl::testing
