// SPDX-License-Identifier: Apache-2.0
// The agents of a job as the launcher sees them: the commands that run them, their connections, and which agent is at
// which stage.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "atoll/bootstrap/control/handshake.hpp"
#include "atoll/bootstrap/control/link.hpp"
#include "atoll/launch/launcher.hpp"
#include "descriptor.hpp"

namespace atl::runtime {

class HostAgents {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The agent has proved that it is ours: it may be told what to do.
    virtual void on_agent(std::uint32_t host) = 0;
    /// Throws SetupError for an unexpected frame of the agent.
    virtual void on_frame(std::uint32_t host, const Frame& frame) = 0;
    /// The agent, its host, or what connects us is gone before it was done. Said once.
    virtual void on_lost(std::uint32_t host, const std::string& why) = 0;
  };
  /// Listens. Throws SetupError or ValueError.
  explicit HostAgents(const LaunchOptions& options);
  /// Whom to tell from now on, before the first serve(). Not told again: of agents that are there already.
  void report_to(Listener& listener) { listener_ = &listener; }

  /// Starts the agents of all hosts but idle ones; they have as long to report as ATOLL_PEER_TIMEOUT says. Throws
  /// SetupError when the command for one cannot be started.
  void start();
  /// Starts the agent of an idle host. Throws SetupError when the command for it cannot be started.
  void wake(std::uint32_t host);

  /// Adds what is to be polled; afterwards serve() takes the same part of the list.
  void watch(std::vector<pollfd>& list);
  void serve(const pollfd* list, std::size_t count);
  /// Looks for ends of the agents' commands, silence and hosts that are late.
  void look_after();

  void send(std::uint32_t host, FrameKind kind, std::string_view body = {});
  void send_to_all(FrameKind kind, std::string_view body = {});
  /// Nothing is expected of it any more.
  void dismiss(std::uint32_t host);
  /// Ends the commands of agents that have not reported yet.
  void drop_unreported();
  /// Gives the agents' commands time to end, after all agents have gone.
  void await_commands();

  bool all_gone() const;
  bool reporting_is_over() const { return report_by_.passed(); }
  double report_seconds() const { return report_seconds_; }
  /// How long launcher and agents wait for a sign of life of the other's host. 0: for ever.
  std::uint32_t peer_timeout_ms() const;
  bool connected(std::uint32_t host) const { return hosts_[host].stage == Stage::connected; }
  /// The job begins with no PE there, and its agent has not been started.
  bool idle(std::uint32_t host) const { return hosts_[host].stage == Stage::idle; }
  bool gone(std::uint32_t host) const { return hosts_[host].stage == Stage::gone; }
  /// "host b (PEs 2 to 3)"; "host b" when it has none.
  std::string describe(std::uint32_t host) const;

 private:
  enum class Stage { idle, starting, connected, gone };
  struct Host {
    Stage stage = Stage::starting;
    std::vector<std::string> command;
    std::vector<std::string> probe;  // the same without an agent, for people to try; empty: runs here
    pid_t pid = 0;  // of the command; 0: has ended
    Descriptor secret;  // its standard input, held open: the agent ends when it is closed
    Descriptor errors;  // its standard output and error
    std::string line;  // an unfinished one of these
    std::unique_ptr<Link> link;
    Deadline report_by = Deadline::never();
  };
  void start(std::uint32_t host);
  void accept();
  void greet(Greeting& greeting);
  void drop_a_greeting();
  void hear(std::uint32_t host);
  void read_errors(std::uint32_t host);
  bool commands_ended() const;
  void lose(std::uint32_t host, const std::string& why);
  std::string why_it_ended(const Host& host, int wait_status) const;

  const LaunchOptions& options_;
  Listener* listener_ = nullptr;
  std::string secret_;
  Descriptor listening_;
  std::vector<Host> hosts_;
  std::vector<std::unique_ptr<Greeting>> greetings_;
  std::vector<std::uint32_t> watched_links_, watched_errors_;
  std::size_t refusals_said_ = 0;
  Deadline report_by_ = Deadline::never();
  Deadline next_look_ = Deadline::after_ns(0);
  double report_seconds_ = 0;
  std::int64_t silence_limit_ns_ = 0;
};

}  // namespace atl::runtime
