// SPDX-License-Identifier: Apache-2.0
#include "hosts_launch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <optional>
#include <set>
#include <utility>

#include "agent_command.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/base/wait_status.hpp"
#include "guard.hpp"
#include "host_agents.hpp"
#include "host_guests.hpp"
#include "host_parts.hpp"
#include "order.hpp"
#include "output.hpp"
#include "patience.hpp"
#include "pe_state.hpp"
#include "spawn.hpp"
#include "survivors.hpp"

namespace atl::runtime {
namespace {

// Longer than on one host: a PE that leaves the network of a job that has failed takes a second (measured over TCP),
// and reports its error after that; on a busy machine it takes a few.
constexpr std::int64_t grace_ns = 5'000'000'000;
// PEs tell one another of a death by the network, and may be quicker than the agents. When a PE has ended or
// complained, and that may be the consequence of a death, agents have this long to report all ends.
constexpr std::int64_t report_patience_ns = 10'000'000'000;
// Agents that were told to end their PEs have this much longer to say that they have done so.
constexpr std::int64_t agent_grace_ns = 5'000'000'000;
// What is on its way to PE 0's standard input.
constexpr std::size_t most_input_bytes = std::size_t{256} << 10;

// A PE's report that PE `pe` has failed.
struct Complaint {
  std::uint32_t pe = 0, by = 0;
  int status = 1;
  std::string line;  // for the user
  std::string how;  // for the other PEs
  std::string host = {};  // likewise; empty: `how` says it
  bool is_loss = false;  // the network does not reach it
};

class HostsLaunch final : HostAgents::Listener {
 public:
  HostsLaunch(const LaunchOptions& options, HostAgents& agents, Signals& signals);
  int run(Deadline timeout);

 private:
  void on_agent(std::uint32_t host) override;
  void on_frame(std::uint32_t host, const Frame& frame) override;
  void on_lost(std::uint32_t host, const std::string& why) override;
  void take_signals();
  void take_input();
  void take_output(std::uint32_t host, const Frame& frame, Unpacker& reader);
  void take_end(std::uint32_t pe, Unpacker& reader);
  void take_contribution(std::uint32_t host, Unpacker& reader);
  bool begins_on(std::uint32_t host) const { return options_.hosts[host].pes != 0; }
  bool is_missing(std::uint32_t host) const { return begins_on(host) && !contributed_[host]; }
  void dismiss_idle_hosts();
  std::string late_hosts() const;
  void judge(std::uint32_t pe);
  void blame(std::uint32_t pe);
  void suspect(std::uint32_t pe);
  void accuse(Complaint complaint);
  void inquire();
  void take_report(std::uint32_t host, std::uint32_t number);
  void conclude();
  void conclude_if_all_reported();
  void end_all_on(std::uint32_t host, const std::string& why);
  void go_on_without(std::uint32_t pe, int status, const std::string& how, const std::string& host = {});
  void take_survival(Unpacker& reader);
  void take_loss(std::uint32_t pe, Unpacker& reader);
  void fail(int status, std::int64_t limit_ns, std::uint32_t pe = 0, const std::string& how = {},
            const std::string& host = {});
  void tell(std::int64_t limit_ns, std::uint32_t pe, const std::string& how, const std::string& host);
  const std::string& host_of(std::uint32_t pe) const { return options_.hosts[pes_[pe].host].name; }
  std::uint32_t pe_of(std::uint32_t host, Unpacker& reader) const;
  bool input_is_wanted() const;

