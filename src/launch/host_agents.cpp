// SPDX-License-Identifier: Apache-2.0
#include "host_agents.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "agent_command.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/wait_status.hpp"
#include "atoll/bootstrap/control/address.hpp"
#include "output.hpp"
#include "patience.hpp"
#include "spawn.hpp"

namespace atl::runtime {
namespace {

// A scanner of ports may come again and again: the first few are news.
constexpr std::size_t most_refusals_said = 10;
// Besides one for each host. A silent connection is dropped for a new one.
constexpr std::size_t most_greetings = 64;
constexpr std::size_t longest_line = 4096;
constexpr std::int64_t look_ns = 100'000'000;

std::string own_program() {
  char path[PATH_MAX];
  ssize_t bytes = ::readlink("/proc/self/exe", path, sizeof(path));
  if (bytes < 0) throw_errno("cannot tell where the launcher itself lies");
  return {path, static_cast<std::size_t>(bytes)};
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
  return all;
}

}  // namespace

HostAgents::HostAgents(const LaunchOptions& options)
    : options_(options), secret_(make_secret()), hosts_(options.hosts.size()) {
  std::string agent = options.launch_agent;
  if (agent.empty()) agent = config::text(config::Variable::launch_agent);
  std::vector<bool> direct;
  for (const HostShare& host : options.hosts) direct.push_back(options.launch_agent.empty() && is_this_host(host.name));
  MeetingPlace place = choose_meeting_place(options, direct);
  listening_ = Descriptor(listen_on(place.listen, options.port));
  std::uint16_t port = port_of(listening_.number());
  log(LogLevel::info, "agents report to {}", with_port(place.listen.empty() ? "all addresses" : place.listen, port));
  for (std::uint32_t host = 0; host < hosts_.size(); ++host) {
    std::vector<std::string> program{own_program(), "--agent", fmt::format("{}", host),
                                     joined(place.by_host[host], ","), fmt::format("{}", port)};
    hosts_[host].command = direct[host] ? program : command_on_host(agent, options.hosts[host].name, program);
    if (!direct[host]) hosts_[host].probe = command_on_host(agent, options.hosts[host].name, {"true"});
    if (options.leaves_idle(options.hosts[host])) hosts_[host].stage = Stage::idle;
  }
}

std::string HostAgents::describe(std::uint32_t host) const {
  const HostShare& share = options_.hosts[host];
  if (share.pes == 0) return fmt::format("host {}", share.name);
  return share.pes == 1
             ? fmt::format("host {} (PE {})", share.name, share.first_pe)
             : fmt::format("host {} (PEs {} to {})", share.name, share.first_pe, share.first_pe + share.pes - 1);
}

void HostAgents::start() {
  double peer_seconds = config::seconds(config::Variable::peer_timeout);
  report_seconds_ = start_limit_seconds(peer_seconds);
  report_by_ = Deadline::after_seconds(report_seconds_);
  silence_limit_ns_ = static_cast<std::int64_t>(peer_seconds * 1e9);
  for (std::uint32_t host = 0; host < hosts_.size(); ++host)
    if (!idle(host)) start(host);
}

void HostAgents::wake(std::uint32_t host) {
  hosts_[host].stage = Stage::starting;
  try {
    start(host);
  } catch (const SetupError&) {
    hosts_[host].stage = Stage::gone;
    throw;
  }
}

std::uint32_t HostAgents::peer_timeout_ms() const {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(silence_limit_ns_ / 1'000'000, 1'000'000'000));
}

void HostAgents::start(std::uint32_t number) {
  Host& host = hosts_[number];
  auto [their_input, our_end] = make_pipe();
  auto [our_errors, their_output] = make_pipe();
  ::fcntl(our_errors.number(), F_SETFL, O_NONBLOCK);
  SpawnRequest request;
  request.command = host.command;
  request.standard_input = their_input.number();
  request.standard_output = request.standard_error = their_output.number();
  // The launcher receives Ctrl-C and passes it to the agents: a dead ssh could not.
  request.own_session = true;
  host.pid = spawn(request);
  host.report_by = Deadline::after_seconds(report_seconds_);
  std::string line = secret_ + "\n";
  [[maybe_unused]] auto written = ::write(our_end.number(), line.data(), line.size());  // less than a pipe holds
  host.secret = std::move(our_end);
  host.errors = std::move(our_errors);
}

void HostAgents::watch(std::vector<pollfd>& list) {
  list.push_back({listening_.number(), POLLIN, 0});
  for (const auto& greeting : greetings_)
    list.push_back({greeting->link().descriptor(), greeting->link().wanted_events(), 0});
  watched_links_.clear();
  watched_errors_.clear();
  for (std::uint32_t host = 0; host < hosts_.size(); ++host)
    if (hosts_[host].link) {
      list.push_back({hosts_[host].link->descriptor(), hosts_[host].link->wanted_events(), 0});
      watched_links_.push_back(host);
    }
  for (std::uint32_t host = 0; host < hosts_.size(); ++host)
    if (hosts_[host].errors.open()) {
      list.push_back({hosts_[host].errors.number(), POLLIN, 0});
      watched_errors_.push_back(host);
    }
}

void HostAgents::serve(const pollfd* list, std::size_t) {
  const pollfd* at = list + 1;
  for (auto& greeting : greetings_)
    if ((at++)->revents != 0) greeting->advance();
  for (std::uint32_t host : watched_links_) {
    const pollfd& ready = *at++;
    if (!hosts_[host].link || ready.revents == 0) continue;
    if ((ready.revents & POLLOUT) != 0) hosts_[host].link->flush();
    if ((ready.revents & ~POLLOUT) != 0) hear(host);
  }
  for (std::uint32_t host : watched_errors_)
    if ((at++)->revents != 0) read_errors(host);
  for (auto& greeting : greetings_) greet(*greeting);
  std::erase_if(greetings_, [](const auto& one) { return one->host() || !one->refusal().empty(); });
  if (list[0].revents != 0) accept();
}

void HostAgents::accept() {
  for (int descriptor; (descriptor = ::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    if (greetings_.size() >= most_greetings + hosts_.size()) drop_a_greeting();
    greetings_.push_back(std::make_unique<Greeting>(descriptor, peer_of(descriptor), secret_,
                                                    static_cast<std::uint32_t>(hosts_.size())));
  }
}

// Drops the oldest silent connection, else the oldest. An agent speaks at once, and reconnects when it was dropped.
void HostAgents::drop_a_greeting() {
  auto silent = std::find_if(greetings_.begin(), greetings_.end(), [](const auto& one) {
    if (one->silent()) one->advance();
    return one->silent() || !one->refusal().empty();
  });
  if (silent == greetings_.end()) silent = greetings_.begin();
  if ((*silent)->host()) return;
  if ((*silent)->refusal().empty()) (*silent)->drop("it does not authenticate, and other connections wait");
  greet(**silent);
  greetings_.erase(silent);
}

void HostAgents::greet(Greeting& greeting) {
  if (!greeting.host() && greeting.refusal().empty() && greeting.late()) greeting.refuse("it does not authenticate");
  if (auto host = greeting.host(); host && hosts_[*host].stage != Stage::starting)
    greeting.refuse(fmt::format("{} is not expected (any more)", describe(*host)));
  if (!greeting.refusal().empty()) {
    if (++refusals_said_ <= most_refusals_said)
      say(fmt::format("refused a connection from {}: {}", greeting.peer(), greeting.refusal()));
  } else if (auto host = greeting.host()) {
    hosts_[*host].link = greeting.take_link();
    hosts_[*host].link->keep_alive(silence_limit_ns_);
    hosts_[*host].stage = Stage::connected;
    listener_->on_agent(*host);
  }
}

void HostAgents::hear(std::uint32_t number) {
  Host& host = hosts_[number];
  bool open = host.link->receive();
  try {
    while (auto frame = host.link->next()) listener_->on_frame(number, *frame);
  } catch (const SetupError& error) {
    lose(number, error.what());
    open = false;
  }
  if (open) return;
  lose(number, fmt::format("the connection to its agent ended ({}). Was the agent killed?", host.link->fault()));
  host.link.reset();
}

// Agents speak through their connection. Here comes what they say before they have one, and what ssh says.
void HostAgents::read_errors(std::uint32_t number) {
  Host& host = hosts_[number];
  char bytes[4096];
  ssize_t got = ::read(host.errors.number(), bytes, sizeof(bytes));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0) host.line.append(bytes, static_cast<std::size_t>(got));
  if (got <= 0) host.errors.close();
  for (;;) {
    std::size_t end = host.line.find('\n');
    if (end == std::string::npos) {
      bool all = got <= 0 || host.line.size() > longest_line;
      if (!all || host.line.empty()) return;
      end = host.line.size();
    }
    std::string text = host.line.substr(0, end);
    host.line.erase(0, end + 1);
    constexpr std::string_view ours = "atoll-run: ";
    if (text.starts_with(ours)) text.erase(0, ours.size());
    if (!text.empty()) say(fmt::format("{}: {}", options_.hosts[number].name, text));
  }
}

std::string HostAgents::why_it_ended(const Host& host, int wait_status) const {
  std::string what = fmt::format("the command for its agent {} before the agent had reported: {}",
                                 describe_end(wait_status), joined(host.command, " "));
  int status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
  if (status == 126 || status == 127) return what + ". Is Atoll installed at the same place on every host?";
  return host.probe.empty() ? what : fmt::format("{}. Does this work: {}", what, joined(host.probe, " "));
}

void HostAgents::look_after() {
  int end = 0;
  for (pid_t pid; (pid = ::waitpid(-1, &end, WNOHANG)) > 0;) {
    auto host = std::find_if(hosts_.begin(), hosts_.end(), [&](const Host& one) { return one.pid == pid; });
    if (host == hosts_.end()) continue;
    auto number = static_cast<std::uint32_t>(host - hosts_.begin());
    host->pid = 0;
    if (host->errors.open()) read_errors(number);  // first what it had to say
    if (host->stage == Stage::starting) lose(number, why_it_ended(*host, end));
    else if (host->stage == Stage::connected)
      log(LogLevel::info, "{}: the command for its agent {}; the agent's own connection is in use", describe(number),
          describe_end(end));
  }
  // With many hosts a look at each after every message would be most of the work.
  if (!next_look_.passed()) return;
  next_look_ = Deadline::after_ns(look_ns);
  for (std::uint32_t number = 0; number < hosts_.size(); ++number) {
    Host& host = hosts_[number];
    if (host.stage == Stage::starting && host.report_by.passed())
      lose(
          number,
          fmt::format("its agent has not reported within {:.0f} s. Is the host up, and port {} of this one not blocked "
                      "by a firewall? It was started by: {}",
                      report_seconds_, port_of(listening_.number()), joined(host.command, " ")));
    if (host.link && host.link->peer_is_gone()) {
      lose(number, fmt::format("it has not answered for {:.0f} s. Is it, or the network to it, down?",
                               1e-9 * static_cast<double>(silence_limit_ns_)));
      host.link.reset();
    }
  }
}

void HostAgents::lose(std::uint32_t number, const std::string& why) {
  Host& host = hosts_[number];
  if (host.stage == Stage::gone) return;
  host.stage = Stage::gone;
  if (host.pid != 0) ::kill(host.pid, SIGKILL);
  host.secret.close();
  listener_->on_lost(number, why);
}

void HostAgents::send(std::uint32_t host, FrameKind kind, std::string_view body) {
  if (hosts_[host].link) hosts_[host].link->send(kind, body);
}

void HostAgents::send_to_all(FrameKind kind, std::string_view body) {
  for (std::uint32_t host = 0; host < hosts_.size(); ++host)
    if (connected(host)) send(host, kind, body);
}

void HostAgents::dismiss(std::uint32_t host) {
  send(host, FrameKind::leave);
  hosts_[host].stage = Stage::gone;
}

void HostAgents::drop_unreported() {
  for (Host& host : hosts_) {
    if (host.stage != Stage::starting) continue;
    host.stage = Stage::gone;
    if (host.pid != 0) ::kill(host.pid, SIGKILL);
    host.secret.close();
  }
}

bool HostAgents::all_gone() const {
  return std::all_of(hosts_.begin(), hosts_.end(),
                     [](const Host& host) { return host.stage == Stage::gone || host.stage == Stage::idle; });
}

void HostAgents::await_commands() {
  for (Deadline soon = Deadline::after_ns(command_grace_ns); !commands_ended() && !soon.passed(); look_after()) {
    std::vector<pollfd> watched;
    watch(watched);
    ::poll(watched.data(), watched.size(), 5);
    serve(watched.data(), watched.size());
  }
}

bool HostAgents::commands_ended() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const Host& host) { return host.pid == 0; });
}

}  // namespace atl::runtime
