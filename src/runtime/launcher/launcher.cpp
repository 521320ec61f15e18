// SPDX-License-Identifier: Apache-2.0
// The launcher's loop: one thread, which waits for output, signals and ends of PEs at once.
#include "atoll/runtime/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/runtime/job.hpp"
#include "output.hpp"
#include "spawn.hpp"

namespace atl::runtime {
namespace {

// After a PE has died the others have this long to say what they have to say, then they are killed.
constexpr std::int64_t grace_ns = 1'000'000'000;
// When the launcher itself is told to end, PEs have this long to react to the signal.
constexpr std::int64_t signal_grace_ns = 5'000'000'000;
constexpr int tick_ms = 100;
// When a PE ends the whole job, those that hear of it may still write what they have buffered.
constexpr std::int64_t exit_grace_ns = 300'000'000;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int number() const { return number_; }

 private:
  int number_;
};

struct Pe {
  pid_t pid = 0;  // 0: has ended
  int wait_status = 0;
  std::array<Descriptor, 2> output;  // standard output and error
};

void say(const std::string& text) {
  std::string line = "atoll-run: " + text + "\n";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

class Launch {
 public:
  Launch(const LaunchOptions& options, pid_t guard);
  int run();

 private:
  void start(std::uint32_t pe);
  void read_output(std::uint32_t pe, std::size_t which);
  void take_signals();
  void reap();
  void judge(std::uint32_t pe);
  void fail(int status, std::int64_t grace);
  void signal_all(int signal);
  void kill_everything();
  bool all_ended() const {
    return std::all_of(pes_.begin(), pes_.end(), [](const Pe& pe) { return pe.pid == 0; });
  }
  fabric::PeState state_of(std::uint32_t pe) const {
    // Acquire: partner is the release of Context.
    return static_cast<fabric::PeState>(job_->record(PeId(pe)).state.load(std::memory_order_acquire));
  }

  const LaunchOptions& options_;
  pid_t guard_;
  unsigned threads_;
  bool direct_;  // one PE without a label writes to our own terminal
  std::shared_ptr<fabric::Job> job_;
  Descriptor signals_;
  Descriptor null_;
  std::vector<Pe> pes_;
  std::array<LineMerger, 2> mergers_;
  std::vector<char> buffer_;
  int status_ = 0;
  bool failing_ = false;
  Deadline kill_at_ = Deadline::never();
};

unsigned choose_threads(const LaunchOptions& options) {
  if (options.threads != 0) return options.threads;
  auto wanted = static_cast<unsigned>(config::integer(config::Variable::threads));
  if (wanted != 0) return wanted;
  return std::max(1u, static_cast<unsigned>(topology().cores.size()) / options.npes);
}

std::vector<unsigned> choose_cores(const LaunchOptions& options, std::uint32_t pe, unsigned threads) {
  const Topology& node = topology();
  std::vector<unsigned> chosen;
  if (options.binding == Binding::core) {
    for (unsigned thread = 0; thread < threads; ++thread)
      chosen.push_back(node.cores[(std::size_t{pe} * threads + thread) % node.cores.size()]);
  } else if (options.binding == Binding::numa && !node.numa.empty()) {
    // Neighbouring PEs share a domain: their segments and their talk stay there.
    chosen = node.numa[std::size_t{pe} * node.numa.size() / options.npes].cores;
  }
  return chosen;
}

// What guard and launcher hear of by signalfd.
sigset_t taken_signals() {
  sigset_t taken;
  ::sigemptyset(&taken);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH}) ::sigaddset(&taken, signal);
  return taken;
}

Launch::Launch(const LaunchOptions& options, pid_t guard)
    : options_(options),
      guard_(guard),
      threads_(choose_threads(options)),
      direct_(options.npes == 1 && options.labels == Labels::no),
      job_(fabric::Job::create_shm({.npes = options.npes, .threads_per_pe = threads_})),
      null_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      pes_(options.npes),
      mergers_{LineMerger(STDOUT_FILENO, options.npes, options.labels),
               LineMerger(STDERR_FILENO, options.npes, options.labels)},
      buffer_(std::size_t{64} << 10) {
  sigset_t taken = taken_signals();
  signals_ = Descriptor(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (signals_.number() < 0) throw_errno("cannot watch signals");
  // Children of a dead PE become ours, so that none stays behind.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void Launch::start(std::uint32_t pe) {
  SpawnRequest request;
  request.command = options_.command;
  request.environment = environment_of(*job_, PeId(pe), threads_);
  request.cores = choose_cores(options_, pe, threads_);
  if (pe != 0) request.standard_input = null_.number();
  std::array<Descriptor, 2> theirs;
  if (!direct_) {
    for (std::size_t which = 0; which < 2; ++which) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("cannot make a pipe for a PE's output");
      pes_[pe].output[which] = Descriptor(ends[0]);
      theirs[which] = Descriptor(ends[1]);
      ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    request.standard_output = theirs[0].number();
    request.standard_error = theirs[1].number();
  }
  pes_[pe].pid = spawn(request);
  job_->record(PeId(pe)).pid.store(pes_[pe].pid, std::memory_order_relaxed);
}

void Launch::read_output(std::uint32_t pe, std::size_t which) {
  Descriptor& from = pes_[pe].output[which];
  // A bounded number of reads, so that one noisy PE does not keep the others waiting.
  for (int round = 0; round < 16 && from.number() >= 0; ++round) {
    ssize_t got = ::read(from.number(), buffer_.data(), buffer_.size());
    if (got > 0) {
      mergers_[which].take(pe, {buffer_.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      mergers_[which].finish(pe);
      from.close();
    } else {
      return;
    }
  }
}

void Launch::signal_all(int signal) {
  for (Pe& pe : pes_)
    if (pe.pid != 0) ::kill(pe.pid, signal);
}

void Launch::fail(int status, std::int64_t grace) {
  if (failing_) return;
  failing_ = true;
  status_ = status;
  kill_at_ = Deadline::after_ns(grace);
}

void Launch::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.number(), &info, sizeof(info)) == sizeof(info)) {
    if (::getppid() != guard_) {  // killed, and we have been told
      failing_ = false;
      return fail(128 + SIGKILL, 0);
    }
    auto signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) continue;  // reap() follows in any case
    // The terminal sends to the whole foreground group: the PEs have it already.
    if (info.ssi_code != SI_KERNEL) signal_all(signal);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) {
      // The second one is meant.
      if (failing_) kill_at_ = Deadline::after_ns(0);
      fail(128 + signal, signal_grace_ns);
    }
  }
}

