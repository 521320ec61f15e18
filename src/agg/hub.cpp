// SPDX-License-Identifier: Apache-2.0
#include "atoll/agg/hub.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::agg {
namespace detail {

enum class MessageKind : std::uint32_t { items = 0, answer = 1, failure = 2 };  // the last two: back to the origin

// | offset | bytes | field     | valid when                                              |
// |--------|-------|-----------|---------------------------------------------------------|
// |   0    |   4   | id        | of the aggregator: how many were made before it         |
// |   4    |   4   | origin    | member that pushed the items (the way there may differ) |
// |   8    |   4   | slot      | of the origin's window, 0 … 3; comes back in the answer |
// |  12    |   4   | kind      | MessageKind                                             |
struct Header {
  std::uint32_t id;
  std::uint32_t origin;
  std::uint32_t slot;
  MessageKind kind;
};
static_assert(sizeof(Header) == 16);

// Lives as long as the Context may call its handler.
class HubState {
 public:
  void deliver(runtime::Context& context, PeId source, std::span<const std::byte> payload) {
    Header header;
    std::memcpy(&header, payload.data(), sizeof(header));
    // Held over the call: an aggregator cannot be destroyed while it receives.
    std::lock_guard lock(mutex_);
    if (header.id >= next_id_) {
      early_.push_back({source, std::vector<std::byte>(payload.begin(), payload.end())});
      return;
    }
    auto found = aggregators_.find(header.id);
    if (found != aggregators_.end()) {
      run(context, *found->second, source, header, payload.subspan(sizeof(header)));
    } else if (header.kind == MessageKind::items) {
      // Gone, by an exception on this PE. Its peers must not wait for it.
      header.kind = MessageKind::failure;
      context.send(source, handler, std::as_bytes(std::span(&header, 1)));
    }
  }

  std::uint32_t add(Aggregator& aggregator) {
    std::lock_guard lock(mutex_);
    aggregators_[next_id_] = &aggregator;
    return next_id_++;
  }
  /// What came for it before it was made. Called when it is complete.
  void deliver_early(runtime::Context& context) {
    std::lock_guard lock(mutex_);
    std::vector<Early> early = std::exchange(early_, {});
    for (Early& one : early) deliver(context, one.source, one.payload);
  }
  void remove(std::uint32_t id) {
    std::lock_guard lock(mutex_);
    aggregators_.erase(id);
  }

  runtime::HandlerId handler;

 private:
  struct Early {
    PeId source;
    std::vector<std::byte> payload;
  };
  void run(runtime::Context& context, Aggregator& aggregator, PeId source, const Header& header,
           std::span<const std::byte> body) {
    if (header.kind != MessageKind::items) {
      // The destination is the source of its answer; members are found by the slot's lane.
      int member = aggregator.member_of(source);
      if (header.kind == MessageKind::failure) aggregator.failed_elsewhere_.store(true, std::memory_order_relaxed);
      else aggregator.answered(member, header.slot, body);
      // Release: what answered() wrote. Partner: the acquire in drain() and ship().
      aggregator.lanes_[static_cast<std::size_t>(member)].busy.fetch_and(~(1u << header.slot),
                                                                         std::memory_order_release);
      return;
    }
    std::vector<std::byte> answer = std::exchange(aggregator.answer_, {});
    answer.clear();
    Header back = header;
    back.kind = MessageKind::answer;
    try {
      aggregator.receive(static_cast<int>(header.origin), body, answer);
    } catch (...) {
      aggregator.fail(std::current_exception());
      back.kind = MessageKind::failure;
      answer.clear();
    }
    context.send(source, handler, std::as_bytes(std::span(&back, 1)), answer);
    aggregator.answer_ = std::move(answer);  // its memory, for the next
  }

  // Recursive: sending the answer to an early message makes progress, which may deliver more.
  std::recursive_mutex mutex_;
  std::uint32_t next_id_ = 0;
  std::map<std::uint32_t, Aggregator*> aggregators_;
  std::vector<Early> early_;
};

}  // namespace detail

Hub::Hub(coll::Communicator& communicator)
    : communicator_(communicator), state_(std::make_shared<detail::HubState>()) {
  // Registered in the same order on every PE, as this is collective; communicators that are not of all PEs would
  // get their numbers out of step.
  ATOLL_VALIDATE(communicator.size() == static_cast<int>(communicator.context().npes()), ValueError,
                 "an aggregation hub needs a communicator of all PEs: this one has {} of {}", communicator.size(),
                 communicator.context().npes());
  state_->handler = communicator.context().register_handler(
      [state = state_](runtime::Context& context, PeId source, std::span<const std::byte> payload) {
        state->deliver(context, source, payload);
      });
}

Hub::~Hub() = default;

