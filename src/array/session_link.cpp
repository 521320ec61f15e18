// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/session_link.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/recovery.hpp"

namespace atl::array {
namespace {

constexpr std::int64_t room_nap_ns = 100'000;

}  // namespace

MessageChannel::MessageChannel(runtime::Context& context)
    : context_(context),
      handler_(context.register_handler([this](runtime::Context&, PeId, std::span<const std::byte> payload) {
        received_.emplace_back(payload.begin(), payload.end());
      })) {}

// Some operations end without an answer, so that commands to a worker that does not take them may fill its ring.
void MessageChannel::await_room(PeId pe) {
  const bool is_here = context_.endpoint().maps(pe);
  auto has_room = [&] {
    if (!is_here) return !context_.sends_wait();
    const fabric::MessageRing& ring = context_.job().ring(pe);
    // Relaxed: only this PE sends commands, and sending looks again.
    const fabric::RingCount tail{ring.tail.load(std::memory_order_relaxed)},
        head{ring.head.load(std::memory_order_relaxed)};
    return tail.slots_since(head) < fabric::ring_slots / 2 && tail.lines_since(head) < fabric::ring_lines / 2;
  };
  if (has_room()) return;
  runtime::Patience patience(config::seconds(config::Variable::peer_timeout));
  // The worker rings no bell when it has made room.
  while (context_.wait(has_room, Deadline::after_ns(room_nap_ns)) != Status::ok) {
    patience.look();
    if (!patience.is_over()) continue;
    context_.job().suspect(pe);
    const std::array culprits{pe};
    raise<TimeoutError>(fmt::format("{} took no command within {} s (ATOLL_PEER_TIMEOUT)",
                                    runtime::describe(context_.job(), culprits), patience.seconds()));
  }
}

void MessageChannel::send(std::span<const std::byte> command) {
  for (std::uint32_t pe = 0; pe < context_.npes(); ++pe) {
    if (pe == context_.pe().value()) continue;
    await_room(PeId(pe));
    context_.send(PeId(pe), handler_, command);
  }
}

bool MessageChannel::receive(std::vector<std::byte>& command) {
  context_.wait([this] { return !received_.empty(); });
  command = std::move(received_.front());
  received_.pop_front();
  return !command.empty();
}

namespace {

unsigned threads_or_default(unsigned threads, std::uint32_t pes_on_node) {
  if (threads == 0) threads = static_cast<unsigned>(config::integer(config::Variable::threads));
  if (threads == 0) threads = std::max(1u, static_cast<unsigned>(topology().cores.size()) / pes_on_node);
  return threads;
}

}  // namespace

std::unique_ptr<Session::Link> Session::Link::alone(unsigned threads) {
  auto link = std::make_unique<Link>();
  runtime::ContextOptions options;
  options.threads = link->threads_ = threads_or_default(threads, 1);
  link->context_ = runtime::process_if_open();
  if (link->context_ != nullptr && link->context_->npes() == 1) return link;
  auto single = runtime::single_job({.npes = 1, .threads_per_pe = options.threads});
  link->context_ = std::make_shared<runtime::Context>(std::move(single.job), single.pe, options);
  return link;
}

std::unique_ptr<Session::Link> Session::Link::join(std::shared_ptr<runtime::Heap> heap) {
  ATOLL_VALIDATE(runtime::in_job() || runtime::process_if_open() != nullptr, SetupError,
                 "this process is not a PE of a job (ATOLL_JOB is not set). Start it with: atoll run -n 4 PROGRAM");
  auto link = std::make_unique<Link>();
  runtime::ContextOptions options;
  options.heap = std::move(heap);
  link->context_ = runtime::open_process(options);
  link->threads_ = threads_or_default(0, link->context_->npes());
  return link;
}

std::unique_ptr<Session::Link> Session::Link::join_recoverable(const std::function<void()>& look) {
  const runtime::Membership& place = runtime::process_membership();
  fabric::Job& job = *place.job;
  ATOLL_VALIDATE(
      place.bootstrap == nullptr && job.nodes() == 1 && !job.is_guest(), ValueError,
      "resilience='process' is for PEs that `atoll run` has started on this host (another launcher starts no "
      "new process for a dead PE, and the memory of a PE of another host is lost with it). Leave it out?");
  ATOLL_VALIDATE(runtime::process_if_open() == nullptr, Error,
                 "resilience='process' comes too late (MPI, OpenSHMEM or another session has joined the job in this "
                 "process). Call ak.init(resilience='process') first, and leave the others out");
  auto link = std::make_unique<Link>();
  link->job_ = place.job;
  link->threads_ = threads_or_default(0, job.npes());
  job.set_recoverable();
  link->seen_ = job.recoveries();
  try {
    link->context_ = runtime::open_process();
  } catch (const PeFailedError&) {
    if (link->seen_ == 0) throw;
    link->rejoin(look);  // another PE has died meanwhile
  }
  return link;
}

void Session::Link::rejoin(const std::function<void()>& look) {
  const PeId pe = runtime::process_membership().pe;
  if (context_ != nullptr) heap_ = context_->lasting_heap();
  channel_.reset();
  context_.reset();
  ATOLL_VALIDATE(job_->has_left(pe), Error,
                 "this process holds its place in the job (MPI or OpenSHMEM uses it, too), and cannot join again");
  // A new process runs its program up to the point where it joins.
  auto all_are_there = [&] {
    for (std::uint32_t other = 0; other < job_->npes(); ++other) {
      const auto state = job_->record(PeId(other)).state.load(std::memory_order_acquire);  // partner: Context::join()
      if (state == static_cast<std::uint32_t>(fabric::PeState::absent)) return job_->has_failed();
    }
    return true;
  };
  while (context_ == nullptr) {
    runtime::begin_recovery_wait(*job_, pe);
    await([&] { return job_->recoveries() != seen_; }, look);
    seen_ = job_->recoveries();
    await(all_are_there, look);
    try {
      runtime::ContextOptions options;
      options.heap = heap_;
      context_ = runtime::open_process(options);
    } catch (const PeFailedError& error) { log(LogLevel::info, "recovery: {}", error.what()); }
  }
}

void Session::Link::await(const std::function<bool()>& is_over, const std::function<void()>& look) const {
  constexpr auto nap = std::chrono::microseconds(500);
  constexpr unsigned naps_between_looks = 100;
  for (unsigned naps = 1; !is_over(); ++naps) {
    ATOLL_VALIDATE(!job_->shutdown_requested() && !job_->exit_requested(), PeFailedError, "the job ends");
    std::this_thread::sleep_for(nap);
    if (naps % naps_between_looks == 0 && look) look();
  }
}

std::unique_ptr<Session::Link> Session::Link::drive(std::uint32_t pes, unsigned threads,
                                                    const std::vector<std::string>& worker_argv,
                                                    Resilience resilience) {
  ATOLL_VALIDATE(pes >= 1 && pes <= 1024, ValueError, "cannot start {} PEs: give a number from 1 to 1024", pes);
  auto link = std::make_unique<Link>();
  runtime::ContextOptions options;
  options.threads = link->threads_ = threads_or_default(threads, pes);
  auto job = fabric::Job::create_shm({.npes = pes, .threads_per_pe = options.threads});
  if (resilience == Resilience::process) job->set_recoverable();
  link->workers_ = std::make_unique<runtime::WorkerGroup>(
      job, runtime::WorkerOptions{.command = worker_argv, .threads = options.threads});
  link->job_ = job;
  link->context_ = std::make_shared<runtime::Context>(std::move(job), PeId(0), options);
  return link;
}

std::unique_ptr<Session::Link> Session::Link::drive_job(int agent, std::uint32_t npes, unsigned threads) {
  auto link = std::make_unique<Link>();
  runtime::ContextOptions options;
  options.threads = link->threads_ = threads;
  link->launched_ = runtime::join_as_driver(agent, npes);
  const auto& [job, pe, bootstrap] = *link->launched_;
  link->context_ = std::make_shared<runtime::Context>(job, pe, runtime::with_static_area(options, *job));
  return link;
}

Session::Link::~Link() { leave(); }

std::shared_ptr<Engine> Session::Link::make_engine(const std::vector<std::uint32_t>& members) {
  // Guests of a job are numbered behind its own PEs.
  if (members.empty() && !context_->job().is_guest()) return std::make_shared<Engine>(context_, threads_);
  if (members.empty()) return std::make_shared<Engine>(context_, context_->world(), threads_);
  std::vector<PeId> pes(members.begin(), members.end());
  return std::make_shared<Engine>(context_, runtime::Team::listed(std::move(pes), context_->pe()), threads_);
}

void Session::Link::open_channel() { channel_ = std::make_unique<MessageChannel>(*context_); }

// A survivor notices the death in its next wait. One that does not within the time that PEs have to answer is ended,
// and replaced like the dead.
void Session::Link::await_departures(fabric::Job& job) {
  constexpr auto nap = std::chrono::microseconds(200);
  const double limit = config::seconds(config::Variable::peer_timeout);
  const Deadline deadline = limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
  bool is_late = false;
  auto is_gone = [&](std::uint32_t pe) { return runtime::waits_for_recovery(job, PeId(pe)) || job.has_died(PeId(pe)); };
  for (std::uint32_t pe = 1; pe < job.npes(); ++pe)
    while (!is_gone(pe)) {
      if (!is_late && deadline.passed()) {
        is_late = true;
        for (std::uint32_t late = pe; late < job.npes(); ++late)
          if (!is_gone(late)) workers_->kill(PeId(late));
      }
      std::this_thread::sleep_for(nap);
    }
}

void Session::Link::end_suspect() {
  const auto late = job_->suspect();
  if (!late || *late == PeId(0)) return;
  workers_->kill(*late);
  constexpr double most_seconds = 5;
  for (const Deadline deadline = Deadline::after_seconds(most_seconds); !job_->has_died(*late) && !deadline.passed();)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Session::Link::replace_dead(Connection::Replaced& replaced) {
  channel_.reset();
  if (context_ != nullptr) heap_ = context_->lasting_heap();
  context_.reset();
  ATOLL_VALIDATE(job_->has_left(PeId(0)), Error, "this process holds its place in the job, and cannot join again");
  await_departures(*job_);
  const std::vector<PeId> dead = job_->recover();
  for (PeId pe : dead) {
    replaced.pes.push_back(pe.value());
    for (const runtime::LedgerBlock& block : runtime::read_ledger(job_->segment(pe))) {
      ++replaced.arrays;
      replaced.bytes += block.bytes;
    }
  }
  runtime::end_recovery_waits(*job_);
  job_->announce_recovery();
  try {
    for (PeId pe : dead) workers_->replace(pe);
  } catch (const SetupError& error) {
    raise<PeFailedError>(fmt::format("no process can take the place of a dead PE: {}", error.what()));
  }
  runtime::ContextOptions options;
  options.threads = threads_;
  options.heap = heap_;
  context_ = std::make_shared<runtime::Context>(job_, PeId(0), options);
  open_channel();
}

void Session::Link::leave() {
  // The workers first: they still look at this PE's memory.
  workers_.reset();
  channel_.reset();
  context_.reset();
  if (launched_) runtime::take_leave(*launched_);
  launched_.reset();
}

}  // namespace atl::array
