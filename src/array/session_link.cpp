// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/session_link.hpp"

#include "atoll/base/config.hpp"
#include "atoll/base/topology.hpp"

namespace atl::array {

MessageChannel::MessageChannel(runtime::Context& context)
    : context_(context),
      handler_(context.register_handler([this](runtime::Context&, PeId, std::span<const std::byte> payload) {
        received_.emplace_back(payload.begin(), payload.end());
      })) {}

void MessageChannel::send(std::span<const std::byte> command) {
  for (std::uint32_t pe = 0; pe < context_.npes(); ++pe)
    if (pe != context_.pe().value()) context_.send(PeId(pe), handler_, command);
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
  options.threads = threads_or_default(threads, 1);
  auto job = fabric::Job::create_loop({.npes = 1, .threads_per_pe = options.threads});
  link->context_ = std::make_shared<runtime::Context>(std::move(job), PeId(0), options);
  return link;
}

std::unique_ptr<Session::Link> Session::Link::join() {
  auto link = std::make_unique<Link>();
  const std::string name = config::text(config::Variable::job);
  ATOLL_VALIDATE(!name.empty(), SetupError, "this process is not a PE of a job (ATOLL_JOB is not set). Start it with: atoll run -n 4 PROGRAM");
  const auto pe = static_cast<std::uint32_t>(std::stoul(config::text(config::Variable::pe)));
  auto job = fabric::Job::join_shm(name);
  runtime::ContextOptions options;
  options.threads = threads_or_default(0, job->npes());
  link->context_ = std::make_shared<runtime::Context>(std::move(job), PeId(pe), options);
  link->channel_ = std::make_unique<MessageChannel>(*link->context_);
  return link;
}

std::unique_ptr<Session::Link> Session::Link::drive(std::uint32_t, unsigned, const std::vector<std::string>&) {
  throw SetupError("workers cannot be started yet");
}

Session::Link::~Link() { leave(); }

std::shared_ptr<Engine> Session::Link::make_engine() { return std::make_shared<Engine>(context_, context_->node().threads); }

void Session::Link::leave() {
  channel_.reset();
  context_.reset();
}

}  // namespace atl::array
