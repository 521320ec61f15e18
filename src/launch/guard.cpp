// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atoll/base/error.hpp"
#include "atoll/base/wait_status.hpp"
#include "output.hpp"
#include "spawn.hpp"

namespace atl::runtime {
namespace {

// Events that guard and launcher wait for.
sigset_t taken_signals() {
  sigset_t taken;
  ::sigemptyset(&taken);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH})
    ::sigaddset(&taken, signal);
  return taken;
}

}  // namespace

bool asks_to_end(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

Signals::Signals(pid_t guard) : guard_(guard) {
  sigset_t taken = taken_signals();
  signals_ = Descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.open()) throw_errno("cannot watch signals");
  // Children of a dead PE become ours, so that none stays behind.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<Signals::Signal> Signals::take() {
  std::vector<Signal> found;
  signalfd_siginfo info{};
  while (::read(signals_.number(), &info, sizeof(info)) == sizeof(info)) {
    if (::getppid() != guard_) gone_ = true;
    auto number = static_cast<int>(info.ssi_signo);
    if (number != SIGCHLD) found.push_back({number, info.ssi_code == SI_KERNEL});
  }
  return found;
}

int run_guarded(const std::function<int(pid_t guard)>& work) {
  sigset_t taken = taken_signals();
  ::pthread_sigmask(SIG_BLOCK, &taken, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t guard = ::getpid();
  pid_t worker = ::fork();
  if (worker < 0) throw_errno("cannot start another process");
  if (worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGHUP);
    if (::getppid() != guard) return 128 + SIGKILL;
    return work(guard);
  }
  for (;;) {
    siginfo_t info{};
    if (::sigwaitinfo(&taken, &info) < 0) continue;
    // From the terminal the launcher has it too.
    if (info.si_signo != SIGCHLD && info.si_code != SI_KERNEL) ::kill(worker, info.si_signo);
    int end = 0;
    if (::waitpid(worker, &end, WNOHANG) != worker) continue;
    kill_children();
    // Else it has said why it ends.
    if (WIFSIGNALED(end))
      say(fmt::format("the inner process of this launcher (pid {}) {}: what it has started was ended", worker,
                      describe_end(end)));
    return exit_status_of(end);
  }
}

}  // namespace atl::runtime