Aggregator::Aggregator(Hub& hub, const Options& options, std::size_t item_bytes)
    : hub_(hub),
      state_(hub.state_),
      rank_(hub.communicator().rank()),
      size_(hub.communicator().size()),
      item_bytes_(item_bytes),
      lanes_(static_cast<std::size_t>(hub.communicator().size())) {
  // Per destination one buffer fills and `window` fly. 64 KiB make the cost of a message small, and bridge the time
  // for which a destination that shares its core is away.
  std::size_t share = options.memory_bytes / (lanes_.size() * (1 + window));
  buffer_bytes_ = std::max(std::clamp<std::size_t>(share, 256, 65536) / item_bytes * item_bytes, item_bytes);
  const auto& communicator = hub.communicator();
  member_of_pe_.resize(lanes_.size());
  for (int member = 0; member < size_; ++member) member_of_pe_[communicator.pe(member).value()] = member;
}

void Aggregator::open() {
  id_ = state_->add(*this);
  state_->deliver_early(communicator().context());
}

void Aggregator::close() {
  state_->remove(id_);
}

Aggregator::~Aggregator() = default;

void Aggregator::fail(std::exception_ptr failure) {
  // Called by one thread at a time. The first failure is kept.
  if (failed_.load(std::memory_order_relaxed)) return;
  failure_ = failure;
  failed_.store(true, std::memory_order_release);  // partner: the acquire in finish
}

std::byte* Aggregator::room_for_item(int member) {
  Lane& lane = lanes_[static_cast<std::size_t>(member)];
  if (lane.used + item_bytes_ > lane.buffer.size()) [[unlikely]] {
    if (lane.used != 0) ship(member);
    lane.buffer.resize(buffer_bytes_);
  }
  std::byte* item = lane.buffer.data() + lane.used;
  lane.used += item_bytes_;
  return item;
}

template <class Ready>
void Aggregator::wait(Ready&& ready) {
  double seconds = config::seconds(config::Variable::peer_timeout);
  Deadline deadline = seconds == 0 ? Deadline::never() : Deadline::after_seconds(seconds);
  if (communicator().context().wait(ready, deadline) == Status::ok) return;
  std::string late;
  for (int member = 0; member < size_; ++member)
    if (lanes_[static_cast<std::size_t>(member)].busy.load(std::memory_order_relaxed) != 0)
      late += fmt::format("{}PE {}", late.empty() ? "" : ", ", communicator().pe(member).value());
  throw TimeoutError(fmt::format("aggregated operations on {} were not carried out within {} s: a PE answers when it waits or "
                                 "makes progress. Raise ATOLL_PEER_TIMEOUT if it may compute for so long", late, seconds));
}

void Aggregator::ship(int member) {
  Lane& lane = lanes_[static_cast<std::size_t>(member)];
  if (lane.used == 0) return;
  constexpr std::uint32_t all_slots = (1u << window) - 1;
  runtime::Context& context = communicator().context();
  // Acquire: the slot's last answer has been handled. Partner: the release in HubState::run.
  if (lane.busy.load(std::memory_order_acquire) == all_slots)
    wait([&] { return lane.busy.load(std::memory_order_acquire) != all_slots; });
  auto slot = static_cast<std::uint32_t>(std::countr_one(lane.busy.load(std::memory_order_acquire)));
  lane.busy.fetch_or(1u << slot, std::memory_order_relaxed);
  shipped(member, slot);
  detail::Header header{id_, static_cast<std::uint32_t>(rank_), slot, detail::MessageKind::items};
  message_bytes_ += sizeof(header) + lane.used;
  context.send(communicator().pe(member), state_->handler, std::as_bytes(std::span(&header, 1)),
               std::span<const std::byte>(lane.buffer.data(), lane.used));
  lane.used = 0;
}

void Aggregator::flush() {
  // From the right neighbour on, so that not all fall upon the same destination.
  for (int step = 1; step <= size_; ++step) ship((rank_ + step) % size_);
}

// Ships everything and waits until its destinations have handled it.
void Aggregator::drain() {
  flush();
  wait([&] {
    for (const Lane& lane : lanes_)
      if (lane.busy.load(std::memory_order_acquire) != 0) return false;
    return true;
  });
}

void Aggregator::finish() {
  constexpr std::uint32_t again = 1, failed = 2;
  std::uint32_t state;
  do {
    collect_late();
    drain();
    // Everything this PE pushed has been handled. When all have said so nothing is under way anywhere; what functions
    // pushed meanwhile waits in their PE, as they cannot ship.
    if (may_push_late()) communicator().barrier();
    state = collect_late() ? again : 0;
    // Origins learn of a failure before they get here, so it cannot slip through.
    if (failed_.load(std::memory_order_acquire) || failed_elsewhere_.load(std::memory_order_relaxed)) state |= failed;
    state = communicator().allreduce(state, coll::Op::bit_or);
  } while ((state & again) != 0);
  if ((state & failed) == 0) return;
  failed_elsewhere_.store(false, std::memory_order_relaxed);
  if (failed_.load(std::memory_order_acquire)) {  // partner: the release in fail
    std::exception_ptr failure = std::exchange(failure_, nullptr);
    failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(failure);
  }
  throw Error("an aggregated operation failed on another PE");
}

}  // namespace atl::agg
