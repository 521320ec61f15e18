// SPDX-License-Identifier: Apache-2.0
// Shared parts of aggregators: the message handlers of a PE, and buffers that fill while others are under way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::agg {

/// The transport of operations on memory.
enum class Path {
  automatic,  ///< straight loads, stores and atomics where the memory is mapped, messages elsewhere
  message,    ///< always messages (except to this PE itself): for tests and measuring
};

/// The route of operations to members of other nodes.
enum class Hops {
  automatic,  ///< as ATOLL_AGGREGATION_HOPS says, or suits
  one,        ///< straight: a buffer per member
  two,        ///< by a member of that node, the relay: a buffer per node, and per member of this node
};

struct Options {
  Path path = Path::automatic;
  Hops hops = Hops::automatic;
  /// Most memory for buffers, per aggregator, whatever the number of members (at least 256 bytes per message).
  std::size_t memory_bytes = std::size_t{4} << 20;
};

namespace detail {
class HubState;
struct Header;
}  // namespace detail

/// The items of one message: of this member, or of any of its node.
class Items {
 public:
  std::size_t size() const { return size_; }
  const std::byte* operator[](std::size_t i) const { return data_ + (i + 1) * stride_ - item_bytes_; }
  /// Whose it is.
  int member(std::size_t i) const { return node_.empty() ? rank_ : node_[index_in_node(i)]; }
  /// Only of items of any member.
  std::size_t index_in_node(std::size_t i) const {
    std::uint16_t index = 0;
    std::memcpy(&index, data_ + i * stride_, sizeof(index));
    ATOLL_EXPECT(index < node_.size());
    return index;
  }
  /// Before an item of any member.
  static constexpr std::size_t prefix_bytes = sizeof(std::uint16_t);

 private:
  friend class Aggregator;
  Items(std::span<const std::byte> bytes, std::size_t item_bytes, int rank, std::span<const int> node)
      : data_(bytes.data()),
        item_bytes_(item_bytes),
        stride_(item_bytes + (node.empty() ? 0 : prefix_bytes)),
        size_(bytes.size() / stride_),
        rank_(rank),
        node_(node) {}
  const std::byte* data_;
  std::size_t item_bytes_;
  std::size_t stride_;
  std::size_t size_;
  int rank_;
  std::span<const int> node_;  // empty: all are of this member
};

/// Registers this PE's message handler once, for all aggregators over a communicator of all PEs. Collective.
/// Aggregators must not outlive it, nor it the communicator.
class Hub {
 public:
  explicit Hub(coll::Communicator& communicator);
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;
  coll::Communicator& communicator() const { return communicator_; }

 private:
  friend class Aggregator;
  coll::Communicator& communicator_;
  std::shared_ptr<detail::HubState> state_;
};

/// Buffers per destination, shipped as one message when full. At most `window` messages per destination are under
/// way: so memory is bounded, a slow destination slows its senders, and the next buffer fills while the last ones
/// fly. Constructed collectively; pushed to by one thread.
///
/// With two hops another node is one destination: the relay, one of its members, always the same for one sender, so
/// that order is kept. It answers when all of a message is done, so the window bounds what relays hold as well.
class Aggregator {
 public:
  virtual ~Aggregator();
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;

  /// Ships what is buffered. Does not wait for it.
  void flush();
  /// Collective: everything that any member pushed is complete, also what functions pushed meanwhile. The aggregator
  /// can be used again. Throws PeFailedError, or what a function threw.
  virtual void finish();
  /// Bytes of messages sent so far.
  std::uint64_t message_bytes() const { return message_bytes_; }

 protected:
  static constexpr std::uint32_t window = 4;
  /// What a relay does with items of other members of its node.
  enum class Relay {
    hand_on,    ///< sends them on
    carry_out,  ///< receive() carries them out
    never,      ///< there are none: all messages go straight
  };
  /// `relay` is the same on all members.
  Aggregator(Hub& hub, const Options& options, std::size_t item_bytes, Relay relay);
  /// Messages are received from here on: the last thing a derived constructor does.
  void open();
  /// Withdraws from the hub: the first thing a derived destructor does. Not before a finish().
  void close();

  int rank() const { return rank_; }
  int size() const { return size_; }
  coll::Communicator& communicator() const { return hub_.communicator(); }

  /// The buffers: one per destination of messages.
  std::size_t lanes() const { return lanes_.size(); }
  std::size_t lane_of(int member) const { return lane_of_member_[static_cast<std::size_t>(member)]; }
  /// Room for one item in the buffer for `member`; ships it first when it is full.
  std::byte* room_for_item(int member);
  /// A message is about to leave with these items in this slot of the window (0 … window-1).
  virtual void shipped(std::size_t lane, std::uint32_t slot) {}
  /// At the destination, in progress(): must handle all items; may write an answer, unless relays hand on.
  virtual void receive(int origin, const Items& items, std::vector<std::byte>& answer) = 0;
  /// At the origin, in progress().
  virtual void answered(std::size_t lane, std::uint32_t slot, std::span<const std::byte> answer) {}
  /// Whether receive() may push, and then: moves what it pushed into buffers; returns whether there was anything.
  virtual bool may_push_late() const { return false; }
  virtual bool collect_late() { return false; }

 private:
  friend class detail::HubState;
  struct Lane {
    PeId pe{0};  // that messages go to
    std::vector<std::byte> buffer;
    std::size_t used = 0;
    std::size_t prefix_bytes = 0;        // of an item
    std::atomic<std::uint32_t> busy{0};  // bit per slot of the window
  };
  void ship(std::size_t lane);
  void drain();
  template <class Ready>
  void wait(Ready&& ready);
  std::size_t lane_of(PeId pe) const { return lane_of(member_of_pe_[pe.value()]); }
  void fail(std::exception_ptr failure);
  Items own_items(std::span<const std::byte> bytes) const;
  Items node_items(std::span<const std::byte> bytes) const;

  Hub& hub_;
  std::shared_ptr<detail::HubState> state_;
  int rank_;
  int size_;
  std::uint32_t id_ = 0;
  std::size_t item_bytes_;
  Relay relay_;
  std::vector<std::uint32_t> lane_of_member_;
  std::vector<Lane> lanes_;
  std::size_t buffer_bytes_;
  std::vector<int> member_of_pe_;
  std::vector<std::byte> answer_;                // reused by receive(), one at a time
  std::vector<std::vector<std::byte>> handed_on_;  // likewise, by member of this node
  std::uint64_t message_bytes_ = 0;
  std::atomic<bool> failed_{false};  // failure_ is set
  std::atomic<bool> failed_elsewhere_{false};
  std::exception_ptr failure_;
};

}  // namespace atl::agg
