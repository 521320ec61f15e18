// SPDX-License-Identifier: Apache-2.0
// What aggregators share: the message handlers of a PE, and buffers that fill while others fly.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "atoll/coll/collectives.hpp"

namespace atl::agg {

/// How operations on memory travel.
enum class Path {
  automatic,  ///< straight loads, stores and atomics where the memory is mapped, messages elsewhere
  message,    ///< always messages (except to this PE itself): for tests and measuring
};

struct Options {
  Path path = Path::automatic;
  /// Most memory for buffers, per aggregator, whatever the number of members (at least 256 bytes per message).
  std::size_t memory_bytes = std::size_t{4} << 20;
};

namespace detail {
class HubState;
}

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
  Aggregator(Hub& hub, const Options& options, std::size_t item_bytes);
  /// Messages are received from here on: the last thing a derived constructor does.
  void open();
  /// Withdraws from the hub: the first thing a derived destructor does. Not before a finish().
  void close();

  int rank() const { return rank_; }
  int size() const { return size_; }
  coll::Communicator& communicator() const { return hub_.communicator(); }

  /// Room for one item in the buffer to `member`; ships it first when it is full.
  std::byte* room_for_item(int member);
  /// A message is about to leave with these items in this slot of the window (0 … window-1).
  virtual void shipped(int member, std::uint32_t slot) {}
  /// At the destination, in progress(): must handle all items; may write an answer.
  virtual void receive(int origin, std::span<const std::byte> items, std::vector<std::byte>& answer) = 0;
  /// At the origin, in progress().
  virtual void answered(int member, std::uint32_t slot, std::span<const std::byte> answer) {}
  /// Whether receive() may push, and then: moves what it pushed into buffers; returns whether there was anything.
  virtual bool may_push_late() const { return false; }
  virtual bool collect_late() { return false; }

 private:
  friend class detail::HubState;
  struct Lane {
    std::vector<std::byte> buffer;
    std::size_t used = 0;
    std::atomic<std::uint32_t> busy{0};  // bit per slot of the window
  };
  void ship(int member);
  void drain();
  template <class Ready>
  void wait(Ready&& ready);
  int member_of(PeId pe) const { return member_of_pe_[pe.value()]; }
  void fail(std::exception_ptr failure);

  Hub& hub_;
  std::shared_ptr<detail::HubState> state_;
  int rank_;
  int size_;
  std::uint32_t id_ = 0;
  std::size_t item_bytes_;
  std::size_t buffer_bytes_;
  std::vector<Lane> lanes_;
  std::vector<int> member_of_pe_;
  std::vector<std::byte> answer_;  // reused by receive(), one at a time
  std::uint64_t message_bytes_ = 0;
  std::atomic<bool> failed_{false};  // failure_ is set
  std::atomic<bool> failed_elsewhere_{false};
  std::exception_ptr failure_;
};

}  // namespace atl::agg