// A PE has ended: was that in order?
void Launch::judge(std::uint32_t pe) {
  fabric::PeRecord& record = job_->record(PeId(pe));
  int end = pes_[pe].wait_status;
  if (job_->exit_requested()) return;
  fabric::PeState state = state_of(pe);
  bool left_early = false;
  if (WIFEXITED(end) && WEXITSTATUS(end) == 0) {
    if (state == fabric::PeState::finalized) return;
    // It never joined, or never said good-bye. That is fine for a program that does not use Atoll at all.
    bool others = false;
    for (std::uint32_t other = 0; other < pes_.size(); ++other)
      others = others || (other != pe && pes_[other].pid != 0 && state_of(other) == fabric::PeState::joined);
    if (!others) return;
    left_early = true;
  }
  if (failing_) return;
  std::string cause = left_early ? "ended without finalizing, while other PEs still work" : describe_end(end);
  say(fmt::format("PE {} (pid {}) {}", pe, record.pid.load(std::memory_order_relaxed), cause));
  job_->mark_failed(PeId(pe), end, cause);
  fail(left_early ? 1 : exit_status_of(end), grace_ns);
}

void Launch::reap() {
  int end = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &end, WNOHANG)) > 0;) {
    for (std::uint32_t pe = 0; pe < pes_.size(); ++pe) {
      if (pes_[pe].pid != pid) continue;
      pes_[pe].pid = 0;
      pes_[pe].wait_status = end;
      judge(pe);
    }
  }
  // One that ended before it joined may turn out to be missed later.
  for (std::uint32_t pe = 0; pe < pes_.size() && !failing_; ++pe)
    if (pes_[pe].pid == 0 && state_of(pe) != fabric::PeState::finalized) judge(pe);
}

void Launch::kill_everything() {
  kill_children();
  for (Pe& pe : pes_) pe.pid = 0;
}

int Launch::run() {
  Deadline timeout = options_.timeout_seconds > 0 ? Deadline::after_seconds(options_.timeout_seconds) : Deadline::never();
  try {
    for (std::uint32_t pe = 0; pe < pes_.size(); ++pe) start(pe);
  } catch (const SetupError& error) {
    say(error.what());
    kill_everything();
    return 127;
  }
  while (!all_ended()) {
    std::vector<pollfd> watched{{signals_.number(), POLLIN, 0}};
    std::vector<std::pair<std::uint32_t, std::size_t>> whose{{0, 0}};
    for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
      for (std::size_t which = 0; which < 2; ++which)
        if (pes_[pe].output[which].number() >= 0) {
          watched.push_back({pes_[pe].output[which].number(), POLLIN, 0});
          whose.emplace_back(pe, which);
        }
    ::poll(watched.data(), watched.size(), tick_ms);
    if (watched[0].revents != 0) take_signals();
    for (std::size_t i = 1; i < watched.size(); ++i)
      if (watched[i].revents != 0) read_output(whose[i].first, whose[i].second);
    reap();
    for (LineMerger& merger : mergers_) merger.flush_idle(now_ns());
    if (!failing_ && timeout.passed()) {
      say(fmt::format("the job did not end within {} s", options_.timeout_seconds));
      for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
        if (pes_[pe].pid != 0) {
          job_->mark_failed(PeId(pe), 0, "did not end in time");
          break;
        }
      fail(124, grace_ns);
    }
    if (auto status = job_->exit_requested()) fail(*status & 0xFF, exit_grace_ns);
    if (failing_ && kill_at_.passed()) kill_everything();
  }
  if (auto status = job_->exit_requested(); status && !failing_) fail(*status & 0xFF, 0);
  // Grandchildren may hold the pipes; what the PEs themselves wrote is there already.
  for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
    for (std::size_t which = 0; which < 2; ++which) {
      read_output(pe, which);
      mergers_[which].finish(pe);
    }
  if (failing_) kill_everything();
  return status_;
}

}  // namespace

// Two processes, each of which ends the job when the other is killed by whatever means: the guard, which is the one that
// the user sees, and its child, which does the work.
int launch(const LaunchOptions& options) {
  sigset_t taken = taken_signals();
  ::pthread_sigmask(SIG_BLOCK, &taken, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t guard = ::getpid();
  pid_t launcher = ::fork();
  if (launcher < 0) throw_errno("cannot start another process");
  if (launcher == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGHUP);
    if (::getppid() != guard) return 128 + SIGKILL;
    return Launch(options, guard).run();
  }
  for (;;) {
    siginfo_t info{};
    if (::sigwaitinfo(&taken, &info) < 0) continue;
    // From the terminal the launcher has it too.
    if (info.si_signo != SIGCHLD && info.si_code != SI_KERNEL) ::kill(launcher, info.si_signo);
    int end = 0;
    if (::waitpid(launcher, &end, WNOHANG) != launcher) continue;
    kill_children();
    return exit_status_of(end);
  }
}

}  // namespace atl::runtime
