// SPDX-License-Identifier: Apache-2.0
#include "atoll/launch/worker_group.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/raise.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/base/wait_status.hpp"
#include "atoll/bootstrap/job.hpp"
#include "spawn.hpp"

namespace atl::runtime {

WorkerGroup::WorkerGroup(std::shared_ptr<fabric::Job> job, WorkerOptions options)
    : job_(std::move(job)), options_(std::move(options)) {
  if (::pipe2(wake_, O_CLOEXEC) != 0) throw_errno("cannot make a pipe to the thread that watches workers");
  // The kernel kills a worker when the *thread* that started it ends, so the watcher starts them.
  watcher_ = start_thread("atoll-watch", [this] { watch(); });
  started_.wait(false, std::memory_order_acquire);  // partner: watch()
  if (!start_error_.empty()) {
    watcher_.join();
    ::close(wake_[0]);
    ::close(wake_[1]);
    raise<SetupError>(start_error_);
  }
}

void WorkerGroup::start_worker(PeId pe) {
  const std::size_t place = pe.value() - 1;
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  struct Close {
    int descriptor;
    ~Close() { ::close(descriptor); }
  } closing{null};
  SpawnRequest request;
  request.command = options_.command;
  request.environment = environment_of(*job_, pe, options_.threads);
  request.environment.insert(request.environment.end(), options_.environment.begin(), options_.environment.end());
  request.standard_input = null;
  request.ignore_interrupt = true;
  const pid_t pid = spawn(request);
  const int watched = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (watched < 0) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    throw_errno("cannot watch a worker (pidfd_open)");
  }
  job_->record(pe).pid.store(pid, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  if (pids_.size() <= place) pids_.resize(place + 1), watched_.resize(place + 1, -1);
  pids_[place] = pid;
  watched_[place] = watched;
}

void WorkerGroup::start_workers() {
  try {
    for (std::uint32_t pe = 1; pe < job_->npes(); ++pe) start_worker(PeId(pe));
  } catch (const SetupError& error) { start_error_ = error.what(); }
}

void WorkerGroup::start_replacements() {
  std::vector<PeId> wanted;
  {
    std::lock_guard lock(mutex_);
    wanted = wanted_;
  }
  std::string error;
  for (PeId pe : wanted) {
    try {
      start_worker(pe);
    } catch (const SetupError& refused) { error = refused.what(); }
  }
  {
    std::lock_guard lock(mutex_);
    replace_error_ = error;
    wanted_.clear();
  }
  replaced_.notify_all();
}

void WorkerGroup::replace(PeId pe) {
  std::unique_lock lock(mutex_);
  wanted_.push_back(pe);
  wake_watcher();
  replaced_.wait(lock, [&] { return wanted_.empty(); });
  if (!replace_error_.empty()) raise<SetupError>(replace_error_);
}

void WorkerGroup::kill(PeId pe) {
  std::lock_guard lock(mutex_);
  // A process that has ended is not reaped before it is no longer watched.
  if (watched_[pe.value() - 1] >= 0) ::kill(pids_[pe.value() - 1], SIGKILL);
}

void WorkerGroup::watch() {
  // Signals are for the driver's own threads.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  start_workers();
  bool stopping = !start_error_.empty();
  started_.store(true, std::memory_order_release);
  started_.notify_all();
  Deadline kill_at = stopping ? Deadline::after_ns(0) : Deadline::never();
  bool killed = false;
  auto some_left = [&] { return std::any_of(watched_.begin(), watched_.end(), [](int one) { return one >= 0; }); };
  while (!stopping || some_left()) {
    std::vector<pollfd> list;
    for (int descriptor : watched_) list.push_back({descriptor, POLLIN, 0});
    list.push_back({stopping ? -1 : wake_[0], POLLIN, 0});
    int limit_ms = stopping ? static_cast<int>(std::max<std::int64_t>(0, kill_at.remaining_ns() / 1'000'000)) : -1;
    ::poll(list.data(), list.size(), killed ? -1 : limit_ms);
    if (list.back().revents != 0) {
      char bytes[16];
      [[maybe_unused]] auto read = ::read(wake_[0], bytes, sizeof(bytes));
      start_replacements();
    }
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      int end = 0;
      if (i + 1 >= list.size() || list[i].fd != watched_[i] || watched_[i] < 0 || list[i].revents == 0) continue;
      {
        std::lock_guard lock(mutex_);
        if (::waitpid(pids_[i], &end, WNOHANG) != pids_[i]) continue;
        ::close(watched_[i]);
        watched_[i] = -1;
      }
      if (!stopping && !job_->shutdown_requested())
        job_->mark_failed(PeId(static_cast<std::uint32_t>(i) + 1), end, describe_end(end));
    }
    if (!stopping && stopping_.load(std::memory_order_acquire)) {  // partner: the destructor
      stopping = true;
      kill_at = Deadline::after_ns(grace_ns_.load(std::memory_order_relaxed));
    }
    if (stopping && !killed && kill_at.passed()) {
      killed = true;
      for (std::size_t i = 0; i < watched_.size(); ++i)
        if (watched_[i] >= 0) ::kill(pids_[i], SIGKILL);
    }
  }
}

void WorkerGroup::interrupt() const {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < pids_.size(); ++i)
    if (watched_[i] >= 0) ::kill(pids_[i], SIGURG);
}

void WorkerGroup::wake_watcher() {
  char byte = 0;
  [[maybe_unused]] auto written = ::write(wake_[1], &byte, 1);
}

WorkerGroup::~WorkerGroup() {
  job_->request_shutdown();
  stopping_.store(true, std::memory_order_release);  // partner: watch()
  wake_watcher();
  watcher_.join();
  ::close(wake_[0]);
  ::close(wake_[1]);
}

}  // namespace atl::runtime
