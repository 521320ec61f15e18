// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/session.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "atoll/array/session_link.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/coll/disagreement.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/recovery.hpp"

namespace atl::array {
namespace {

constexpr double farewell_seconds = 2;
// The time that a diverged PE has to report its operation: its wait notices the divergence within two polls.
constexpr double telling_seconds = 2;
constexpr std::string_view at_the_end = "at the end of the script";
constexpr std::int64_t completion_nap_ns = 1'000'000;

}  // namespace

class Session::DriverConnection final : public Connection {
 public:
  explicit DriverConnection(Session& session) : session_(session) {}

  Engine& engine() override { return *session_.engine_; }
  CommandChannel& channel() override { return session_.link_->channel(); }
  bool has_failed() override { return session_.engine_ == nullptr || session_.link_->job().has_failed(); }
  std::string failure() override { return session_.link_->job().failure(); }
  std::uint64_t completed() override {
    const fabric::Job& job = session_.link_->job();
    std::uint64_t least = UINT64_MAX;
    for (std::uint32_t pe = 1; pe < job.npes(); ++pe)
      least = std::min(least, runtime::Ledger::completed(job.segment(PeId(pe))));
    return least;
  }
  void await_completed(std::uint64_t number) override {
    auto is_completed = [&] { return completed() >= number; };
    if (is_completed()) return;
    runtime::Context& context = session_.link_->context();
    runtime::Patience patience(config::seconds(config::Variable::peer_timeout));
    while (context.wait(is_completed, Deadline::after_ns(completion_nap_ns)) != Status::ok) {
      patience.look();
      ATOLL_VALIDATE(!patience.is_over(), TimeoutError,
                     "a worker did not complete an operation within {} s (ATOLL_PEER_TIMEOUT)", patience.seconds());
    }
  }
  void end_suspect() override { session_.link_->end_suspect(); }
  Replaced replace_dead() override {
    session_.engine_.reset();
    session_.link_->replace_dead(replaced_);
    session_.engine_ = session_.link_->make_engine();
    session_.engine_->set_progress(session_.progress_);
    session_.forward_interrupts();
    return std::exchange(replaced_, {});
  }

