// SPDX-License-Identifier: Apache-2.0
// The calls of a Matcher.
#include "atoll/runtime/matching.hpp"

#include "state.hpp"

namespace atl::runtime {

Matcher::Matcher(Context& context, const MatcherOptions& options)
    : state_(std::make_shared<matching::State>(context, options)) {
  state_->listen(state_);
}

Matcher::~Matcher() { state_->close(); }

Request Matcher::send(PeId to, std::uint64_t tag, std::span<const std::byte> data, SendMode mode) {
  return Request(state_->send(to, tag, data, mode));
}

Request Matcher::receive(const Pattern& pattern, std::span<std::byte> into) {
  return Request(state_->receive(pattern, into));
}

Request Matcher::receive(Claim claim, std::span<std::byte> into) {
  return Request(state_->receive(*claim.message_, into));
}

std::optional<Envelope> Matcher::probe(const Pattern& pattern) {
  state_->context().progress();
  return state_->probe(pattern);
}

std::optional<Claim> Matcher::claim(const Pattern& pattern) {
  state_->context().progress();
  matching::Unexpected* message = state_->claim(pattern);
  if (message == nullptr) return std::nullopt;
  return Claim(message, message->envelope);
}

bool Matcher::cancel(const Request& request) { return !request.empty() && state_->cancel(*request.operation_); }

void Matcher::fail(Status why, const std::function<bool(PeId, std::uint64_t)>& which) { state_->fail(why, which); }

Outcome Matcher::take(Request& request) {
  if (request.empty()) return {};
  return state_->release(*std::exchange(request.operation_, nullptr));
}

std::optional<Outcome> Matcher::test(Request& request) {
  // Acquire: data and outcome. Partner: State::finish.
  auto complete = [&] { return request.empty() || request.operation_->complete.load(std::memory_order_acquire); };
  if (!complete()) {
    state_->context().check();
    state_->context().progress();
    if (!complete()) return std::nullopt;
  }
  return take(request);
}

Outcome Matcher::wait(Request& request) {
  if (!request.empty()) {
    auto complete = [&] { return request.operation_->complete.load(std::memory_order_acquire); };  // as in test()
    if (!complete()) state_->count_wait();
    state_->context().wait(complete);
  }
  return take(request);
}

Outcome Matcher::wait(Request& request, Deadline deadline) {
  if (!request.empty()) {
    auto complete = [&] { return request.operation_->complete.load(std::memory_order_acquire); };  // as in test()
    if (state_->context().wait(complete, deadline) != Status::ok) return {Status::timed_out, {}};
  }
  return take(request);
}

MatcherStats Matcher::stats() const { return state_->stats(); }

}  // namespace atl::runtime
