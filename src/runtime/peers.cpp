// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/peers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

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

std::string describe(const fabric::Job& job, std::span<const PeId> pes) {
  std::string text;
  for (PeId pe : pes) text += fmt::format("{}{}{}", text.empty() ? "" : ", ", job.describe(pe), is_stopped(job, pe) ? " (stopped)" : "");
  return text;
}

}  // namespace atl::runtime