 private:
  Session& session_;
  Replaced replaced_;  // by attempts that another death has ended
};

std::shared_ptr<Session> Session::embedded(unsigned threads) {
  config::validate_environment();
  config::warn_of_unknown_names();
  std::shared_ptr<Session> session(new Session);
  session->kind_ = Kind::embedded;
  session->link_ = Link::alone(threads);
  session->engine_ = session->link_->make_engine();
  return session;
}

std::shared_ptr<Session> Session::join(const std::vector<std::uint32_t>& members, Resilience resilience) {
  config::validate_environment();
  std::shared_ptr<Session> session(new Session);
  session->kind_ = Kind::spmd;
  if (resilience == Resilience::off) {
    session->link_ = Link::join();
    session->begin_spmd(members);
  } else {
    session->link_ = Link::join_recoverable({});
    session->snapshots_ = std::make_unique<Snapshots>(session->link_->context());
    if (session->link_->job().recoveries() == 0) session->begin_spmd(members);
    else session->resume({});
  }
  const fabric::Job& job = session->link_->context().job();
  ATOLL_VALIDATE(
      !job.is_recoverable() || resilience == Resilience::process, ValueError,
      "other PEs of this job have called ak.init(resilience='process'), this one has not. Give it on all PEs?");
  return session;
}

void Session::begin_spmd(const std::vector<std::uint32_t>& members) {
  engine_ = link_->make_engine(members);
  if (engine_->npes() == 1) return;
  whereabouts_ = std::make_unique<Whereabouts>(*engine_);
  checks_ = config::choice(config::Variable::spmd_check) == 1;
}

std::optional<Session::Place> Session::replaced_place() {
  if (!runtime::in_job()) return std::nullopt;
  const runtime::Membership& membership = runtime::process_membership();
  const fabric::Job& job = *membership.job;
  const auto state = job.record(membership.pe).state.load(std::memory_order_acquire);  // partner: Context::join()
  if (job.recoveries() == 0 || state != static_cast<std::uint32_t>(fabric::PeState::absent)) return std::nullopt;
  return Place{membership.pe.value(), job.npes(), newest_common_state(job)};
}

void Session::keep(Snapshot state) {
  std::lock_guard lock(busy_);
  ATOLL_VALIDATE(snapshots_ != nullptr, Error, "this session keeps nothing: it does not survive deaths");
  for (Array& array : state.arrays)
    if (array->storage.exported) array = call<&copy>(Array(array));
  Engine& engine = this->engine();
  const Running running(*this);
  try {
    snapshots_->keep(engine, std::move(state));
  } catch (...) { rethrow_with_advice(); }
}

Recovery Session::recover() {
  std::lock_guard lock(busy_);
  refuse_within_operation();
  ATOLL_VALIDATE(
      snapshots_ != nullptr, Error,
      "this session cannot recover (it does not survive deaths). Start it with ak.init(resilience='process') "
      "under `atoll run`?");
  const fabric::Job& job = link_->job();
  ATOLL_VALIDATE(engine_ == nullptr || job.has_failed(), Error,
                 "there is nothing to recover from (no PE has died). Call ak.recover() after a PeFailedError");
  Recovery recovery;
  const std::int64_t begin = now_ns();
  recovery.cause = job.failure();
  for (std::uint32_t pe = 0; pe < job.npes(); ++pe)
    if (job.has_died(PeId(pe))) {
      recovery.pes.push_back(pe);
      for (const runtime::LedgerBlock& block : runtime::read_ledger(job.segment(PeId(pe)))) {
        ++recovery.arrays;
        recovery.bytes += block.bytes;
      }
    }
  resume([this] {
    if (progress_) progress_("recover", 0, 0);
  });
  recovery.seconds = static_cast<double>(now_ns() - begin) * 1e-9;
  snapshots_->note(recovery);
  return recovery;
}

void Session::resume(const std::function<void()>& look) {
  for (bool is_joined = engine_ == nullptr && link_->is_joined();; is_joined = false) {
    whereabouts_.reset();
    engine_.reset();
    if (!is_joined) link_->rejoin(look);
    snapshots_->take_over(link_->context());
    try {
      begin_spmd({});
      snapshots_->resume(*engine_);
      numbered_ = 0;
      for (const Array& array : snapshots_->state().arrays) array->id = checks_ ? ++numbered_ : 0;
      break;
    } catch (const PeFailedError& error) {
      if (!link_->job().has_failed()) throw;
      log(LogLevel::info, "recovery: {}", error.what());
    }
  }
  engine_->set_progress(progress_);
}

std::shared_ptr<Session> Session::drive(std::uint32_t pes, unsigned threads,
                                        const std::vector<std::string>& worker_argv, Resilience resilience) {
  config::validate_environment();
  config::warn_of_unknown_names();
  return driver(Link::drive(pes, threads, worker_argv, resilience));
}

std::shared_ptr<Session> Session::drive_job(int agent, std::uint32_t npes, unsigned threads) {
  config::validate_environment();
  return driver(Link::drive_job(agent, npes, threads));
}

std::shared_ptr<Session> Session::driver(std::unique_ptr<Link> link) {
  std::shared_ptr<Session> session(new Session);
  session->kind_ = Kind::driver;
  session->link_ = std::move(link);
  session->link_->open_channel();
  session->engine_ = session->link_->make_engine();
  session->driver_ = std::make_unique<Driver>(session->link_->channel());
  session->forward_interrupts();
  if (session->link_->job().is_recoverable()) {
    session->connection_ = std::make_unique<DriverConnection>(*session);
    session->protection_ = std::make_unique<Protection>(*session->connection_, *session->driver_);
  } else {
    session->small_elements_ = config::integer(config::Variable::small_elements);
    if (session->engine_->npes() > 1 && session->small_elements_ > 0)
      session->alone_ = std::make_shared<Engine>(*session->engine_);
  }
  return session;
}

namespace {

/// A worker's arrays, through the Contexts that it has: more than one where deaths are survived.
class Worker {
 public:
  explicit Worker(std::span<const OperationHandler> handlers) : handlers_(handlers) {}

