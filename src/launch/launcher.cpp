// SPDX-License-Identifier: Apache-2.0
// The launcher's loop for PEs of this host: one thread, which waits for output, signals and ends of PEs at once.
#include "atoll/launch/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/wait_status.hpp"
#include "atoll/bootstrap/guests.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/runtime/recovery.hpp"
#include "guard.hpp"
#include "output.hpp"
#include "patience.hpp"
#include "processes.hpp"
#include "survivors.hpp"

namespace atl::runtime {
namespace {

// After a PE has died the others have this long to say what they have to say, then they are killed.
constexpr std::int64_t grace_ns = 1'000'000'000;
// While PEs wait for the replacement of dead ones.
constexpr int recovery_tick_ms = 2;
constexpr std::uint32_t most_in_vain = 3;

class Launch final : Processes::Listener {
 public:
  Launch(const LaunchOptions& options, pid_t guard);
  int run();

 private:
  void start(std::uint32_t pe);
  void take_signals();
  void judge(std::uint32_t pe);
  bool can_be_replaced(std::uint32_t pe) const;
  void replace_dead();
  void miss_those_who_left();
  void fail(int status, std::int64_t grace);
  void on_output(std::uint32_t pe, std::size_t which, std::string_view text) override {
    mergers_[which].take(pe, text);
  }
  void on_output_end(std::uint32_t pe, std::size_t which) override { mergers_[which].finish(pe); }
  void on_end(std::uint32_t pe, int wait_status) override {
    ends_[pe] = wait_status;
    judge(pe);
  }
  fabric::PeState state_of(std::uint32_t pe) const {
    // Acquire: partner is the release of Context.
    return static_cast<fabric::PeState>(job_->record(PeId(pe)).state.load(std::memory_order_acquire));
  }

  std::string name_of(std::uint32_t pe) const {
    return fmt::format("PE {} (pid {})", pe, job_->record(PeId(pe)).pid.load(std::memory_order_relaxed));
  }

