// SPDX-License-Identifier: Apache-2.0
#include "agent.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/guest_order.hpp"
#include "atoll/bootstrap/control/handshake.hpp"
#include "atoll/fabric/job.hpp"
#include "guard.hpp"
#include "order.hpp"
#include "output.hpp"
#include "patience.hpp"
#include "pe_server.hpp"
#include "processes.hpp"

namespace atl::runtime {
namespace {

constexpr double greeting_seconds = 30;
constexpr double farewell_seconds = 30;
constexpr double count_grace_seconds = 5;
// More than this on its way to the launcher, and the PEs' output waits.
constexpr std::size_t most_unsent_bytes = std::size_t{1} << 20;

class Agent final : Processes::Listener, PeServer::Listener {
 public:
  Agent(std::unique_ptr<Link> link, const Order& order, pid_t guard)
      : signals_(guard),
        link_(std::move(link)),
        order_(order),
        pes_(order.pes, *this),
        pe_server_(order_, *this),
        stays_(order.pes == 0) {}
  int run();

 private:
  bool start();
  void start_pe(std::uint32_t index);
  void start_guests(const GuestOrder& order);
  void start_guest(const GuestOrder& order, const GuestOrder::Seat& seat);
  void kill(std::uint32_t pe);
  bool hear_launcher();
  void take_frames();
  void take(const Frame& frame);
  void feed_input();
  void kill_pes();
  int give_up(const std::string& why);
  int say_farewell();
  void on_output(std::uint32_t index, std::size_t which, std::string_view text) override {
    link_->send(FrameKind::output,
                Packer().number(pe_server_.pe_of(index)).number(output_number(which)).raw(text).body());
  }
  void on_output_end(std::uint32_t index, std::size_t which) override {
    link_->send(FrameKind::output_end, Packer().number(pe_server_.pe_of(index)).number(output_number(which)).body());
  }
  void on_end(std::uint32_t index, int wait_status) override;
  void on_joined(std::uint32_t pe) override { link_->send(FrameKind::joined, Packer().number(pe).body()); }
  void on_exchange(std::vector<PublishedEntry> entries) override;
  void on_abort(std::uint32_t pe, std::uint32_t status, const std::string& why) override {
    link_->send(FrameKind::job_abort, Packer().number(pe).number(status).text(why).body());
  }
  void on_loss(std::uint32_t pe, std::uint32_t lost, const std::string& how) override {
    link_->send(FrameKind::loss, Packer().number(pe).number(lost).text(how).body());
  }
  void on_survival(std::uint32_t how) override { link_->send(FrameKind::survival, Packer().number(how).body()); }
  void on_spawn(std::uint32_t pe, std::string_view wish) override {
    link_->send(FrameKind::spawn, Packer().number(pe).raw(wish).body());
  }
  void on_give_up(std::uint32_t pe, std::uint32_t first, std::uint32_t count) override {
    link_->send(FrameKind::given_up, Packer().number(pe).number(first).number(count).body());
  }
  void on_newcomer(std::uint32_t pe, const std::string& card) override {
    link_->send(FrameKind::newcomer, Packer().number(pe).text(card).body());
  }
  void on_admitted(std::uint32_t first, const std::string& objection) override {
    link_->send(FrameKind::all_admitted, Packer().number(first).text(objection).body());
  }
  void on_late_hosts(std::uint32_t pe) override { link_->send(FrameKind::late_hosts, Packer().number(pe).body()); }
  std::string on_memory(const fabric::JobOptions& options) override;
  static std::uint32_t output_number(std::size_t which) { return static_cast<std::uint32_t>(which) + 1; }

