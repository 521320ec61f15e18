// SPDX-License-Identifier: Apache-2.0
#include "atoll/agg/hub.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/peers.hpp"

namespace atl::agg {
namespace {

// Items of at most this many bytes travel in the same message as the header, between nodes.
constexpr std::size_t short_message = 16384;

Hops forced_hops() {
  constexpr std::array choices{Hops::automatic, Hops::one, Hops::two};
  return choices[static_cast<std::size_t>(config::choice(config::Variable::aggregation_hops))];
}

}  // namespace

namespace detail {

// `answer` and `failure` go back to the sender of the items: the origin, or the relay that forwarded them.
enum class MessageKind : std::uint32_t { items = 0, answer = 1, failure = 2, items_of_node = 3 };

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
    bool is_answer = header.kind == MessageKind::answer || header.kind == MessageKind::failure;
    if (is_answer && header.origin != rank) return part_done(context, header);
    auto found = aggregators_.find(header.id);
    if (found != aggregators_.end()) {
      run(context, *found->second, source, header, payload.subspan(sizeof(header)));
    } else if (header.kind == MessageKind::items || header.kind == MessageKind::items_of_node) {
      // An exception on this PE has destroyed the aggregator. Its peers must not wait for it.
      header.kind = MessageKind::failure;
      context.send(source, handler, std::as_bytes(std::span(&header, 1)));
    }
  }

  std::uint32_t add(Aggregator& aggregator) {
    std::lock_guard lock(mutex_);
    aggregators_[next_id_] = &aggregator;
    return next_id_++;
  }
  /// Delivers the messages that arrived before the aggregator was made. Called once it is complete.
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
  std::uint32_t rank = 0;

 private:
  struct Early {
    PeId source;
    std::vector<std::byte> payload;
  };
  // A message for all members of this node. It is kept apart from the aggregator: peers must get their answers even
  // when the aggregator has been destroyed.
  struct Relayed {
    PeId source;
    std::uint32_t parts;  // not done yet
    bool failed;
  };
  using RelayedKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // id, origin, slot
  static RelayedKey key_of(const Header& header) { return {header.id, header.origin, header.slot}; }

  void run(runtime::Context& context, Aggregator& aggregator, PeId source, const Header& header,
           std::span<const std::byte> body) {
    if (header.kind == MessageKind::items) {
      carry_out(context, aggregator, source, header, aggregator.own_items(body));
    } else if (header.kind == MessageKind::items_of_node) {
      Items items = aggregator.node_items(body);
      if (aggregator.relay_ == Aggregator::Relay::hand_on) hand_on(context, aggregator, source, header, items);
      else carry_out(context, aggregator, source, header, items);
    } else {
      std::size_t lane = aggregator.lane_of(source);
      if (header.kind == MessageKind::failure) aggregator.failed_elsewhere_.store(true, std::memory_order_relaxed);
      else aggregator.answered(lane, header.slot, body);
      // Release: what answered() wrote. Partner: the acquire in drain() and ship().
      aggregator.lanes_[lane].busy.fetch_and(~(1u << header.slot), std::memory_order_release);
    }
  }

  // Returns false if the user's function threw.
  static bool receive(Aggregator& aggregator, const Header& header, const Items& items,
                      std::vector<std::byte>& answer) {
    try {
      aggregator.receive(static_cast<int>(header.origin), items, answer);
      return true;
    } catch (...) {
      aggregator.fail(std::current_exception());
      answer.clear();
      return false;
    }
  }
  void carry_out(runtime::Context& context, Aggregator& aggregator, PeId source, const Header& header,
                 const Items& items) {
    std::vector<std::byte> answer = std::exchange(aggregator.answer_, {});
    answer.clear();
    Header back = header;
    back.kind = receive(aggregator, header, items, answer) ? MessageKind::answer : MessageKind::failure;
    context.send(source, handler, std::as_bytes(std::span(&back, 1)), answer);
    aggregator.answer_ = std::move(answer);  // its memory, for the next
  }