  const LaunchOptions& options_;
  unsigned threads_;
  Capture capture_;  // one PE without a label writes to our own terminal
  std::shared_ptr<fabric::Job> job_;
  Signals signals_;
  Descriptor null_;
  Processes pes_;
  std::vector<int> ends_;  // wait status of each PE that has ended
  std::vector<std::int64_t> left_ns_;  // when it was seen that a PE had left without a word; 0: it has not
  std::array<LineMerger, 2> mergers_;
  int status_ = 0;
  bool failing_ = false;
  // Of a job whose PEs survive deaths:
  std::vector<std::uint32_t> dead_;  // to be replaced as soon as the others wait for that
  std::vector<std::uint32_t> vain_;  // by PE: new processes in a row that have died before they joined
  int lost_status_ = 0;  // of the first among the dead
  SurvivorStatus survivors_;  // counts unless failing_
  Deadline kill_at_ = Deadline::never();
};

Launch::Launch(const LaunchOptions& options, pid_t guard)
    : options_(options),
      threads_(choose_threads(options.threads, options.npes, options.binding)),
      capture_(options.npes == 1 && options.labels == Labels::no ? Capture::no : Capture::yes),
      job_(fabric::Job::create_shm({.npes = options.npes, .threads_per_pe = threads_, .guests = usual_guests})),
      signals_(guard),
      null_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      pes_(options.npes, *this),
      ends_(options.npes),
      left_ns_(options.npes),
      mergers_{LineMerger(STDOUT_FILENO, options.npes, options.labels, options.shown_pe),
               LineMerger(STDERR_FILENO, options.npes, options.labels)},
      vain_(options.npes) {}

void Launch::start(std::uint32_t pe) {
  SpawnRequest request;
  std::uint32_t number = program_of(options_.programs, pe);
  const Program& program = options_.programs[number];
  request.command = program.command;
  request.directory = program.directory;
  request.is_looked_for_there = true;
  set_variables(request, options_.pass);
  set_variables(request, program.environment);
  for (const auto& one : environment_of(*job_, PeId(pe), threads_)) set_variable(request, one.first, one.second);
  set_variable(request, "ATOLL_PROGRAM", fmt::format("{}", number));
  set_variable(request, "ATOLL_GUESTS", "");  // of the process that started this launcher
  request.cores = choose_cores(options_.binding, pe, options_.npes, threads_);
  if (pe != 0) request.standard_input = null_.number();
  pes_.start(pe, std::move(request), capture_);
  job_->record(PeId(pe)).pid.store(pes_.pid(pe), std::memory_order_relaxed);
}

void Launch::fail(int status, std::int64_t grace) {
  if (failing_) return;
  failing_ = true;
  status_ = status;
  kill_at_ = Deadline::after_ns(grace);
}

void Launch::take_signals() {
  for (auto [signal, from_terminal] : signals_.take()) {
    if (!from_terminal) pes_.signal(signal);
    if (!asks_to_end(signal)) continue;
    // The second one is meant.
    if (failing_) kill_at_ = Deadline::after_ns(0);
    fail(128 + signal, signal_grace_ns);
  }
  if (signals_.guard_is_gone() && status_ != 128 + SIGKILL) {
    say(guard_was_killed);
    failing_ = false;
    fail(128 + SIGKILL, 0);
  }
}

// A PE has ended: was that in order?
void Launch::judge(std::uint32_t pe) {
  int end = ends_[pe];
  if (job_->exit_requested()) return;
  fabric::PeState state = state_of(pe);
  if (state == fabric::PeState::failed && job_->survival() != fabric::Survival::none)
    return;  // the job has gone on since
  if (state == fabric::PeState::failed && job_->is_recoverable()) return;  // noted before
  if (can_be_replaced(pe)) {
    vain_[pe] = state == fabric::PeState::absent ? vain_[pe] + 1 : 0;
    if (dead_.empty()) lost_status_ = exit_status_of(end);
    dead_.push_back(pe);
    say(fmt::format("{} {}", name_of(pe), describe_end(end)));
    return job_->mark_failed(PeId(pe), end, describe_end(end));
  }
  bool left_early = false;
  if (WIFEXITED(end) && WEXITSTATUS(end) == 0) {
    if (state == fabric::PeState::finalized) { return survivors_.note_end(job_->survival()); }
    if (state == fabric::PeState::absent && job_->recoveries() != 0) {
      say(fmt::format(
          "{} has ended, although the others wait for it to join them (it is the new process of a dead PE, and "
          "its program has not come to a loop over ak.steps()). Put what is to survive into such a loop?",
          name_of(pe)));
      job_->mark_failed(PeId(pe), end, "ended without joining the others");
      return fail(1, grace_ns);
    }
    // It never joined, or never said good-bye. That is fine for a program that does not use Atoll at all.
    bool others = false;
    for (std::uint32_t other = 0; other < pes_.count(); ++other)
      others = others || (other != pe && pes_.running(other) && state_of(other) == fabric::PeState::joined);
    if (!others) return;
    // Programs that never finalize end together: PEs that are still ending must not be killed.
    if (left_ns_[pe] == 0) left_ns_[pe] = now_ns();
    if (job_->survival() == fabric::Survival::none && now_ns() - left_ns_[pe] < grace_ns)
      return;  // miss_those_who_left() looks again
    left_early = true;
  }
  std::string cause = left_early ? "ended without finalizing, while other PEs still work" : describe_end(end);
  // Notifies those that wait for a PE that was told to end, or that did not answer in time.
  if (failing_) return job_->mark_failed(PeId(pe), end, cause);
  if (auto missed = job_->suspect(); missed && pes_.running(missed->value())) {
    say(fmt::format("{} {} after its wait for {} timed out", name_of(pe), cause, name_of(missed->value())));
    job_->mark_failed(*missed, 0, "did not come or answer in time (ATOLL_PEER_TIMEOUT)");
  } else {
    say(fmt::format("{} {}", name_of(pe), cause));
    job_->mark_failed(PeId(pe), end, cause);
  }
  // The others may go on; unless none is left, how they end decides.
  const int status = left_early ? 1 : exit_status_of(end);
  if (job_->survival() != fabric::Survival::none) return survivors_.note_death(job_->survival(), status);
  fail(status, grace_ns);
}

// A process that was killed, as opposed to one that has ended itself or was told to end.
bool Launch::can_be_replaced(std::uint32_t pe) const {
  const int end = ends_[pe];
  return job_->is_recoverable() && !failing_ && WIFSIGNALED(end) && !asks_to_end(WTERMSIG(end)) &&
         vain_[pe] < most_in_vain && job_->gate().epoch.load(std::memory_order_acquire) != 0;  // all have joined once
}

void Launch::replace_dead() {
  if (failing_ || dead_.empty()) return;
  if (dead_.size() == pes_.count()) return fail(lost_status_, grace_ns);  // none is left to go on from
  for (std::uint32_t pe = 0; pe < pes_.count(); ++pe) {
    if (std::find(dead_.begin(), dead_.end(), pe) != dead_.end()) continue;
    if (!pes_.running(pe)) return fail(lost_status_, grace_ns);  // it has ended in order: the job is never whole again
    if (!waits_for_recovery(*job_, PeId(pe))) return;
  }
  (void)job_->recover();
  end_recovery_waits(*job_);
  job_->announce_recovery();
  try {
    for (std::uint32_t pe : std::exchange(dead_, {})) {
      left_ns_[pe] = 0;
      start(pe);
      say(fmt::format("{} takes the place of a dead process", name_of(pe)));
    }
  } catch (const SetupError& error) {
    say(error.what());
    fail(127, grace_ns);
  }
}

// One that ended before it joined may turn out to be missed later.
void Launch::miss_those_who_left() {
  for (std::uint32_t pe = 0; pe < pes_.count() && !failing_; ++pe)
    if (!pes_.running(pe) && state_of(pe) != fabric::PeState::finalized) judge(pe);
}

int Launch::run() {
  Deadline timeout = Deadline::never();
  if (options_.timeout_seconds > 0) timeout = Deadline::after_seconds(options_.timeout_seconds);
  try {
    for (std::uint32_t pe = 0; pe < pes_.count(); ++pe) start(pe);
  } catch (const SetupError& error) {
    say(error.what());
    pes_.kill_everything();
    return 127;
  }
  // Keepers of guests have become children of this one.
  auto has_guests = [&] { return job_->guests() != 0 && !children().empty(); };
  while (!pes_.all_ended() || (has_guests() && !kill_at_.passed())) {
    std::vector<pollfd> watched{{signals_.descriptor(), POLLIN, 0}};
    pes_.watch(watched);
    ::poll(watched.data(), watched.size(), dead_.empty() ? tick_ms : recovery_tick_ms);
    if (watched[0].revents != 0) take_signals();
    pes_.read(watched.data() + 1, watched.size() - 1);
    pes_.reap();
    replace_dead();
    miss_those_who_left();
    for (LineMerger& merger : mergers_) merger.flush_idle(now_ns());
    if (!failing_ && timeout.passed()) {
      say(fmt::format("the job did not end within {} s", options_.timeout_seconds));
      for (std::uint32_t pe = 0; pe < pes_.count(); ++pe)
        if (pes_.running(pe)) {
          job_->mark_failed(PeId(pe), 0, "did not end in time");
          break;
        }
      fail(124, grace_ns);
    }
    if (auto status = job_->exit_requested()) fail(*status & 0xFF, exit_grace_ns);
    if (failing_ && kill_at_.passed()) pes_.kill_everything();
  }
  if (auto status = job_->exit_requested(); status && !failing_) fail(*status & 0xFF, 0);
  if (!dead_.empty() && !failing_) fail(lost_status_, 0);
  pes_.drain();
  if (!failing_) report_dropped_output(mergers_[0]);
  if (failing_) pes_.kill_everything();
  return failing_ ? status_ : survivors_.value();
}

}  // namespace

int launch(const LaunchOptions& options) {
  return run_guarded([&](pid_t guard) { return Launch(options, guard).run(); });
}

}  // namespace atl::runtime
