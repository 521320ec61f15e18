// SPDX-License-Identifier: Apache-2.0
// The calls of a Matcher.
#include "atoll/messaging/matching.hpp"

#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/progress.hpp"
#include "state.hpp"

namespace atl::runtime {

MatcherStats& MatcherStats::operator+=(const MatcherStats& other) {
  unexpected_bytes += other.unexpected_bytes;
  unexpected_messages += other.unexpected_messages;
  posted_receives += other.posted_receives;
  withheld_sends += other.withheld_sends;
  sent_messages += other.sent_messages;
  sent_bytes += other.sent_bytes;
  received_messages += other.received_messages;
  received_bytes += other.received_bytes;
  early_messages += other.early_messages;
  waits += other.waits;
  return *this;
}

Matcher::Matcher(Context& context, const MatcherOptions& options) : pe_(context) {
  // Of the job, also for guests: all count the same.
  if (options.apart_from_bit < 64 && pe_.job.npes() <= most_pes_apart) {
    apart_shift_ = options.apart_from_bit;
    part_mask_ = most_parts - 1;
  }
  for (std::size_t i = 0; i <= part_mask_; ++i) {
    parts_[i] = std::make_shared<matching::State>(context, options);
    parts_[i]->listen(parts_[i]);
  }
}

Matcher::~Matcher() {
  for (std::size_t i = 0; i <= part_mask_; ++i) parts_[i]->close();
}

Request Matcher::send(PeId to, std::uint64_t tag, std::span<const std::byte> data, SendMode mode, std::uint64_t label) {
  return Request(part_of(tag).send(to, tag, data, mode, label));
}

bool Matcher::send_now(PeId to, std::uint64_t tag, std::span<const std::byte> data, std::uint64_t label) {
  return part_of(tag).send_now(to, tag, data, label);
}

Request Matcher::receive(const Pattern& pattern, const Target& into) {
  return Request(part_of(pattern.tag).receive(pattern, into));
}

// Outcomes are written where they are returned: one that is copied as it has just been written waits for its words to
// reach the cache, a tenth of what a message takes.
std::optional<Outcome> Matcher::receive_now(const Pattern& pattern, const Target& into) {
  // Messages that are taken at once make no progress: others may wait for ours.
  if (pe_.messenger.sends_wait()) [[unlikely]]
    pe_.progress.progress();
  std::optional<Outcome> outcome(std::in_place);
  if (!part_of(pattern.tag).receive_now(pattern, into, *outcome)) outcome.reset();
  return outcome;
}

std::optional<Outcome> Matcher::receive_if_here(const Pattern& pattern, const Target& into) {
  std::optional<Outcome> outcome(std::in_place);
  if (!part_of(pattern.tag).receive_if_here(pattern, into, *outcome)) outcome.reset();
  return outcome;
}

Request Matcher::receive(Claim claim, const Target& into) {
  return Request(part_of(claim.envelope_.tag).receive(*claim.message_, into));
}

std::optional<Envelope> Matcher::probe(const Pattern& pattern) {
  pe_.progress.progress();
  return part_of(pattern.tag).probe(pattern);
}

std::optional<Claim> Matcher::claim(const Pattern& pattern) {
  pe_.progress.progress();
  matching::Unexpected* message = part_of(pattern.tag).claim(pattern);
  if (message == nullptr) return std::nullopt;
  return Claim(message, message->envelope);
}

bool Matcher::cancel(const Request& request) {
  return !request.empty() && request.operation_->part->cancel(*request.operation_);
}

void Matcher::fail(Status why, const std::function<bool(PeId, std::uint64_t)>& which) {
  for (std::size_t i = 0; i <= part_mask_; ++i) parts_[i]->fail(why, which);
}

Outcome Matcher::take(Request& request) {
  if (request.empty()) return {};
  return matching::State::release(*std::exchange(request.operation_, nullptr));
}

std::optional<Outcome> Matcher::test(Request& request) {
  // Acquire: data and outcome. Partner: State::finish.
  auto complete = [&] { return request.empty() || request.operation_->complete.load(std::memory_order_acquire); };
  if (!complete()) {
    pe_.failures.check();
    pe_.progress.progress();
    if (!complete()) return std::nullopt;
  }
  return take(request);
}

Outcome Matcher::wait(Request& request) {
  if (!request.empty()) {
    auto complete = [&] { return request.operation_->complete.load(std::memory_order_acquire); };  // as in test()
    if (!complete()) {
      matching::State& part = *request.operation_->part;
      part.count_wait();
      part.take_awaited(*request.operation_);
      if (complete()) return take(request);
      warn_of_limit(*request.operation_);
      pe_.progress.wait(complete);
    }
  }
  return take(request);
}

// Once: a program that does it often knows.
void Matcher::warn_of_limit(const matching::Operation& send) {
  if (warned_of_limit_.load(std::memory_order_relaxed)) return;
  const matching::State& part = *send.part;
  const std::optional<PeId> to = part.receiver_without_room(send);
  if (!to || warned_of_limit_.exchange(true)) return;
  const std::string receiver = pe_.job.describe(*to);
  log(LogLevel::warning,
      "a send to {} waits: {} holds {} messages or {} of this PE that it has not received (that is this PE's share of "
      "ATOLL_MPI_UNEXPECTED_LIMIT). Receive sooner, or raise the limit?",
      receiver, receiver, part.window_messages(), format_bytes(part.window_bytes()));
}

Outcome Matcher::wait(Request& request, Deadline deadline) {
  if (!request.empty()) {
    auto complete = [&] { return request.operation_->complete.load(std::memory_order_acquire); };  // as in test()
    if (pe_.progress.wait(complete, deadline) != Status::ok) return {Status::timed_out, {}};
  }
  return take(request);
}

MatcherStats Matcher::stats() const {
  MatcherStats all;
  for (std::size_t i = 0; i <= part_mask_; ++i) all += parts_[i]->stats();
  return all;
}

}  // namespace atl::runtime
