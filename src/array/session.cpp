// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/session.hpp"

#include <memory>

#include "atoll/array/session_link.hpp"
#include "atoll/base/config.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {
namespace {

constexpr double farewell_seconds = 2;
// The time that a diverged PE has to report its operation: its wait notices the divergence within two polls.
constexpr double telling_seconds = 2;
constexpr std::string_view at_the_end = "at the end of the script";

}  // namespace

std::shared_ptr<Session> Session::embedded(unsigned threads) {
  config::validate_environment();
  config::warn_of_unknown_names();
  std::shared_ptr<Session> session(new Session);
  session->kind_ = Kind::embedded;
  session->link_ = Link::alone(threads);
  session->engine_ = session->link_->make_engine();
  return session;
}

std::shared_ptr<Session> Session::join(const std::vector<std::uint32_t>& members) {
  config::validate_environment();
  std::shared_ptr<Session> session(new Session);
  session->kind_ = Kind::spmd;
  session->link_ = Link::join();
  session->engine_ = session->link_->make_engine(members);
  if (session->engine_->npes() > 1) {
    session->whereabouts_ = std::make_unique<Whereabouts>(*session->engine_);
    session->checks_ = config::choice(config::Variable::spmd_check) == 1;
  }
  return session;
}

std::shared_ptr<Session> Session::drive(std::uint32_t pes, unsigned threads,
                                        const std::vector<std::string>& worker_argv) {
  config::validate_environment();
  config::warn_of_unknown_names();
  return driver(Link::drive(pes, threads, worker_argv));
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
  session->engine_->forward_interrupts([link = session->link_.get()] { link->interrupt_workers(); });
  return session;
}

void Session::run_worker(std::span<const OperationHandler> handlers) {
  auto link = Link::join();
  link->open_channel();
  const auto engine = link->make_engine();
  ArrayTable table;
  std::vector<std::byte> command;
  while (link->channel().receive(command)) {
    Reader reader(command, &table);
    const auto operation = reader.read<std::uint16_t>();
    for (std::uint64_t id : reader.read<std::vector<std::uint64_t>>()) table.erase(id);
    try {
      handlers[operation](*engine, reader, table);
    } catch (const PeFailedError&) { throw; } catch (const Error&) {
      // Bad input, found by all PEs together: the driver throws the same to its user, and no result is named.
    }
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

bool Session::failed() const { return lost_ || (link_ != nullptr && link_->failed()); }

void Session::lose(const PeFailedError& error) { throw PeFailedError(error.what() + advice()); }
void Session::lose(const TimeoutError& error) {
  std::string differences;
  if (whereabouts_ != nullptr) {
    whereabouts_->show(where());
    whereabouts_->freeze();
    differences = whereabouts_->differences(Deadline::after_seconds(0));
  }
  throw TimeoutError(differences.empty() ? error.what() + advice() : fmt::format("{} ({})", error.what(), differences));
}

// With what the other PEs do, as far as they have noticed, too.
void Session::lose(const coll::Disagreement& error) {
  lost_ = true;
  if (whereabouts_ == nullptr) throw Error(error.what() + advice());
  whereabouts_->show(where());
  whereabouts_->freeze();
  const std::string differences = whereabouts_->differences(Deadline::after_seconds(telling_seconds));
  throw Error(differences.empty() ? error.what() : divergence(differences, error.what()));
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
    require_agreement(*engine_, digest_of(call, here), here);
  } catch (const PeFailedError& error) { lose(error); } catch (const TimeoutError& error) {
    lose(error);
  } catch (const coll::Disagreement& error) { lose(error); }
}

// What to do about it, where this process can do anything.
std::string Session::advice() const {
  if (kind_ != Kind::driver) return {};
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
  (void)whereabouts_.release();
  if (engine_ != nullptr) (void)new std::shared_ptr<Engine>(std::move(engine_));
  engine_.reset();
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
  driver_.reset();
  engine_.reset();
  whereabouts_.reset();
  if (failed()) link_->give_up();
  link_->leave();
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
  // A leaf's memory may hold the result now: the node must have it before an interrupt is reported.
  std::vector<Array> results = complete<&evaluate>(std::move(lowered.program), std::move(lowered.leaves), lowered.shape,
                                                   std::move(lowered.into));
  for (std::size_t i = 0; i < results.size(); ++i) lowered.results[i]->store(std::move(results[i]));
  engine().rethrow_pending();
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

}  // namespace atl::array