  /// Until the driver wants no more. Throws PeFailedError when a PE dies.
  void serve() {
    const auto link = Session::Link::join(heap_);
    runtime::Context& context = link->context();
    const bool is_protected = context.job().is_recoverable();
    if (is_protected) take_over(context);
    link->open_channel();
    const auto engine = link->make_engine();
    if (is_protected && context.job().recoveries() != 0) take_roster(*link, *engine);
    std::vector<std::byte> command;
    while (link->channel().receive(command)) {
      execute(*engine, command);
      if (!is_protected) continue;
      ledger_->complete(++command_);
      context.notify(PeId(0));
    }
  }

 private:
  void take_over(runtime::Context& context) {
    heap_ = context.lasting_heap();
    if (ledger_ == nullptr) ledger_ = std::make_unique<runtime::Ledger>(context.job().segment(context.pe()), heap_);
    table_.set_ledger(ledger_.get());
    if (auto adopted = context.take_adopted(); !adopted.empty()) adopted_ = std::move(adopted);
  }
  void take_roster(Session::Link& link, Engine& engine) {
    std::vector<std::byte> message;
    if (!link.channel().receive(message)) return;
    Reader reader(message);
    const auto roster = reader.read<Roster>();
    restore(table_, *ledger_, roster, engine, std::exchange(adopted_, {}));
    command_ = roster.command;
    ledger_->complete(command_);
  }
  void execute(Engine& engine, std::span<const std::byte> command) {
    Reader reader(command, &table_);
    const auto operation = reader.read<std::uint16_t>();
    table_.count_from(reader.read<std::uint64_t>());
    for (std::uint64_t id : reader.read<std::vector<std::uint64_t>>()) table_.erase(id);
    try {
      handlers_[operation](engine, reader, table_);
    } catch (const PeFailedError&) { throw; } catch (const Error&) {
      // Bad input, found by all PEs together: the driver throws the same to its user, and no result is named.
    }
  }

