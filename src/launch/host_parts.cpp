// SPDX-License-Identifier: Apache-2.0
#include "host_parts.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "agent_command.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "hosts.hpp"
#include "output.hpp"
#include "patience.hpp"
#include "spawn.hpp"

namespace atl::runtime {
namespace {

class HostParts final : HostAgents::Listener {
 public:
  HostParts(const LaunchOptions& options, HostAgents& agents)
      : options_(options),
        agents_(agents),
        environment_(carried_environment(options)),
        parts_(options.hosts.size(), 0) {
    agents.report_to(*this);
  }
  /// 0, or the exit status.
  int run(Signals& signals, Deadline timeout);
  /// There will be no job: sends everybody home.
  void end(int status);
  /// Of each host.
  const std::vector<std::uint32_t>& parts() const { return parts_; }

 private:
  void on_agent(std::uint32_t host) override;
  void on_frame(std::uint32_t host, const Frame& frame) override;
  void on_lost(std::uint32_t host, const std::string& why) override;
  bool counted() const { return std::find(parts_.begin(), parts_.end(), 0) == parts_.end(); }
  void look_at_the_clock(Deadline timeout);

  const LaunchOptions& options_;
  HostAgents& agents_;
  std::vector<std::string> environment_;
  std::vector<std::uint32_t> parts_;  // 0: has not said yet
  int status_ = 0;
};

// The environment goes along, as hwloc too heeds it: PEs are to be bound to what was counted.
void HostParts::on_agent(std::uint32_t host) {
  auto kind = static_cast<std::uint32_t>(options_.pe_for_each);
  agents_.send(host, FrameKind::count_parts,
               Packer().number(kind).number(agents_.peer_timeout_ms()).texts(environment_).body());
}

void HostParts::on_frame(std::uint32_t host, const Frame& frame) {
  ATOLL_VALIDATE(frame.kind == FrameKind::parts_counted, SetupError,
                 "protocol error: unexpected message from its agent. Do all hosts run the same Atoll version?");
  Unpacker reader(frame.body);
  std::uint32_t parts = reader.number();
  ATOLL_VALIDATE(parts != 0 && parts_[host] == 0, SetupError, "its agent has counted {} parts", parts);
  parts_[host] = parts;
}

void HostParts::on_lost(std::uint32_t host, const std::string& why) {
  if (status_ != 0) return;
  say(fmt::format("{}: {}", agents_.describe(host), why));
  end(1);
}

void HostParts::end(int status) {
  status_ = status;
  agents_.drop_unreported();
  for (std::uint32_t host = 0; host < parts_.size(); ++host)
    if (agents_.connected(host)) agents_.dismiss(host);
}

void HostParts::look_at_the_clock(Deadline timeout) {
  if (status_ != 0 || counted()) return;
  if (timeout.passed()) {
    say(fmt::format("the job did not end within {} s", options_.timeout_seconds));
    end(124);
  } else if (agents_.reporting_is_over()) {
    std::string late;
    for (std::uint32_t host = 0; host < parts_.size(); ++host)
      if (parts_[host] == 0) late += fmt::format("{}{}", late.empty() ? "" : ", ", options_.hosts[host].name);
    say(
        fmt::format("no count of NUMA domains and sockets has come within {:.0f} s from: {}. Does lstopo end there? "
                    "--pes-per-node K does without a count",
                    agents_.report_seconds(), late));
    end(1);
  }
}

int HostParts::run(Signals& signals, Deadline timeout) {
  while (status_ == 0 && !counted()) {
    std::vector<pollfd> watched{{signals.descriptor(), POLLIN, 0}};
    agents_.watch(watched);
    ::poll(watched.data(), watched.size(), tick_ms);
    if (watched[0].revents != 0)
      for (auto [signal, from_terminal] : signals.take())
        if (asks_to_end(signal)) end(128 + signal);
    if (signals.guard_is_gone()) {
      say(guard_was_killed);
      kill_children();
      return 128 + SIGKILL;
    }
    agents_.serve(watched.data() + 1, watched.size() - 1);
    agents_.look_after();
    look_at_the_clock(timeout);
  }
  return status_;
}

}  // namespace

int number_pes_by_parts(LaunchOptions& options, HostAgents& agents, Signals& signals, Deadline timeout) {
  HostParts counting(options, agents);
  int status = counting.run(signals, timeout);
  try {
    if (status == 0) number_by_parts(options.hosts, counting.parts(), options.pe_for_each, options.npes);
  } catch (const ValueError& error) {
    say(error.what());
    counting.end(status = 2);
  }
  if (status != 0) {
    agents.await_commands();
    return status;
  }
  options.npes = 0;
  for (const HostShare& host : options.hosts) options.npes += host.pes;
  return 0;
}

}  // namespace atl::runtime