  // Sends one message to each other member of this node for which there are items.
  void hand_on(runtime::Context& context, Aggregator& aggregator, PeId source, const Header& header,
               const Items& items) {
    const coll::Communicator& communicator = aggregator.communicator();
    const std::span<const int> node =
        communicator.placement().members(communicator.placement().node_of(aggregator.rank()));
    std::vector<std::vector<std::byte>> parts = std::exchange(aggregator.handed_on_, {});
    parts.resize(node.size());
    for (auto& part : parts) part.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
      auto& part = parts[items.index_in_node(i)];
      part.insert(part.end(), items[i], items[i] + aggregator.item_bytes_);
    }
    auto used = std::count_if(parts.begin(), parts.end(), [](const auto& part) { return !part.empty(); });
    relayed_[key_of(header)] = {source, static_cast<std::uint32_t>(used), false};
    Header on = header;
    on.kind = MessageKind::items;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!parts[i].empty() && node[i] != aggregator.rank())
        context.send(communicator.pe(node[i]), handler, std::as_bytes(std::span(&on, 1)), parts[i]);
    // This member handles its own items while the other members handle theirs.
    if (auto& own = parts[static_cast<std::size_t>(communicator.placement().index_in_node(aggregator.rank()))];
        !own.empty()) {
      std::vector<std::byte> nothing;
      on.kind =
          receive(aggregator, header, aggregator.own_items(own), nothing) ? MessageKind::answer : MessageKind::failure;
      part_done(context, on);
    }
    aggregator.handed_on_ = std::move(parts);
  }

  void part_done(runtime::Context& context, const Header& header) {
    auto found = relayed_.find(key_of(header));
    if (found == relayed_.end()) return;
    Relayed& relayed = found->second;
    relayed.failed = relayed.failed || header.kind == MessageKind::failure;
    if (--relayed.parts != 0) return;
    Header back = header;
    back.kind = relayed.failed ? MessageKind::failure : MessageKind::answer;
    PeId source = relayed.source;
    relayed_.erase(found);
    context.send(source, handler, std::as_bytes(std::span(&back, 1)));
  }

  // Recursive: sending the answer to an early message makes progress, which may deliver more.
  std::recursive_mutex mutex_;
  std::uint32_t next_id_ = 0;
  std::map<std::uint32_t, Aggregator*> aggregators_;
  std::map<RelayedKey, Relayed> relayed_;
  std::vector<Early> early_;
};

}  // namespace detail

Hub::Hub(coll::Communicator& communicator) : communicator_(communicator), state_(std::make_shared<detail::HubState>()) {
  // Hubs are numbered in the order of their creation, which is collective. Communicators of some PEs only would give
  // PEs different numbers.
  ATOLL_VALIDATE(communicator.size() == static_cast<int>(communicator.context().npes()), ValueError,
                 "an aggregation hub needs a communicator of all PEs: this one has {} of {}", communicator.size(),
                 communicator.context().npes());
  state_->rank = static_cast<std::uint32_t>(communicator.rank());
  state_->handler = communicator.context().register_handler(
      [state = state_](runtime::Context& context, PeId source, std::span<const std::byte> payload) {
        state->deliver(context, source, payload);
      });
}

Hub::~Hub() = default;

Aggregator::Aggregator(Hub& hub, const Options& options, std::size_t item_bytes, Relay relay)
    : hub_(hub),
      state_(hub.state_),
      rank_(hub.communicator().rank()),
      size_(hub.communicator().size()),
      item_bytes_(item_bytes),
      relay_(relay),
      lane_of_member_(static_cast<std::size_t>(size_)),
      member_of_pe_(static_cast<std::size_t>(size_)) {
  const coll::Communicator& communicator = hub.communicator();
  const coll::Placement& placement = communicator.placement();
  const int own_node = placement.node_of(rank_);
  const std::size_t own_members = placement.members(own_node).size();
  const std::size_t lanes_of_two_hops = own_members + static_cast<std::size_t>(placement.nodes()) - 1;
  auto share_of = [&](std::size_t lanes) { return options.memory_bytes / (lanes * (1 + window)); };
  Hops hops = options.hops == Hops::automatic ? forced_hops() : options.hops;
  if (relay == Relay::never || !placement.has_levels()) hops = Hops::one;
  if (hops == Hops::automatic) {
    // Relays that carry out the items themselves need no further message: 1.3 to 4 times as many updates per second on
    // 4 nodes of 4 PEs. Items that relays forward take one more message: 0.6 times as many calls on 2 nodes of 2 PEs,
    // 1.2 times on 4 nodes of 4 PEs with 2 KiB each.
    bool fuller = share_of(lane_of_member_.size()) < short_message && 2 * lanes_of_two_hops <= lane_of_member_.size();
    hops = relay == Relay::carry_out || fuller ? Hops::two : Hops::one;
  }
  const bool two_hops = hops == Hops::two;
  lanes_ = std::vector<Lane>(two_hops ? lanes_of_two_hops : lane_of_member_.size());
  for (int member = 0; member < size_; ++member) {
    const auto index = static_cast<std::size_t>(member);
    const int node = placement.node_of(member);
    member_of_pe_[communicator.pe(member).value()] = member;
    int to = member;
    std::size_t lane = index;
    if (two_hops && node == own_node) {
      lane = static_cast<std::size_t>(placement.index_in_node(member));
    } else if (two_hops) {
      // The members of a node share the relaying: each relays for the members that have its index in their nodes.
      const std::span<const int> there = placement.members(node);
      to = there[static_cast<std::size_t>(placement.index_in_node(rank_)) % there.size()];
      lane = own_members + static_cast<std::size_t>(node < own_node ? node : node - 1);
      lanes_[lane].prefix_bytes = Items::prefix_bytes;
    }
    lane_of_member_[index] = static_cast<std::uint32_t>(lane);
    lanes_[lane].pe = communicator.pe(to);
  }
  // Each destination has one buffer that is being filled and `window` buffers under way. With 64 KiB the cost per
  // message is small, and senders can continue while a destination that shares its core is not scheduled.
  buffer_bytes_ =
      std::max(std::clamp<std::size_t>(share_of(lanes_.size()), 256, 65536), item_bytes_ + Items::prefix_bytes);
}