  Signals signals_;
  std::unique_ptr<Link> link_;
  Order order_;
  Processes pes_;
  PeServer pe_server_;
  Descriptor input_;     // PE 0's standard input
  std::string feed_;     // what is on its way there
  bool feed_ends_ = false;
  std::vector<std::shared_ptr<fabric::Job>> memories_;  // of this host's nodes, see on_exchange() and on_memory()
  std::string survival_;  // body of the last frame of this kind
  bool stays_;            // also without a PE, as guests may come
  bool leaving_ = false;   // all has been said
  bool told_ending_ = false;
  bool released_ = false;  // the launcher has said `leave`
  Deadline kill_at_ = Deadline::never();
};

std::string read_secret(Deadline deadline) {
  std::string line;
  for (;;) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    int left_ms = static_cast<int>(std::clamp<std::int64_t>(deadline.remaining_ns() / 1'000'000, 0, 60'000));
    char one = 0;
    ATOLL_VALIDATE(
        ::poll(&ready, 1, left_ms) > 0 && ::read(STDIN_FILENO, &one, 1) == 1 && line.size() < 2 * secret_bytes + 1,
        SetupError, "there is no secret on standard input: the launcher starts an agent, and no one else can");
    if (one == '\n') return line;
    line += one;
  }
}

void adopt(const std::vector<std::string>& environment) {
  for (const std::string& assignment : environment) {
    std::size_t equals = assignment.find('=');
    if (equals == std::string::npos) continue;
    ::setenv(assignment.substr(0, equals).c_str(), assignment.c_str() + equals + 1, 1);
  }
}

constexpr const char* host_is_silent = "the launcher's host does not answer any more";

void answer_count(Link& link, std::string_view body) {
  Unpacker reader(body);
  auto kind = static_cast<Binding>(reader.number());
  std::uint32_t timeout_ms = reader.number();
  link.keep_alive(std::int64_t{timeout_ms} * 1'000'000);
  adopt(reader.texts());
  // Should the system not answer hwloc, this process ends, after the launcher has given it up.
  ::alarm(static_cast<unsigned>(start_limit_seconds(timeout_ms / 1000.0) + count_grace_seconds));
  std::uint32_t parts = count_parts(kind);
  ::alarm(0);
  link.send(FrameKind::parts_counted, Packer().number(parts).body());
}

// What the launcher says after the handshake, if it has anything to start here. It may want a count first; then the
// order comes when the last host has counted.
std::optional<Order> await_order(Link& link, Deadline deadline) {
  for (bool open = true;;) {
    while (auto frame = link.next()) {
      if (frame->kind == FrameKind::leave) return std::nullopt;
      if (frame->kind == FrameKind::order) return unpack_order(frame->body);
      ATOLL_VALIDATE(frame->kind == FrameKind::count_parts, SetupError,
                     "protocol error: the launcher's first message does not say what to start");
      answer_count(link, frame->body);
      deadline = Deadline::never();
    }
    ATOLL_VALIDATE(open, SetupError, "the launcher is gone: {}", link.fault());
    ATOLL_VALIDATE(!link.peer_is_gone(), SetupError, "{}", host_is_silent);
    ATOLL_VALIDATE(!deadline.passed(), TimeoutError,
                   "protocol error: the launcher's first message does not say what to start");
    pollfd watched{link.descriptor(), link.wanted_events(), 0};
    ::poll(&watched, 1, tick_ms);
    if ((watched.revents & POLLOUT) != 0) link.flush();
    if ((watched.revents & ~POLLOUT) != 0) open = link.receive();
  }
}

void Agent::start_pe(std::uint32_t index) {
  unsigned threads = choose_threads(order_.threads, order_.pes, static_cast<Binding>(order_.binding));
  Descriptor agent = pe_server_.open(index);
  SpawnRequest request;
  std::uint32_t number = program_of(order_.programs, order_.first_pe + index);
  const Program& program = order_.programs[number];
  request.command = program.command;
  request.directory = program.directory;
  request.is_looked_for_there = true;
  set_variables(request, program.environment);
  for (const auto& [name, value] :
       {std::pair{"ATOLL_AGENT", fmt::format("{}", agent.number())},
        std::pair{"ATOLL_PE", fmt::format("{}", order_.first_pe + index)},
        std::pair{"ATOLL_NPES", fmt::format("{}", order_.npes)}, std::pair{"ATOLL_THREADS", fmt::format("{}", threads)},
        std::pair{"ATOLL_PROGRAM", fmt::format("{}", number)}, std::pair{"ATOLL_JOB", std::string()},
        std::pair{"ATOLL_GUESTS", std::string()}})
    set_variable(request, name, value);
  request.cores = choose_cores(static_cast<Binding>(order_.binding), index, order_.pes, threads);
  request.inherited = agent.number();
  Descriptor input;
  if (order_.first_pe + index == 0) {
    auto [theirs, ours] = make_pipe();
    ::fcntl(ours.number(), F_SETFL, O_NONBLOCK);
    input = std::move(theirs);
    input_ = std::move(ours);
  } else {
    input = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  request.standard_input = input.number();
  pes_.start(index, std::move(request), Capture::yes);
}

// False: the launcher has been told why not.
bool Agent::start() {
  try {
    if (::chdir(order_.directory.c_str()) != 0)
      throw_errno(fmt::format("cannot change to the directory {}, which every host needs", order_.directory));
    for (std::uint32_t index = 0; index < order_.pes; ++index) start_pe(index);
  } catch (const Error& error) {
    link_->send(FrameKind::not_started, Packer().number(127).text(error.what()).body());
    pes_.kill_everything();
    return false;
  }
  Packer pids;
  pids.number(order_.pes);
  for (std::uint32_t index = 0; index < order_.pes; ++index) pids.number(static_cast<std::uint32_t>(pes_.pid(index)));
  link_->send(FrameKind::started, pids.body());
  return true;
}

void Agent::start_guest(const GuestOrder& order, const GuestOrder::Seat& seat) {
  const GuestProgram& program = order.programs[seat.program];
  const std::uint32_t index = pes_.add();
  pe_server_.add(seat.pe, order.first);
  Descriptor agent = pe_server_.open(index);
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  SpawnRequest request;
  request.command = program.command;
  request.directory = program.directory;
  request.path = program.path;
  request.is_looked_for_there = true;
  const auto pes = order_.pes != 0 ? order_.pes : static_cast<std::uint32_t>(order.seats.size());
  const unsigned threads = choose_threads(order_.threads, pes, static_cast<Binding>(order_.binding));
  for (const auto& [name, value] :
       {std::pair{"ATOLL_AGENT", fmt::format("{}", agent.number())}, std::pair{"ATOLL_PE", fmt::format("{}", seat.pe)},
        std::pair{"ATOLL_NPES", fmt::format("{}", order_.npes)}, std::pair{"ATOLL_THREADS", fmt::format("{}", threads)},
        std::pair{"ATOLL_PROGRAM", fmt::format("{}", seat.program)}, std::pair{"ATOLL_JOB", std::string()},
        std::pair{"ATOLL_GUESTS", fmt::format("{}:{}:{}", order.first, order.count, program.note)}})
    set_variable(request, name, value);
  request.inherited = agent.number();
  request.standard_input = input.number();
  pes_.start(index, std::move(request), Capture::yes);
  if (!survival_.empty()) pe_server_.send(seat.pe, FrameKind::survival, survival_);
}

// All, or none.
void Agent::start_guests(const GuestOrder& order) {
  try {
    for (const GuestOrder::Seat& seat : order.seats) start_guest(order, seat);
  } catch (const Error& error) {
    for (const GuestOrder::Seat& seat : order.seats) kill(seat.pe);
    link_->send(FrameKind::guests_refused, Packer().number(order.first).text(error.what()).body());
    return;
  }
  Packer started;
  started.number(order.first).number(static_cast<std::uint32_t>(order.seats.size()));
  for (const GuestOrder::Seat& seat : order.seats)
    started.number(static_cast<std::uint32_t>(pes_.pid(*pe_server_.index_of(seat.pe))));
  link_->send(FrameKind::guests_started, started.body());
}

void Agent::kill(std::uint32_t pe) {
  if (auto index = pe_server_.index_of(pe); index && pes_.running(*index)) ::kill(pes_.pid(*index), SIGKILL);
}

// A PE has made the memory of its node, and the others open it by the PE's descriptor. This process opens it first, so
// that guests find it when that PE has ended.
void Agent::on_exchange(std::vector<PublishedEntry> entries) {
  for (PublishedEntry& entry : entries) {
    const auto index = pe_server_.index_of(entry.rank);
    if (entry.key != "memory" || !index) continue;
    const std::string folder = fmt::format("=/proc/{}/fd/", pes_.pid(*index));  // as the PE counts, too, or not
    if (!entry.value.starts_with(folder)) continue;
    try {
      memories_.push_back(fabric::Job::join_shm(entry.value.substr(1)));
      entry.value = fmt::format("={}", memories_.back()->join_name());
    } catch (const Error&) {}  // the PE that has made the memory keeps it
  }
  link_->send(FrameKind::contribution, Packer().entries(entries).body());
}

// Of a host on which the job began with no PE: a guest asks for it, and others find the same later.
std::string Agent::on_memory(const fabric::JobOptions& options) {
  if (memories_.empty()) memories_.push_back(fabric::Job::create_shm(options));
  return memories_.front()->join_name();
}

void Agent::on_end(std::uint32_t index, int wait_status) {
  pe_server_.serve(index);
  pe_server_.close(index);
  // Before the launcher learns of it, and starts others.
  const PeId pe(pe_server_.pe_of(index));
  std::optional<PeId> followed;  // a PE whose failure was known on this host before
  for (const auto& memory : memories_) {
    if (pe.value() >= order_.npes && pe.value() < memory->places()) memory->note_end(pe);
    if (const auto failure = memory->first_failure(); failure && failure->pe != pe) followed = failure->pe;
  }
  link_->send(FrameKind::ended, Packer()
                                    .number(pe_server_.pe_of(index))
                                    .number(static_cast<std::uint32_t>(wait_status))
                                    .number(pe_server_.has_finalized(index) ? 1 : 0)
                                    .number(followed ? followed->value() + 1 : 0)
                                    .body());
}

void Agent::take(const Frame& frame) {
  Unpacker reader(frame.body);
  switch (frame.kind) {
    case FrameKind::table: return pe_server_.complete(reader.entries());
    case FrameKind::signal: return pes_.signal(static_cast<int>(reader.number()));
    case FrameKind::input:
      feed_ += frame.body;
      feed_ends_ = feed_ends_ || frame.body.empty();
      return;
    case FrameKind::hosts_are_late: {
      std::uint32_t pe = reader.number();
      ATOLL_VALIDATE(pe - order_.first_pe < order_.pes, SetupError, "PE {} is not on this host", pe);
      return pe_server_.answer_late(pe, reader.text());
    }
    case FrameKind::end: {
      kill_at_ = Deadline::after_ns(std::int64_t{reader.number()} * 1'000'000);
      stays_ = false;
      std::uint32_t pe = reader.number();
      std::string host = reader.text(), how = reader.text();
      if (how.empty()) return;
      pe_server_.tell_failure(pe, host, how);
      // Programs that are no PEs of Atoll, or not yet, have nothing to say to it.
      if (!pe_server_.anybody_joined()) kill_at_ = Deadline::after_ns(0);
      return;
    }
    case FrameKind::survival: survival_ = frame.body; return pe_server_.pass_on(frame);
    case FrameKind::given_up:
    case FrameKind::died: return pe_server_.pass_on(frame);
    case FrameKind::no_more_guests: stays_ = false; return;
    case FrameKind::end_pe: return kill(reader.number());
    case FrameKind::guests:
      if (!leaving_) start_guests(unpack_guest_order(frame.body));  // else the launcher learns that this host is done
      return;
    case FrameKind::newcomers: {
      const std::uint32_t cohort = reader.number();
      return pe_server_.introduce(cohort, reader.texts());
    }
    case FrameKind::guests_admitted: {
      const std::uint32_t cohort = reader.number();
      std::vector<std::uint32_t> gone;
      for (std::uint32_t left = reader.number(); left != 0; --left) gone.push_back(reader.number());
      return pe_server_.admit(cohort, gone);
    }
    case FrameKind::spawned: {
      const std::uint32_t pe = reader.number();
      return pe_server_.send(pe, frame.kind, reader.rest());
    }
    case FrameKind::report_ends:
      pe_server_.serve_all();
      pes_.reap();
      link_->send(FrameKind::ends_reported, Packer().number(reader.number()).body());
      return;
    case FrameKind::leave: released_ = true; return;
    default:
      raise<SetupError>(
          "protocol error: unexpected message from the launcher. Do all hosts run the same Atoll version?");
  }
}

void Agent::take_frames() {
  while (auto frame = link_->next()) take(*frame);
}

// False: it is gone.
bool Agent::hear_launcher() {
  bool open = link_->receive();
  take_frames();
  return open;
}

void Agent::feed_input() {
  if (!input_.open()) {
    // The PE does not read it: acknowledged anyway, so that the launcher continues.
    auto bytes = static_cast<std::uint32_t>(feed_.size());
    if (bytes != 0) link_->send(FrameKind::input_taken, Packer().number(bytes).body());
    feed_.clear();
    return;
  }
  ssize_t written = feed_.empty() ? 0 : ::write(input_.number(), feed_.data(), feed_.size());
  if (written > 0) {
    link_->send(FrameKind::input_taken, Packer().number(static_cast<std::uint32_t>(written)).body());
    feed_.erase(0, static_cast<std::size_t>(written));
  }
  if ((written < 0 && errno != EAGAIN && errno != EINTR) || (feed_.empty() && feed_ends_)) input_.close();
}

// They are told before, so that none reports the end of its neighbour.
void Agent::kill_pes() {
  if (!std::exchange(told_ending_, true)) pe_server_.tell_ending();
  pes_.kill_everything();
}

int Agent::give_up(const std::string& why) {
  kill_pes();
  say(fmt::format("the agent on {} ends its PEs: {}", order_.host, why));
  return 1;
}

// All is said when the launcher has read it: closing earlier could take back what is on its way.
int Agent::say_farewell() {
  leaving_ = true;
  link_->send(FrameKind::done);
  Deadline soon = Deadline::after_seconds(farewell_seconds);
  while (!released_ && !soon.passed()) {
    pollfd watched{link_->descriptor(), link_->wanted_events(), 0};
    ::poll(&watched, 1, tick_ms);
    if ((watched.revents & POLLOUT) != 0) link_->flush();
    if ((watched.revents & ~POLLOUT) != 0 && !hear_launcher()) return 1;
    if (link_->peer_is_gone() || signals_.guard_is_gone()) return 1;
  }
  return 0;
}

int Agent::run() {
  if (!start()) return say_farewell();
  take_frames();  // what came together with the order
  while (stays_ || !pes_.all_ended()) {
    std::vector<pollfd> watched{{signals_.descriptor(), POLLIN, 0},
                                {link_->descriptor(), link_->wanted_events(), 0},
                                {feed_.empty() ? -1 : input_.number(), POLLOUT, 0}};
    pe_server_.watch(watched);
    std::size_t first_output = watched.size();
    if (link_->unsent_bytes() < most_unsent_bytes) pes_.watch(watched);
    ::poll(watched.data(), watched.size(), tick_ms);
    if (watched[0].revents != 0)
      for (auto [signal, from_terminal] : signals_.take()) {
        pes_.signal(signal);
        if (!asks_to_end(signal)) continue;
        kill_at_ = Deadline::after_ns(signal_grace_ns);
        stays_ = false;
      }
    if (signals_.guard_is_gone()) return give_up("its outer process was killed");
    if ((watched[1].revents & POLLOUT) != 0) link_->flush();
    if ((watched[1].revents & ~POLLOUT) != 0 && !hear_launcher())
      return give_up(fmt::format("the launcher is gone: {}", link_->fault()));
    if (link_->peer_is_gone()) return give_up(host_is_silent);
    pe_server_.serve(watched.data() + 3, first_output - 3);
    pes_.read(watched.data() + first_output, watched.size() - first_output);
    feed_input();
    pes_.reap();
    if (kill_at_.passed()) kill_pes();
  }
  pes_.drain();
  pes_.kill_everything();
  return say_farewell();
}

}  // namespace

int run_agent(const AgentOptions& options) {
  sigset_t broken_pipe;
  ::sigemptyset(&broken_pipe);
  ::sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  return run_guarded([&](pid_t guard) {
    try {
      Deadline soon = Deadline::after_seconds(greeting_seconds);
      std::string secret = read_secret(soon);
      auto link = greet_launcher(options.addresses, options.port, secret, options.host, soon, STDIN_FILENO);
      auto order = await_order(*link, soon);
      if (!order) return 0;
      link->keep_alive(std::int64_t{order->peer_timeout_ms} * 1'000'000);
      adopt(order->environment);
      return Agent(std::move(link), *order, guard).run();
    } catch (const Error& error) {
      say(fmt::format("agent: {}", error.what()));
      kill_children();
      return 1;
    }
  });
}

}  // namespace atl::runtime
