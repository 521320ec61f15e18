// SPDX-License-Identifier: Apache-2.0
#include "guests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/base/wait_status.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/launch/guests.hpp"
#include "hosts.hpp"
#include "processes.hpp"

namespace atl::runtime {
namespace {

constexpr std::int64_t grace_ns = 1'000'000'000;
constexpr timespec tick{0, 50'000'000};

class Keeper final : Processes::Listener {
 public:
  explicit Keeper(const KeeperOptions& options)
      : options_(options),
        job_(fabric::Job::join_shm(config::text(config::Variable::job))),
        guests_(options.count, *this) {}
  int run();

 private:
  void on_output(std::uint32_t, std::size_t, std::string_view) override {}
  void on_output_end(std::uint32_t, std::size_t) override {}
  void on_end(std::uint32_t guest, int wait_status) override;
  void fail(PeId pe, int wait_status, const std::string& cause);
  void look_after_host();
  // Acquire: partner is the release of Context.
  fabric::PeState state_of(PeId pe) const {
    return static_cast<fabric::PeState>(job_->record(pe).state.load(std::memory_order_acquire));
  }
  PeId pe_of(std::uint32_t guest) const { return PeId(options_.first + guest); }

  const KeeperOptions& options_;
  std::shared_ptr<fabric::Job> job_;
  Processes guests_;
  int status_ = 0;
};

void Keeper::fail(PeId pe, int wait_status, const std::string& cause) {
  std::fprintf(stderr, "atoll-run: PE %u (pid %d) %s\n", pe.value(),
               job_->record(pe).pid.load(std::memory_order_relaxed), cause.c_str());
  status_ = exit_status_of(wait_status);
  // Before others learn of it: how they end because of it must not decide the exit status.
  if (job_->survival() == fabric::Survival::none) job_->request_exit(status_ != 0 ? status_ : 1);
  job_->mark_failed(pe, wait_status, cause);
}

void Keeper::on_end(std::uint32_t guest, int wait_status) {
  PeId pe = pe_of(guest);
  job_->note_end(pe);
  bool well = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
  fabric::PeState state = state_of(pe);
  if ((well && state == fabric::PeState::finalized) || state == fabric::PeState::failed) return;
  if (state == fabric::PeState::absent) return job_->give_up_guest(pe);
  if (job_->exit_requested()) return job_->mark_failed(pe, wait_status, describe_end(wait_status));
  fail(pe, wait_status, well ? "ended without finalizing" : describe_end(wait_status));
}

// A launcher is notified of it by itself, and reports the same.
void Keeper::look_after_host() {
  PeId host(options_.host);
  pid_t pid = job_->record(host).pid.load(std::memory_order_relaxed);
  bool gone = ::kill(pid, 0) != 0 && errno == ESRCH;
  if (job_->exit_requested()) return;  // it ends as it is to
  if (gone && state_of(host) == fabric::PeState::joined) fail(host, SIGKILL, "died");
}

int Keeper::run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &ends, nullptr);
  Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto threads = static_cast<unsigned>(job_->control().threads_per_pe);
  for (std::uint32_t guest = 0; guest < options_.count; ++guest) {
    SpawnRequest request;
    request.command = options_.command;
    request.environment = environment_of(*job_, pe_of(guest), threads);
    request.standard_input = null.number();
    try {
      guests_.start(guest, std::move(request), Capture::no);
      job_->record(pe_of(guest)).pid.store(guests_.pid(guest), std::memory_order_relaxed);
    } catch (const SetupError& error) {
      std::fprintf(stderr, "atoll-run: %s\n", error.what());
      job_->note_end(pe_of(guest));
      job_->give_up_guest(pe_of(guest));
      status_ = 127;
    }
  }
  std::optional<Deadline> kill_at;
  while (!guests_.all_ended()) {
    ::sigtimedwait(&ends, nullptr, &tick);
    guests_.reap();
    look_after_host();
    // The others of one that could not be started, or joined, are not wanted.
    for (std::uint32_t guest = 0; guest < options_.count; ++guest)
      if (state_of(pe_of(guest)) == fabric::PeState::failed && guests_.running(guest))
        ::kill(guests_.pid(guest), SIGKILL);
    if (job_->exit_requested() && !kill_at) kill_at = Deadline::after_ns(grace_ns);
    if (kill_at && kill_at->passed()) guests_.kill_everything();
  }
  return status_;
}

std::vector<std::string> keeper_command(const GuestProgram& program, PeId first, PeId host,
                                        const std::string& launcher) {
  std::vector<std::string> command{launcher, "--guests", fmt::format("{}", first.value()),
                                   fmt::format("{}", program.count), fmt::format("{}", host.value())};
  command.insert(command.end(), program.command.begin(), program.command.end());
  return command;
}

}  // namespace

std::vector<std::string> hosts_in_file(const std::string& path) {
  std::vector<std::string> names;
  for (const HostEntry& host : read_hostfile(path)) names.push_back(host.name);
  return names;
}

int keep_guests(const KeeperOptions& options) {
  Keeper keeper(options);
  // The program that has asked is not to have a child that it does not know.
  pid_t rest = ::fork();
  if (rest < 0) throw_errno("cannot start another process");
  return rest > 0 ? 0 : keeper.run();
}

void start_guests(const fabric::Job& job, PeId host, fabric::Cohort cohort, std::span<const GuestProgram> programs,
                  const std::string& launcher) {
  std::uint32_t first = cohort.first.value();
  for (const GuestProgram& program : programs) {
    SpawnRequest request;
    request.command = keeper_command(program, PeId(first), host, launcher);
    request.environment = environment_of(job, host, job.control().threads_per_pe);
    request.environment.emplace_back("ATOLL_GUESTS",
                                     fmt::format("{}:{}:{}", cohort.first.value(), cohort.count, program.note));
    request.directory = program.directory;
    request.outlives_us = true;
    pid_t keeper = spawn(request);
    int end = 0;
    while (::waitpid(keeper, &end, 0) < 0 && errno == EINTR) {}
    ATOLL_VALIDATE(end == 0, SetupError, "'{}' cannot start processes in this job: it {}", launcher, describe_end(end));
    first += program.count;
  }
}

}  // namespace atl::runtime
