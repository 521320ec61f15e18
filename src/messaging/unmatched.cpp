// SPDX-License-Identifier: Apache-2.0
// What has not met: kept, looked at, claimed, taken back. And how operations are ended, wherever they are.
#include "atoll/runtime/counters.hpp"
#include "state.hpp"

#include <cstring>

namespace atl::runtime::matching {

void State::store(PeId source, const Header& header, std::span<const std::byte> payload) {
  Unexpected* message = free_messages_.front();
  if (message == nullptr) message = &messages_.emplace_back();
  else message->in_order.unlink();
  message->envelope = {source, header.tag, header.bytes, header.label};
  message->operation = header.operation;
  message->place = header.place;
  if (payload.size() > short_payload) message->large = std::make_unique_for_overwrite<std::byte[]>(payload.size());
  if (!payload.empty())
    std::memcpy(message->large ? message->large.get() : message->small.data(), payload.data(), payload.size());
  unexpected_bytes_ += payload.size();
  ++early_messages_;
  unexpected_.append(*message);
}

std::optional<Envelope> State::probe(const Pattern& pattern) {
  std::vector<std::pair<PeId, Header>> loans;
  {
    std::lock_guard lock(lock_);
    if (Unexpected* message = unexpected_.find(pattern)) return message->envelope;
    // A probing loop waits like a receive.
    lend(pattern, loans);
  }
  for (auto& [pe, header] : loans) tell(pe, header);
  return std::nullopt;
}

Unexpected* State::claim(const Pattern& pattern) {
  if (!probe(pattern)) return nullptr;
  std::lock_guard lock(lock_);
  Unexpected* message = unexpected_.find(pattern);  // another thread may have been faster
  if (message != nullptr) unexpected_.remove(*message);
  return message;
}

bool State::cancel(Operation& operation) {
  std::lock_guard lock(lock_);
  if (operation.stage == Stage::posted) {
    posted_.remove(operation);
  } else if (operation.stage == Stage::withheld) {
    operation.link.unlink();
    --withheld_;
  } else {
    return false;
  }
  operation.stage = Stage::moving;
  finish(operation, Status::cancelled);
  return true;
}

void State::fail(Status why, const std::function<bool(PeId, std::uint64_t)>& which) {
  std::vector<Operation*> next;
  std::unique_lock lock(lock_);
  if (why == Status::peer_lost) take_left_staging(which, next);
  for (Operation& operation : operations_) {
    if (operation.complete.load(std::memory_order_relaxed) || operation.stage == Stage::landing) continue;
    bool posted = operation.stage == Stage::posted;
    PeId peer = posted ? operation.pattern.source.value_or(Matcher::no_pe) : operation.outcome.envelope.source;
    if (!which(peer, posted ? operation.pattern.tag : operation.outcome.envelope.tag)) continue;
    if (operation.holds != 0) operation.told = why;
    else end(operation, why, next);
  }
  lock.unlock();
  for (Operation* operation : next) go_on(*operation);
}

// Ends an operation that no thread holds. `next`: operations that can continue; held.
void State::end(Operation& operation, Status why, std::vector<Operation*>& next) {
  if (operation.stage == Stage::posted) {
    posted_.remove(operation);
    // Nothing has come: what the outcome says of its source is of an operation before it.
    operation.outcome.envelope = {.source = operation.pattern.source.value_or(Matcher::no_pe),
                                  .tag = operation.pattern.tag};
  } else if (operation.link.linked()) {
    operation.link.unlink();
  }
  if (operation.stage == Stage::withheld) --withheld_;
  if (operation.lane != Operation::no_lane) {
    Lane& lane = lanes_[operation.lane];
    // The put may come yet, or never.
    if (operation.awaits_put) lane.arrived = pe_.counters.allocate_counter(), lane.arrivals = 0;
    lane.busy = false;
  }
  // Also if it had none yet: one may have been free for it.
  if (Operation* waiting = next_on_lane()) next.push_back(waiting);
  leave_staging(operation, why, next);
  operation.row.reset();
  operation.stage = Stage::moving;
  finish(operation, why);
}

}  // namespace atl::runtime::matching