  const LaunchOptions& options_;
  HostAgents& agents_;
  Signals& signals_;
  std::string directory_;
  std::vector<std::string> environment_;
  std::vector<PeState> pes_;
  HostGuests guests_;
  std::array<LineMerger, 2> mergers_;
  std::vector<PublishedEntry> published_;
  std::vector<std::string> idle_hosts_;  // names of those on which the job begins with no PE
  std::vector<std::string> tables_;      // all that have been sent, for the agents of these
  bool guests_are_over_ = false;         // and these agents have been told
  std::vector<bool> contributed_;  // hosts in the present exchange
  std::size_t input_outstanding_ = 0;
  bool input_open_ = true;
  int status_ = 0;
  bool failing_ = false;
  bool tells_of_ends_ = false;  // of the first: all were told to end, and some may wait for it
  // What may be the consequence of a death that an agent has not reported yet, until all agents have reported.
  std::vector<std::uint32_t> suspects_;  // PEs that have ended
  std::vector<Complaint> complaints_;  // of PEs about themselves or others
  std::uint32_t inquiry_ = 0;  // number of the present or last one
  std::set<std::uint32_t> unreported_;  // hosts whose agents have not answered it
  fabric::Survival survival_ = fabric::Survival::none;  // what the program does about deaths
  SurvivorStatus survivors_;  // counts unless failing_
  Deadline conclude_at_ = Deadline::never();
  Deadline give_up_at_ = Deadline::never();
};

std::string working_directory() {
  char path[PATH_MAX];
  if (::getcwd(path, sizeof(path)) == nullptr) throw_errno("cannot tell the working directory");
  return path;
}

HostsLaunch::HostsLaunch(const LaunchOptions& options, HostAgents& agents, Signals& signals)
    : options_(options),
      agents_(agents),
      signals_(signals),
      directory_(working_directory()),
      environment_(carried_environment(options)),
      pes_(options.npes),
      guests_(options, agents, pes_),
      mergers_{LineMerger(STDOUT_FILENO, options.npes, options.labels, options.shown_pe),
               LineMerger(STDERR_FILENO, options.npes, options.labels)},
      contributed_(options.hosts.size(), false) {
  for (std::uint32_t host = 0; host < options.hosts.size(); ++host)
    for (std::uint32_t i = 0; i < options.hosts[host].pes; ++i) pes_[options.hosts[host].first_pe + i].host = host;
  for (const HostShare& host : options.hosts)
    if (host.pes == 0) idle_hosts_.push_back(host.name);
  agents.report_to(*this);
}

// The other PEs are told that PE `pe` is lost, how, and where unless that says it; without that they are just ended.
void HostsLaunch::fail(int status, std::int64_t limit_ns, std::uint32_t pe, const std::string& how,
                       const std::string& host) {
  if (failing_) return;
  failing_ = true;
  guests_.stop();
  status_ = status;
  give_up_at_ = Deadline::after_ns(limit_ns + agent_grace_ns);
  tell(limit_ns, pe, how, host);
  agents_.drop_unreported();
}

void HostsLaunch::tell(std::int64_t limit_ns, std::uint32_t pe, const std::string& how, const std::string& host) {
  auto limit_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(0, limit_ns / 1'000'000));
  agents_.send_to_all(FrameKind::end, Packer().number(limit_ms).number(pe).text(host).text(how).body());
}

void HostsLaunch::on_agent(std::uint32_t host) {
  const HostShare& share = options_.hosts[host];
  agents_.send(
      host, FrameKind::order,
      pack({share.first_pe, share.pes, options_.npes, options_.threads, static_cast<std::uint32_t>(options_.binding),
            agents_.peer_timeout_ms(), share.name, directory_, environment_, idle_hosts_, options_.programs}));
  if (begins_on(host)) return;
  for (const std::string& table : tables_) agents_.send(host, FrameKind::table, table);
  if (survival_ != fabric::Survival::none)
    agents_.send(host, FrameKind::survival, Packer().number(static_cast<std::uint32_t>(survival_)).body());
  guests_.welcome(host);
}

void HostsLaunch::on_lost(std::uint32_t host, const std::string& why) {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
    if (pes_[pe].host == host && !pes_[pe].finalized && !guests_.has(pe)) lost.push_back(pe);
  end_all_on(host, why);
  unreported_.erase(host);
  if (failing_) return;
  if (!begins_on(host) && std::all_of(lost.begin(), lost.end(), [&](std::uint32_t pe) { return pes_[pe].dead; }))
    return conclude_if_all_reported();  // a spawn that needs it fails
  say(fmt::format("{}: {}", agents_.describe(host), why));
  const HostShare& share = options_.hosts[host];
  const std::string how = fmt::format("on {} is lost with its host: {}", share.name, why);
  if (survival_ == fabric::Survival::none)
    return fail(1, grace_ns, begins_on(host) ? share.first_pe : lost.front(), how);
  for (const std::uint32_t pe : lost) go_on_without(pe, 1, how);
  conclude_if_all_reported();
}

void HostsLaunch::end_all_on(std::uint32_t host, const std::string& why) {
  for (PeState& pe : pes_)
    if (pe.host == host) pe.ended = true;
  guests_.lose_host(host, why);
}

// Their agents stay when the processes there have ended, as long as another process may be spawned there.
void HostsLaunch::dismiss_idle_hosts() {
  if (idle_hosts_.empty() || guests_are_over_ ||
      std::any_of(pes_.begin(), pes_.end(), [](const PeState& pe) { return !pe.is_gone(); }))
    return;
  guests_are_over_ = true;
  guests_.stop();
  agents_.drop_unreported();
  for (std::uint32_t host = 0; host < options_.hosts.size(); ++host)
    if (!begins_on(host) && agents_.connected(host)) agents_.send(host, FrameKind::no_more_guests);
}

// The other PEs are told, and that the job goes on.
void HostsLaunch::go_on_without(std::uint32_t pe, int status, const std::string& how, const std::string& host) {
  if (std::exchange(pes_[pe].dead, true)) return;
  survivors_.note_death(survival_, status);
  agents_.send_to_all(FrameKind::died, Packer().number(pe).text(host).text(how).body());
}

void HostsLaunch::take_survival(Unpacker& reader) {
  std::uint32_t level = reader.number();
  ATOLL_VALIDATE(level <= static_cast<std::uint32_t>(fabric::Survival::recovers), SetupError,
                 "its agent speaks of survival {}", level);
  if (level <= static_cast<std::uint32_t>(survival_)) return;
  survival_ = static_cast<fabric::Survival>(level);
  agents_.send_to_all(FrameKind::survival, Packer().number(level).body());
}

void HostsLaunch::take_loss(std::uint32_t pe, Unpacker& reader) {
  std::uint32_t lost = reader.number();
  std::string how = reader.text();
  ATOLL_VALIDATE(lost < pes_.size(), SetupError, "protocol error: its agent reports on PE {}, which does not run there",
                 lost);
  // Two PEs that do not reach each other both report it: the first report decides.
  if (failing_ || pes_[pe].dead || pes_[lost].dead) return;
  accuse({.pe = lost, .by = pe, .line = fmt::format("PE {} {}", lost, how), .how = how, .is_loss = true});
}

std::uint32_t HostsLaunch::pe_of(std::uint32_t host, Unpacker& reader) const {
  std::uint32_t pe = reader.number();
  ATOLL_VALIDATE(pe < pes_.size() && pes_[pe].host == host, SetupError, "its agent speaks for PE {}", pe);
  return pe;
}

void HostsLaunch::on_frame(std::uint32_t host, const Frame& frame) {
  if (guests_.take(host, frame)) return;
  Unpacker reader(frame.body);
  switch (frame.kind) {
    case FrameKind::started:
      ATOLL_VALIDATE(reader.number() == options_.hosts[host].pes, SetupError,
                     "its agent has started other PEs than it was told");
      for (std::uint32_t i = 0; i < options_.hosts[host].pes; ++i)
        pes_[options_.hosts[host].first_pe + i].pid = reader.number();
      return;
    case FrameKind::not_started: {
      auto status = static_cast<int>(reader.number());
      if (!begins_on(host)) return guests_.lose_host(host, reader.text());
      if (!failing_) say(fmt::format("{}: {}", agents_.describe(host), reader.text()));
      return fail(status, 0);
    }
    case FrameKind::output:
    case FrameKind::output_end: return take_output(host, frame, reader);
    case FrameKind::joined:
      pes_[pe_of(host, reader)].joined = true;
      // One that ended before it joined may turn out to be missed.
      for (std::uint32_t pe = 0; pe < pes_.size(); ++pe)
        if (pes_[pe].ended && !pes_[pe].finalized) judge(pe);
      return;
    case FrameKind::ended: return take_end(pe_of(host, reader), reader);
    case FrameKind::contribution: return take_contribution(host, reader);
    case FrameKind::job_abort: {
      std::uint32_t pe = pe_of(host, reader);
      int status = static_cast<int>(reader.number()) & 0xFF;
      std::string why = reader.text();
      if (why.empty()) return fail(status, exit_grace_ns);
      if (survival_ != fabric::Survival::none) return;  // its end alone counts
      if (failing_) return;
      return accuse({.pe = pe,
                     .by = pe,
                     .status = status,
                     .line = fmt::format("{} (host {})", why, options_.hosts[host].name),
                     .how = fmt::format("has ended the job ({})", why),
                     .host = host_of(pe)});
    }
    case FrameKind::ends_reported: return take_report(host, reader.number());
    case FrameKind::loss: return take_loss(pe_of(host, reader), reader);
    case FrameKind::survival: return take_survival(reader);
    case FrameKind::input_taken:
      input_outstanding_ -= std::min<std::size_t>(input_outstanding_, reader.number());
      return;
    case FrameKind::late_hosts: {
      std::uint32_t pe = pe_of(host, reader);
      return agents_.send(host, FrameKind::hosts_are_late, Packer().number(pe).text(late_hosts()).body());
    }
    case FrameKind::done:
      agents_.dismiss(host);
      end_all_on(host, "all its processes have ended");
      unreported_.erase(host);
      return conclude_if_all_reported();
    default:
      raise<SetupError>("protocol error: unexpected message from its agent. Do all hosts run the same Atoll version?");
  }
}

void HostsLaunch::take_output(std::uint32_t host, const Frame& frame, Unpacker& reader) {
  std::uint32_t pe = pe_of(host, reader), which = reader.number();
  ATOLL_VALIDATE(which == 1 || which == 2, SetupError, "its agent speaks of output {}", which);
  if (frame.kind == FrameKind::output) mergers_[which - 1].take(pe, reader.rest());
  else mergers_[which - 1].finish(pe);
}

void HostsLaunch::take_contribution(std::uint32_t host, Unpacker& reader) {
  for (PublishedEntry& entry : reader.entries()) published_.push_back(std::move(entry));
  contributed_[host] = true;
  for (std::uint32_t other = 0; other < contributed_.size(); ++other)
    if (is_missing(other)) return;
  const std::string table = Packer().entries(published_).body();
  agents_.send_to_all(FrameKind::table, table);
  if (!idle_hosts_.empty()) tables_.push_back(table);
  published_.clear();
  contributed_.assign(contributed_.size(), false);
}

std::string HostsLaunch::late_hosts() const {
  std::string late;
  for (std::uint32_t host = 0; host < contributed_.size(); ++host)
    if (is_missing(host)) late += fmt::format("{}{}", late.empty() ? "" : ", ", agents_.describe(host));
  return late;
}

void HostsLaunch::take_end(std::uint32_t pe, Unpacker& reader) {
  pes_[pe].wait_status = static_cast<int>(reader.number());
  pes_[pe].finalized = reader.number() != 0;
  pes_[pe].follows = reader.number() != 0;
  pes_[pe].ended = true;
  if (!guests_.take_end(pe)) judge(pe);
}

// A PE has ended: was that in order?
void HostsLaunch::judge(std::uint32_t pe) {
  int end = pes_[pe].wait_status;
  // Notifies those that wait for a PE that was told to end.
  if (failing_ && exit_status_of(end) != 0 && std::exchange(tells_of_ends_, false))
    tell(give_up_at_.remaining_ns() - agent_grace_ns, pe, describe_end(end), host_of(pe));
  if (failing_ || pes_[pe].dead) return;
  if (WIFEXITED(end) && WEXITSTATUS(end) == 0) {
    if (pes_[pe].finalized) return survivors_.note_end(survival_);
    // It never joined, or never said good-bye. That is fine for a program that does not use Atoll at all.
    bool others = std::any_of(pes_.begin(), pes_.end(), [](const PeState& other) {
      return other.joined && (!other.ended || other.wait_status != 0);
    });
    if (others) suspect(pe);
  } else if (pes_[pe].joined && (WIFEXITED(end) || WTERMSIG(end) == SIGABRT)) {
    // It has not told that it fails, as a PE does: it may have heard that another one did before we have. Uncaught
    // exceptions end a program by SIGABRT.
    suspect(pe);
  } else {
    blame(pe);
  }
}

void HostsLaunch::blame(std::uint32_t pe) {
  int end = pes_[pe].wait_status;
  bool left_early = WIFEXITED(end) && WEXITSTATUS(end) == 0;
  std::string how = left_early ? "ended without finalizing, while other PEs still work" : describe_end(end);
  say(fmt::format("PE {} (host {}, pid {}) {}", pe, host_of(pe), pes_[pe].pid, how));
  const int status = left_early ? 1 : exit_status_of(end);
  if (survival_ != fabric::Survival::none) return go_on_without(pe, status, how, host_of(pe));
  fail(status, grace_ns, pe, how, host_of(pe));
}

void HostsLaunch::suspect(std::uint32_t pe) {
  if (std::find(suspects_.begin(), suspects_.end(), pe) == suspects_.end()) suspects_.push_back(pe);
  inquire();
}

void HostsLaunch::accuse(Complaint complaint) {
  complaints_.push_back(std::move(complaint));
  inquire();
}

// A PE that follows another's death has ended after it. So all agents' answers come behind their reports of that death.
void HostsLaunch::inquire() {
  if (!unreported_.empty()) return;  // what has been noted since the question follows what was noted before
  ++inquiry_;
  conclude_at_ = Deadline::after_ns(report_patience_ns);
  for (std::uint32_t host = 0; host < options_.hosts.size(); ++host)
    if (agents_.connected(host)) unreported_.insert(host);
  for (const std::uint32_t host : std::set(unreported_))  // sending may find one lost
    agents_.send(host, FrameKind::report_ends, Packer().number(inquiry_).body());
  conclude_if_all_reported();
}

void HostsLaunch::take_report(std::uint32_t host, std::uint32_t number) {
  if (number != inquiry_) return;
  unreported_.erase(host);
  conclude_if_all_reported();
}

void HostsLaunch::conclude_if_all_reported() {
  if (unreported_.empty()) conclude();
}

// Complaints first: a PE that fails by itself says so. The first of them counts; where the program survives deaths,
// all.
void HostsLaunch::conclude() {
  unreported_.clear();
  conclude_at_ = Deadline::never();
  auto suspects = std::exchange(suspects_, {});
  // The PE that the others follow may be reported after them.
  std::stable_partition(suspects.begin(), suspects.end(), [&](std::uint32_t pe) { return !pes_[pe].follows; });
  // Two PEs that lose each other both end, and report that: then no end says more than the reports.
  const bool all_follow = survival_ == fabric::Survival::none && !suspects.empty() && pes_[suspects.front()].follows;
  for (const Complaint& one : std::exchange(complaints_, {})) {
    if (failing_ || pes_[one.pe].dead || pes_[one.by].dead) continue;
    // The network loses a PE that has ended: how it has ended says more. Its own host was told of a loss while it ran.
    const bool has_ended = std::find(suspects.begin(), suspects.end(), one.pe) != suspects.end();
    const bool is_of_own_host = pes_[one.by].host == pes_[one.pe].host;
    if (one.is_loss && has_ended && !all_follow && !is_of_own_host) continue;
    if (survival_ == fabric::Survival::none) {
      say(one.line);
      fail(one.status, grace_ns, one.pe, one.how, one.host);
    } else if (one.is_loss) {
      say(one.line);
      go_on_without(one.pe, one.status, one.how);
      agents_.send(pes_[one.pe].host, FrameKind::end_pe, Packer().number(one.pe).body());
    }  // else its end alone counts
  }
  for (const std::uint32_t pe : suspects)
    if (!failing_ && !pes_[pe].dead) blame(pe);
}

void HostsLaunch::take_signals() {
  for (auto [signal, from_terminal] : signals_.take()) {
    agents_.send_to_all(FrameKind::signal, Packer().number(static_cast<std::uint32_t>(signal)).body());
    if (!asks_to_end(signal)) continue;
    if (failing_) {  // the second one is meant
      tell(0, 0, "", "");
      give_up_at_ = Deadline::after_ns(agent_grace_ns);
      continue;
    }
    tells_of_ends_ = true;
    fail(128 + signal, signal_grace_ns);
  }
}

// A launcher in the background of a terminal would be stopped for reading it.
bool HostsLaunch::input_is_wanted() const {
  return input_open_ && agents_.connected(0) && input_outstanding_ < most_input_bytes &&
         (::isatty(STDIN_FILENO) == 0 || ::tcgetpgrp(STDIN_FILENO) == ::getpgrp());
}

void HostsLaunch::take_input() {
  char bytes[65536];
  ssize_t got = ::read(STDIN_FILENO, bytes, sizeof(bytes));
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  std::size_t count = got > 0 ? static_cast<std::size_t>(got) : 0;
  agents_.send(0, FrameKind::input, {bytes, count});
  input_outstanding_ += count;
  input_open_ = count != 0;
}

int HostsLaunch::run(Deadline timeout) {
  for (std::uint32_t host = 0; host < options_.hosts.size(); ++host)
    if (agents_.connected(host)) on_agent(host);
  while (!agents_.all_gone()) {
    std::vector<pollfd> watched{{signals_.descriptor(), POLLIN, 0}, {input_is_wanted() ? STDIN_FILENO : -1, POLLIN, 0}};
    agents_.watch(watched);
    ::poll(watched.data(), watched.size(), tick_ms);
    if (watched[0].revents != 0) take_signals();
    if (signals_.guard_is_gone()) {
      say(guard_was_killed);
      kill_children();
      return 128 + SIGKILL;
    }
    if (watched[1].revents != 0) take_input();
    agents_.serve(watched.data() + 2, watched.size() - 2);
    agents_.look_after();
    for (LineMerger& merger : mergers_) merger.flush_idle(now_ns());
    if (!failing_ && timeout.passed()) {
      say(fmt::format("the job did not end within {} s", options_.timeout_seconds));
      auto late = std::find_if(pes_.begin(), pes_.end(), [](const PeState& pe) { return !pe.ended; });
      auto pe = static_cast<std::uint32_t>(late - pes_.begin());
      pe = late == pes_.end() ? 0 : pe;
      fail(124, grace_ns, pe, "did not end in time", host_of(pe));
    }
    guests_.look_after();
    if (!failing_) dismiss_idle_hosts();
    if (conclude_at_.passed()) conclude();
    if (give_up_at_.passed()) {
      say("some hosts do not say that their PEs have ended");
      break;
    }
  }
  conclude();
  for (LineMerger& merger : mergers_)
    for (std::uint32_t pe = 0; pe < pes_.size(); ++pe) merger.finish(pe);
  if (!failing_) report_dropped_output(mergers_[0]);
  agents_.await_commands();
  return failing_ ? status_ : survivors_.value();
}

}  // namespace

int launch_on_hosts(const LaunchOptions& asked) {
  return run_guarded([&](pid_t guard) {
    try {
      LaunchOptions options = asked;
      Signals signals(guard);
      HostAgents agents(options);
      Deadline timeout = Deadline::never();
      if (options.timeout_seconds > 0) timeout = Deadline::after_seconds(options.timeout_seconds);
      agents.start();
      if (options.pe_for_each != Binding::none)
        if (int status = number_pes_by_parts(options, agents, signals, timeout); status != 0) return status;
      return HostsLaunch(options, agents, signals).run(timeout);
    } catch (const Error& error) {
      say(error.what());
      return 1;
    }
  });
}

}  // namespace atl::runtime
