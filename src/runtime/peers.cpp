// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/peers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {
namespace {

// The state that the kernel gives: the letter behind the name, which may hold anything.
char state_of(std::int32_t pid) {
  char text[256];
  const int file = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return '?';
  const ssize_t got = ::read(file, text, sizeof(text));
  ::close(file);
  const std::string_view line(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t name = line.rfind(") ");
  return name != std::string_view::npos && name + 2 < line.size() ? line[name + 2] : '?';
}

// In a wait of the runtime a PE sleeps, but for moments.
bool waits_itself(const fabric::Job& job, PeId pe) {
  return job.is_local(pe) && job.record(pe).sleeping.load(std::memory_order_relaxed) != 0;
}

}  // namespace

bool is_stopped(const fabric::Job& job, PeId pe) {
  if (job.kind() != fabric::Kind::shm || !job.is_local(pe)) return false;
  const std::int32_t pid = job.record(pe).pid.load(std::memory_order_relaxed);
  if (pid <= 0 || pid == ::getpid()) return false;
  const char state = state_of(pid);
  return state == 'T' || state == 't';
}

std::vector<PeId> find_culprits(const fabric::Job& job, std::span<const PeId> late, std::span<const PeId> all) {
  std::vector<PeId> found;
  for (PeId pe : all)
    if (is_stopped(job, pe)) found.push_back(pe);
  if (!found.empty()) return found;
  for (PeId pe : late)
    if (!waits_itself(job, pe)) found.push_back(pe);
  if (found.empty()) found.assign(late.begin(), late.end());
  return found;
}

namespace {

constexpr double warning_seconds = 10;

// 0: waits never end for a PE that is stopped.
double error_seconds() {
  const bool is_set = !config::launcher_variable("ATOLL_PEER_TIMEOUT").empty();
  return is_set ? config::seconds(config::Variable::peer_timeout) : 0;
}

}  // namespace

StoppedPeers::StoppedPeers(const fabric::Job& job, PeId self)
    : job_(job),
      self_(self),
      next_look_(Deadline::after_ns(0)),
      until_warning_(warning_seconds),
      until_error_(error_seconds()) {}

std::optional<PeId> StoppedPeers::find() const {
  for (PeId pe{0}; pe.value() < job_.npes() + job_.guests(); pe = PeId(pe.value() + 1))
    if (pe != self_ && !job_.has_died(pe) && !job_.has_left(pe) && is_stopped(job_, pe)) return pe;
  return std::nullopt;
}

void StoppedPeers::look() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || !next_look_.passed()) return;
  next_look_ = until_error_.next_look();
  const std::optional<PeId> found = find();
  if (std::exchange(stopped_, found) != found || !found) {
    until_warning_.restart();
    until_error_.restart();
    warned_ = false;
    return;
  }
  until_warning_.look();
  until_error_.look();
  ATOLL_VALIDATE(
      !until_error_.is_over(), TimeoutError,
      "{} (stopped) has not answered for {:.3g} s (ATOLL_PEER_TIMEOUT). Let it go on (kill -CONT {}), or end the job?",
      job_.describe(*found), until_error_.seconds(), job_.record(*found).pid.load(std::memory_order_relaxed));
  if (!until_warning_.is_over() || std::exchange(warned_, true)) return;
  log(LogLevel::warning,
      "{} is stopped (kill -CONT {} lets it go on), and {} waits. With ATOLL_PEER_TIMEOUT set, such a wait ends",
      job_.describe(*found), job_.record(*found).pid.load(std::memory_order_relaxed), job_.describe(self_));
}

std::string describe(const fabric::Job& job, std::span<const PeId> pes) {
  std::string text;
  for (PeId pe : pes)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", job.describe(pe), is_stopped(job, pe) ? " (stopped)" : "");
  return text;
}

}  // namespace atl::runtime