  std::span<const OperationHandler> handlers_;
  std::shared_ptr<runtime::Heap> heap_;  // null where deaths are not survived
  std::unique_ptr<runtime::Ledger> ledger_;
  std::unordered_map<std::uint64_t, runtime::AdoptedBlock> adopted_;
  ArrayTable table_;
  std::uint64_t command_ = 0;
};

}  // namespace

void Session::run_worker(std::span<const OperationHandler> handlers) {
  Worker worker(handlers);
  const runtime::Membership& place = runtime::process_membership();
  for (;;) {
    const std::uint32_t seen = place.job->recoveries();
    try {
      return worker.serve();
    } catch (const PeFailedError&) {
      if (!place.job->is_recoverable()) throw;
    }
    runtime::begin_recovery_wait(*place.job, place.pe);
    if (!place.job->await_recovery(place.pe, seen)) return;
  }
}

Session::~Session() { end(at_the_end); }

Engine& Session::engine() {
  ATOLL_VALIDATE(
      !abandoned_, Error,
      "the array belongs to the process from which this one was forked. Make it again here, or take its values "
      "along as a NumPy array");
  ATOLL_VALIDATE(engine_ != nullptr, Error,
                 "the session is shut down. Start another with ak.init(), and make the array again in it");
  return *engine_;
}

bool Session::failed() const {
  if (protection_ != nullptr) return lost_ || protection_->is_over();
  return lost_ || (link_ != nullptr && link_->failed());
}

void Session::rethrow_with_advice() {
  try {
    throw;
  } catch (const PeFailedError& error) {
    raise<PeFailedError>(error.what() + advice());
  } catch (const TimeoutError& error) {
    const std::string differences = differences_within(0);
    raise<TimeoutError>(differences.empty() ? error.what() + advice()
                                            : fmt::format("{} ({})", error.what(), differences));
  } catch (const coll::Disagreement& error) {
    lost_ = true;
    if (whereabouts_ == nullptr) raise<Error>(error.what() + advice());
    const std::string differences = differences_within(diverged_.empty() ? telling_seconds : 0);
    if (diverged_.empty()) diverged_ = differences.empty() ? error.what() : divergence(differences, error.what());
    raise<Error>(diverged_);
  }
}

std::string Session::differences_within(double seconds) {
  if (whereabouts_ == nullptr) return {};
  whereabouts_->show(where());
  whereabouts_->freeze();
  return whereabouts_->differences(Deadline::after_seconds(seconds));
}

void Session::refuse_within_operation() const {
  ATOLL_VALIDATE(
      !running_, Error,
      "an array operation cannot begin inside another one (this code runs while one is under way on the same thread: a signal "
      "handler, __del__, weakref callback, progress callback or tracing function). Only set a flag there, and do it after that operation?");
}

std::string Session::where() const {
  std::string found = locator_ ? locator_() : "in an array operation";
  return found.empty() ? std::string(at_the_end) : found;
}

void Session::agree(std::span<const std::byte> call) {
  const std::string here = where();
  whereabouts_->show(here);
  try {
    const std::string difference = difference_between(*engine_, digest_of(call, here), here);
    if (difference.empty()) return;
    if (diverged_.empty()) diverged_ = difference;
    raise<Error>(diverged_);
  } catch (...) { rethrow_with_advice(); }
}

// What to do about it, where this process can do anything.
std::string Session::advice() const {
  if (kind_ != Kind::driver || protection_ != nullptr) return {};
  const std::string what = link_->is_launched() ? "hosts=…" : fmt::format("pes={}", engine_->npes());
  return fmt::format(". The arrays of this session are lost: start another with ak.init({})", what);
}

// Threads, locks and the workers are the parent's: nothing of them ends here.
void Session::abandon() noexcept {
  std::construct_at(&busy_);
  running_ = false;
  abandoned_ = true;
  if (link_ != nullptr) link_->abandon();
  (void)link_.release();
  (void)driver_.release();
  (void)protection_.release();
  (void)snapshots_.release();
  (void)connection_.release();
  (void)whereabouts_.release();
  for (std::shared_ptr<Engine>* engine : {&alone_, &engine_}) {
    if (*engine != nullptr) (void)new std::shared_ptr<Engine>(std::move(*engine));
    engine->reset();
  }
}

void Session::shutdown() {
  std::lock_guard lock(busy_);
  refuse_within_operation();
  if (engine_ != nullptr) end(where());
}

void Session::end(std::string_view where) {
  std::lock_guard lock(busy_);
  if (engine_ == nullptr) return;
  if (whereabouts_ != nullptr) whereabouts_->show(where);
  // Workers run no program of their own: they take part at once, or never.
  if (kind_ == Kind::driver) engine_->communicator().set_timeout_seconds(farewell_seconds);
  try {
    if (kind_ == Kind::driver) link_->channel().send({});
  } catch (const Error&) {
    // A worker has died: the others are ended all the same.
  }
  protection_.reset();
  snapshots_.reset();
  connection_.reset();
  driver_.reset();
  alone_.reset();
  engine_.reset();
  whereabouts_.reset();
  if (failed()) link_->give_up();
  link_->leave();
}

void Session::forward_interrupts() {
  engine_->forward_interrupts([link = link_.get()] { link->interrupt_workers(); });
}

std::shared_ptr<LoggedCall> Session::make_undo(const Array& array) {
  auto copied = std::make_shared<ProtectedCall<&copy, Operations>>(std::tuple<Array>(array));
  protection_->run(copied);
  std::vector<Slice> all;
  for (int axis = 0; axis < array->shape.ndim(); ++axis)
    all.push_back({.start = 0, .step = 1, .count = array->shape[axis]});
  return std::make_shared<ProtectedCall<&assign_slice, Operations>>(
      std::tuple<Array, std::vector<Slice>, Array>(array, std::move(all), copied->take_result()));
}

std::vector<std::int32_t> Session::worker_pids() const {
  std::vector<std::int32_t> found;
  if (kind_ != Kind::driver || link_ == nullptr) return found;
  const fabric::Job& job = link_->job();
  for (std::uint32_t pe = 1; pe < job.npes(); ++pe)
    found.push_back(job.record(PeId(pe)).pid.load(std::memory_order_relaxed));
  return found;
}

void Session::prepare(const NodePtr& node) {
  for (const NodePtr& needed : prerequisites(node)) value(needed);
}

const Array& Session::value(const NodePtr& node) {
  std::lock_guard lock(busy_);
  if (node->stored()) return node->array;
  if (node->kind == Node::Kind::constant) {
    node->store(call<&full>(node->dtype, node->shape, node->bits));
    return node->array;
  }
  if (node->kind == Node::Kind::transposed) {
    node->store(call<&transpose>(node->inputs[0]->array, std::vector<int>{1, 0}));
    return node->array;
  }
  prepare(node);
  Lowered lowered = lower(node, StoreRoot::yes);
  if (protection_ != nullptr) lowered.into = nullptr;  // so that it can be repeated
  // A leaf's memory may hold the result now: the node must have it before an interrupt is reported.
  std::vector<Array> results = complete<&evaluate>(std::move(lowered.program), std::move(lowered.leaves), lowered.shape,
                                                   std::move(lowered.into));
  for (std::size_t i = 0; i < results.size(); ++i) lowered.results[i]->store(std::move(results[i]));
  rethrow_pending();
  return node->array;
}

ReductionValue Session::reduce(const NodePtr& node, Reduction kind, Keep keep) {
  std::lock_guard lock(busy_);
  if (node->kind == Node::Kind::transposed) value(node);
  if (!node->stored() && node->kind != Node::Kind::constant) prepare(node);
  Lowered lowered = lower(node, keep == Keep::yes && !node->stored() ? StoreRoot::yes : StoreRoot::no);
  const bool root_stored = !lowered.results.empty() && lowered.results[0] == node;
  Reduced reduced = call<&reduce_all>(std::move(lowered.program), std::move(lowered.leaves), lowered.shape, kind,
                                      static_cast<std::uint8_t>(root_stored ? 0 : 1));
  for (std::size_t i = 0; i < reduced.stored.size(); ++i) lowered.results[i]->store(std::move(reduced.stored[i]));
  return reduced.value;
}

Array Session::reduce_axes(const NodePtr& node, Reduction kind, std::uint32_t axes) {
  std::lock_guard lock(busy_);
  if (node->kind == Node::Kind::transposed) {
    const Array& matrix = node->inputs[0]->array;
    const bool one_axis = axes == 1 || axes == 2;
    if (one_axis && matrix->shape[0] > 1 && matrix->shape[1] > 1) {
      std::vector<Array> reduced = call<&reduce_transposed>(Array(matrix), kind, axes == 1 ? 0 : 1);
      if (!reduced.empty()) return reduced.front();
    }
    value(node);
  }
  if (!node->stored() && node->kind != Node::Kind::constant) prepare(node);
  Lowered lowered = lower(node, StoreRoot::no);
  lowered.program.results.resize(1);  // shared nodes are computed again when they are needed
  return call<&array::reduce_axes>(std::move(lowered.program), std::move(lowered.leaves), lowered.shape, kind, axes);
}

Array Session::multiply(const NodePtr& a, const NodePtr& b) {
  std::lock_guard lock(busy_);
  std::uint8_t transposed = 0;
  auto matrix = [&](const NodePtr& node, Transposed which) {
    if (node->kind != Node::Kind::transposed || !is_float(node->dtype)) return value(node);
    transposed |= static_cast<std::uint8_t>(which);
    return node->inputs[0]->array;
  };
  const Array first = matrix(a, Transposed::first), second = matrix(b, Transposed::second);
  return call<&multiply_matrices>(first, second, transposed);
}

}  // namespace atl::array
