// SPDX-License-Identifier: Apache-2.0
#include "processes.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/topology.hpp"

namespace atl::runtime {

std::pair<Descriptor, Descriptor> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("cannot make a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::uint32_t count_parts(Binding kind, const Topology& node) {
  std::size_t parts = kind == Binding::numa ? node.numa.size() : kind == Binding::socket ? node.sockets.size() : 1;
  return std::max(1u, static_cast<std::uint32_t>(parts));
}

unsigned choose_threads(unsigned asked, std::uint32_t pes, Binding binding, const Topology& node) {
  if (asked != 0) return asked;
  auto wanted = static_cast<unsigned>(config::integer(config::Variable::threads));
  if (wanted != 0) return wanted;
  return std::max(1u, static_cast<unsigned>(node.cores.size() / std::max(pes, count_parts(binding, node))));
}

std::vector<unsigned> choose_cores(Binding binding, std::uint32_t index, std::uint32_t pes, unsigned threads,
                                   const Topology& node) {
  std::vector<unsigned> chosen;
  if (binding == Binding::core) {
    for (unsigned thread = 0; thread < threads; ++thread)
      chosen.push_back(node.cores[(std::size_t{index} * threads + thread) % node.cores.size()]);
  } else if (binding == Binding::numa && !node.numa.empty()) {
    // Neighbouring PEs share a domain: their segments and their talk stay there.
    chosen = node.numa[std::size_t{index} * node.numa.size() / pes].cores;
  } else if (binding == Binding::socket && !node.sockets.empty()) {
    chosen = node.sockets[std::size_t{index} * node.sockets.size() / pes];
  }
  return chosen;
}

Processes::Processes(std::uint32_t count, Listener& listener)
    : listener_(listener), processes_(count), buffer_(std::size_t{64} << 10) {}

void Processes::start(std::uint32_t process, SpawnRequest request, Capture capture) {
  std::array<Descriptor, 2> theirs;
  if (capture == Capture::yes) {
    for (std::size_t which = 0; which < 2; ++which) {
      auto [mine, other] = make_pipe();
      ::fcntl(mine.number(), F_SETFL, O_NONBLOCK);
      processes_[process].output[which] = std::move(mine);
      theirs[which] = std::move(other);
    }
    request.standard_output = theirs[0].number();
    request.standard_error = theirs[1].number();
  }
  processes_[process].pid = processes_[process].last_pid = spawn(request);
}

void Processes::watch(std::vector<pollfd>& list) {
  watched_.clear();
  for (std::uint32_t process = 0; process < processes_.size(); ++process)
    for (std::size_t which = 0; which < 2; ++which)
      if (processes_[process].output[which].open()) {
        list.push_back({processes_[process].output[which].number(), POLLIN, 0});
        watched_.emplace_back(process, which);
      }
}

void Processes::read(const pollfd* list, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (list[i].revents != 0) read_output(watched_[i].first, watched_[i].second);
}

void Processes::read_output(std::uint32_t process, std::size_t which) {
  Descriptor& from = processes_[process].output[which];
  // A bounded number of reads, so that one noisy PE does not keep the others waiting.
  for (int round = 0; round < 16 && from.open(); ++round) {
    ssize_t got = ::read(from.number(), buffer_.data(), buffer_.size());
    if (got > 0) {
      listener_.on_output(process, which, {buffer_.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      from.close();
      listener_.on_output_end(process, which);
    } else {
      return;
    }
  }
}

void Processes::drain() {
  for (std::uint32_t process = 0; process < processes_.size(); ++process)
    for (std::size_t which = 0; which < 2; ++which) {
      read_output(process, which);
      Descriptor& from = processes_[process].output[which];
      if (!from.open()) continue;
      from.close();
      listener_.on_output_end(process, which);
    }
}

void Processes::reap() {
  int end = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &end, WNOHANG)) > 0;)
    for (std::uint32_t process = 0; process < processes_.size(); ++process)
      if (processes_[process].pid == pid) {
        processes_[process].pid = 0;
        listener_.on_end(process, end);
      }
}

void Processes::signal(int number) {
  for (const Process& process : processes_)
    if (process.pid != 0) ::kill(process.pid, number);
}

void Processes::kill_everything() {
  for (const Process& process : processes_)
    if (process.pid != 0) ::kill(process.pid, SIGKILL);
  kill_children();  // processes that they started; without /proc these are unknown
  for (Process& process : processes_) process.pid = 0;
}

bool Processes::all_ended() const {
  return std::all_of(processes_.begin(), processes_.end(), [](const Process& process) { return process.pid == 0; });
}

}  // namespace atl::runtime