Items Aggregator::own_items(std::span<const std::byte> bytes) const { return Items(bytes, item_bytes_, rank_, {}); }

Items Aggregator::node_items(std::span<const std::byte> bytes) const {
  const coll::Placement& placement = communicator().placement();
  return Items(bytes, item_bytes_, rank_, placement.members(placement.node_of(rank_)));
}

void Aggregator::open() {
  id_ = state_->add(*this);
  state_->deliver_early(communicator().context());
}

void Aggregator::close() { state_->remove(id_); }

Aggregator::~Aggregator() = default;

void Aggregator::fail(std::exception_ptr failure) {
  // Called by one thread at a time. The first failure is kept.
  if (failed_.load(std::memory_order_relaxed)) return;
  failure_ = failure;
  failed_.store(true, std::memory_order_release);  // partner: the acquire in finish
}

std::byte* Aggregator::room_for_item(int member) {
  const std::size_t number = lane_of(member);
  Lane& lane = lanes_[number];
  if (lane.used + lane.prefix_bytes + item_bytes_ > lane.buffer.size()) [[unlikely]] {
    if (lane.used != 0) ship(number);
    lane.buffer.resize(buffer_bytes_);
  }
  std::byte* item = lane.buffer.data() + lane.used;
  if (lane.prefix_bytes != 0) {
    auto index = static_cast<std::uint16_t>(communicator().placement().index_in_node(member));
    std::memcpy(item, &index, sizeof(index));
  }
  lane.used += lane.prefix_bytes + item_bytes_;
  return item + lane.prefix_bytes;
}

template <class Ready>
void Aggregator::wait(Ready&& ready) {
  runtime::Context& context = communicator().context();
  runtime::Patience patience(config::seconds(config::Variable::peer_timeout));
  while (context.wait(ready, patience.next_look()) != Status::ok) {
    patience.look();
    if (patience.is_over()) break;
  }
  if (!patience.is_over()) return;
  std::vector<PeId> near, all;
  std::string far;  // by way of their nodes
  for (int member = 0; member < size_; ++member) all.push_back(communicator().pe(member));
  for (const Lane& lane : lanes_) {
    if (lane.busy.load(std::memory_order_relaxed) == 0) continue;
    if (lane.prefix_bytes == 0) near.push_back(lane.pe);
    else far += fmt::format("{}the node of {}", far.empty() ? "" : ", ", context.job().describe(lane.pe));
  }
  const std::vector<PeId> culprits = runtime::find_culprits(context.job(), near, all);
  if (!culprits.empty()) context.job().suspect(culprits.front());
  const std::string named = runtime::describe(context.job(), culprits);
  raise<TimeoutError>(fmt::format(
      "aggregated operations on {}{}{} were not carried out within {} s: a PE answers when it waits or makes progress. "
      "Raise ATOLL_PEER_TIMEOUT if it may compute for so long",
      named, named.empty() || far.empty() ? "" : ", ", far, patience.seconds()));
}

void Aggregator::ship(std::size_t number) {
  Lane& lane = lanes_[number];
  if (lane.used == 0) return;
  constexpr std::uint32_t all_slots = (1u << window) - 1;
  runtime::Context& context = communicator().context();
  // Acquire: the slot's last answer has been handled. Partner: the release in HubState::run.
  if (lane.busy.load(std::memory_order_acquire) == all_slots)
    wait([&] { return lane.busy.load(std::memory_order_acquire) != all_slots; });
  auto slot = static_cast<std::uint32_t>(std::countr_one(lane.busy.load(std::memory_order_acquire)));
  lane.busy.fetch_or(1u << slot, std::memory_order_relaxed);
  shipped(number, slot);
  auto kind = lane.prefix_bytes != 0 ? detail::MessageKind::items_of_node : detail::MessageKind::items;
  detail::Header header{id_, static_cast<std::uint32_t>(rank_), slot, kind};
  message_bytes_ += sizeof(header) + lane.used;
  context.send(lane.pe, state_->handler, std::as_bytes(std::span(&header, 1)),
               std::span<const std::byte>(lane.buffer.data(), lane.used));
  lane.used = 0;
}

void Aggregator::flush() {
  // Starts at the right neighbour, so that the members do not all send to the same destination first.
  for (int step = 1; step <= size_; ++step) ship(lane_of((rank_ + step) % size_));
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
    // All items that this PE pushed have been handled. Once every PE has got here, no item is under way; items that
    // functions have pushed meanwhile wait on their PE, because functions cannot ship.
    if (may_push_late()) communicator().barrier();
    state = collect_late() ? again : 0;
    // An origin is notified of a failure before it gets here, so no failure is missed.
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
  raise<Error>("an aggregated operation failed on another PE");
}

}  // namespace atl::agg
