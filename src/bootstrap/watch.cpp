// SPDX-License-Identifier: Apache-2.0
#include "watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/base/wait_status.hpp"
#include "atoll/fabric/network.hpp"
#include "newcomer.hpp"

namespace atl::runtime {
namespace {

// Survivors have this long to say what they have to say.
constexpr std::int64_t grace_ns = 1'000'000'000;

int open_process(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

// Not our child, so waitpid does not tell. Until its parent has asked, the kernel's table does, to the same user.
std::string end_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  std::size_t name = line.rfind(')');
  std::size_t last = line.rfind(' ');
  if (name == std::string::npos || name + 2 >= line.size() || line[name + 2] != 'Z') return "died";
  int end = std::atoi(line.c_str() + last + 1);
  bool well = WIFEXITED(end) && WEXITSTATUS(end) == 0;
  return well ? "ended without finalizing, while other PEs still work" : describe_end(end);
}

}  // namespace

Watch::Watch(fabric::Job& job, Bootstrap& bootstrap, std::vector<Neighbour> neighbours, Doomed doomed)
    : job_(job), bootstrap_(bootstrap), neighbours_(std::move(neighbours)), doomed_(doomed) {
  if (neighbours_.empty() && bootstrap_.news() < 0) return;
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  if (stop_ < 0) throw_errno("cannot watch the other PEs of this node (eventfd)");
  thread_ = start_thread("atoll-watch", [this] { run(); });
}

Watch::~Watch() {
  if (!thread_.joinable()) return;
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(stop_, &one, sizeof(one));
  thread_.join();
  ::close(stop_);
}

// What comes first: this watch is to stop, the process has ended, the launcher has something to say.
Watch::Event Watch::wait(int process) const {
  for (;;) {
    pollfd list[] = {{stop_, POLLIN, 0}, {process, POLLIN, 0}, {bootstrap_.news(), POLLIN, 0}};
    if (::poll(list, 3, -1) <= 0) continue;
    return list[0].revents != 0 ? Event::stop : list[1].revents != 0 ? Event::end : Event::news;
  }
}

// True when it was a death that ends the job, or the launcher ends all PEs. Then the launcher ends what does not end by
// itself, and further ends are not worth a report.
bool Watch::hear_news() {
  while (auto news = bootstrap_.take_news()) {
    if (news->kind == Bootstrap::News::Kind::ending) return true;
    if (news->kind == Bootstrap::News::Kind::survival) {
      job_.note_survival(news->survival);
      continue;
    }
    if (news->kind == Bootstrap::News::Kind::newcomers) {
      admit_newcomers(*news);
      continue;
    }
    if (news->kind == Bootstrap::News::Kind::given_up) {
      for (std::uint32_t guest = 0; guest < news->guests.count; ++guest)
        give_up(PeId(news->guests.first.value() + guest));
      continue;
    }
    if (news->kind == Bootstrap::News::Kind::answered) {
      job_.wake_all();  // a thread of this process waits for it
      continue;
    }
    // The other nodes hear it from the launcher, too.
    PeId pe(news->failure.rank);
    job_.hear({.kind = fabric::News::Kind::failed,
               .pe = pe,
               .pid = job_.record(pe).pid.load(std::memory_order_relaxed),
               .text = job_.nodes() > 1 ? news->failure.sentence() : news->failure.how});
    if (news->kind == Bootstrap::News::Kind::job_failed) return true;
  }
  return false;
}

void Watch::admit_newcomers(const Bootstrap::News& news) {
  std::string objection;
  try {
    for (const Newcomer& one : news.newcomers) admit(job_, one);
  } catch (const Error& error) { objection = error.what(); }
  bootstrap_.guests()->confirm(news.guests.first, objection);
}

void Watch::give_up(PeId guest) {
  if (guest.value() >= job_.places() || job_.has_died(guest)) return;
  job_.give_up_guest(guest);
  fabric::dismiss(job_, guest);
}

bool Watch::stopped_within(std::int64_t limit_ns) const {
  Deadline deadline = Deadline::after_ns(limit_ns);
  do {
    pollfd stop{stop_, POLLIN, 0};
    if (::poll(&stop, 1, static_cast<int>(std::max<std::int64_t>(0, deadline.remaining_ns() / 1'000'000))) > 0)
      return true;
  } while (!deadline.passed());
  return false;
}

void Watch::run() {
  sigset_t all;  // signals are for the program's own threads
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  if (hear_news()) return;  // what came together with the last answer
  for (const Neighbour& neighbour : neighbours_) {
    int process = open_process(neighbour.pid);
    if (process < 0 && errno != ESRCH) {
      log(LogLevel::warning, "cannot watch PE {}: the death of a PE may go unnoticed (pidfd_open)",
          neighbour.pe.value());
      return;
    }
    std::string how = "died";
    if (process >= 0) {
      Event event;
      while ((event = wait(process)) == Event::news && !hear_news()) {}
      if (event == Event::end) how = end_of(neighbour.pid);
      ::close(process);
      if (event != Event::end) return;
    }
    // Acquire: all it did. Partner: the release when a Context ends.
    auto state = static_cast<fabric::PeState>(job_.record(neighbour.pe).state.load(std::memory_order_acquire));
    if (state == fabric::PeState::finalized) continue;
    if (!report(neighbour, how)) return;
  }
  while (wait(-1) == Event::news && !hear_news()) {}
}

// False: the job ends.
bool Watch::report(const Neighbour& neighbour, const std::string& how) {
  // An agent that kills its PEs has told them before.
  if (hear_news()) return false;
  int status = 1;
  if (auto wanted = job_.exit_requested()) {
    status = *wanted & 0xFF;
  } else {
    job_.record(neighbour.pe).pid.store(neighbour.pid, std::memory_order_relaxed);
    job_.mark_failed(neighbour.pe, 0, how);
    if (!job_.is_ending()) return true;
    if (doomed_ == Doomed::goes_on) return false;  // the agent reports the death to the launcher
    log_line(LogLevel::error, job_.failure());
  }
  if (doomed_ == Doomed::goes_on) return false;
  // Waits fail now, and programs end. One that computes, or that goes on regardless, must not stay behind.
  if (stopped_within(grace_ns)) return false;
  // What another node's PEs have said of deaths may have come since.
  if (!hear_news() && !job_.is_ending()) return true;
  bootstrap_.abort(status, job_.failure());
  if (stopped_within(grace_ns)) return false;
  ::kill(::getpid(), SIGKILL);  // the launcher does not do what it should
  return false;
}

}  // namespace atl::runtime
