// SPDX-License-Identifier: Apache-2.0
// Two-sided messages: a send meets a receive whose pattern fits its tag. The base for MPI.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/base/status.hpp"
#include "atoll/runtime/parts.hpp"

namespace atl::runtime {

namespace matching {
class State;
struct Operation;
struct Unexpected;
}  // namespace matching

/// Source, tag and length of a received message.
struct Envelope {
  PeId source{};
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;  ///< length of the message, also when the buffer was shorter
  std::uint64_t label = 0;  ///< what the sender said of it
};

/// What a receive accepts: a message fits when its source is the one asked for (or any), and its tag equals `tag` in
/// all bits that `ignore` has not set.
struct Pattern {
  std::optional<PeId> source;
  std::uint64_t tag = 0;
  std::uint64_t ignore = 0;

  bool fits(PeId from, std::uint64_t bits) const {
    return ((tag ^ bits) & ~ignore) == 0 && (!source || *source == from);
  }
};

enum class SendMode {
  standard,     ///< complete when the data may be reused
  synchronous,  ///< complete when a receive has taken the message
};

/// ok, truncated (the buffer is full, the rest is lost), cancelled, try_again (the message is lost: there was no memory
/// for the row that a Scatter gets, or for pieces), what fail() was told, or timed_out (still in flight).
struct Outcome {
  Status status = Status::ok;
  Envelope envelope{};  ///< of a receive
};

/// Where a message goes that does not stay in a row. Called by whatever thread moves the data, one at a time.
class Scatter {
 public:
  /// Bytes [from, to) of the message, which begin at `data`.
  virtual void put(std::uint64_t from, std::uint64_t to, const std::byte* data) const = 0;

 protected:
  ~Scatter() = default;
};

/// Where a message goes: so many bytes in a row, or so many that `scatter` puts in their places.
struct Target {
  template <class Row>
    requires std::convertible_to<Row, std::span<std::byte>>
  Target(Row&& into) : Target(std::span<std::byte>(into).data(), std::span<std::byte>(into).size()) {}
  Target(std::byte* into, std::uint64_t most) : memory(into), bytes(most) {}
  Target(const Scatter& to, std::uint64_t most) : bytes(most), scatter(&to) {}

  std::byte* memory = nullptr;
  std::uint64_t bytes;
  const Scatter* scatter = nullptr;
};

/// An operation in flight. Give each to wait() or test() until it is complete; it is empty afterwards.
class Request {
 public:
  Request() = default;
  bool empty() const { return operation_ == nullptr; }

 private:
  friend class Matcher;
  explicit Request(matching::Operation* operation) : operation_(operation) {}
  matching::Operation* operation_ = nullptr;
};

/// A message taken out of matching by claim(), which receive() must then take.
class Claim {
 public:
  const Envelope& envelope() const { return envelope_; }

 private:
  friend class Matcher;
  Claim(matching::Unexpected* message, const Envelope& envelope) : message_(message), envelope_(envelope) {}
  matching::Unexpected* message_;
  Envelope envelope_;
};

/// The same on every PE.
struct MatcherOptions {
  /// Longer messages stay with the sender until a receive has matched (rendezvous).
  std::size_t eager_bytes = 16384;
  /// Payload that may wait at one PE for its receives, from all PEs together. Each PE may use an even share of it;
  /// what is above it stays with its sender.
  std::uint64_t unexpected_bytes = std::uint64_t{16} << 20;
  /// Messages that may wait at one PE, likewise. Senders above their share keep theirs, unless a receive waits that
  /// no message here fits: then senders may go on, by headers alone, until it is matched. So a program that sends
  /// and receives in any order which MPI allows goes on, and its memory grows only as far as it must.
  std::uint32_t unexpected_messages = 16384;
  /// Messages whose tags differ from this bit on do not meet: they are matched in parts of their own, each with its
  /// lock, its lists and the bounds above, so that threads with tags of their own do not wait for one another. No
  /// pattern may ignore these bits. 64: there is one part.
  unsigned apart_from_bit = 64;
};

/// What this PE keeps for others at the moment, and what there has been so far.
struct MatcherStats {
  std::uint64_t unexpected_bytes = 0;  ///< payload held for receives to come
  std::uint64_t unexpected_messages = 0;  ///< also those of which only the header is here
  std::uint64_t posted_receives = 0;
  std::uint64_t withheld_sends = 0;  ///< of this PE, waiting for room at their targets
  std::uint64_t sent_messages = 0, sent_bytes = 0;
  std::uint64_t received_messages = 0, received_bytes = 0;  ///< that were taken, as long as their buffers
  std::uint64_t early_messages = 0;  ///< that came before their receive
  std::uint64_t waits = 0;  ///< operations that were not complete when they were waited for

  MatcherStats& operator+=(const MatcherStats& other);
};

/// Messages from one PE to another are matched in the order they were sent (by one thread), receives in the order
/// they were posted. Up to `eager_bytes` travel at once. Longer ones are announced; once matched, the receiver gets
/// them out of the sender's segment, or the sender puts them into the receiver's, bumping a counter that triggers
/// the completion: one copy. When neither buffer is in a segment they go in pieces through the sender's heap.
/// Thread-safe. Progress is the Context's.
class Matcher {
 public:
  /// Collective, in the order in which each PE makes its Matchers.
  explicit Matcher(Context& context, const MatcherOptions& options = {});
  /// No operation may be in flight.
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// `data` must stay as it is until complete. `label`: a word for the receiver, which takes no part in matching; 0
  /// costs nothing.
  [[nodiscard]] Request send(PeId to, std::uint64_t tag, std::span<const std::byte> data,
                             SendMode mode = SendMode::standard, std::uint64_t label = 0);
  /// A send() that is complete on return, and of which no operation is made. False: it cannot be, and nothing was done.
  bool send_now(PeId to, std::uint64_t tag, std::span<const std::byte> data, std::uint64_t label = 0);
  /// `into`, and a Scatter, belong to the operation until complete.
  [[nodiscard]] Request receive(const Pattern& pattern, const Target& into);

  /// A receive and its wait, for a message that is likely to come at once: it is copied from the ring to `into`, and no
  /// operation is made of it. None: it has not come, and nothing was done; it is to be received as any other.
  std::optional<Outcome> receive_now(const Pattern& pattern, const Target& into);
  /// The same, for a message that is the next one here already: does not wait for it.
  std::optional<Outcome> receive_if_here(const Pattern& pattern, const Target& into);

  /// The first message that fits and no receive has taken, left where it is.
  std::optional<Envelope> probe(const Pattern& pattern);
  /// The same, taken out: only receive(claim, …) gets it now.
  std::optional<Claim> claim(const Pattern& pattern);
  [[nodiscard]] Request receive(Claim claim, const Target& into);

  /// Takes back a receive that nothing has matched, or a send that has not left. True: it is complete as cancelled.
  /// False: it completes as if nothing had been said.
  bool cancel(const Request& request);
  /// Ends what is in flight, and `which` holds for, with this status: sends and receives, seen by their other side
  /// (that of a receive from anybody is no_pe) and tag. A PE that may still move their data must be dead, or its data
  /// of no interest. What other threads of this PE are moving at the time is complete when they have done so, and
  /// perhaps as if nothing had been said.
  static constexpr PeId no_pe{UINT32_MAX};
  void fail(Status why, const std::function<bool(PeId peer, std::uint64_t tag)>& which);
  /// Makes progress. None: still in flight.
  std::optional<Outcome> test(Request& request);
  /// Throws PeFailedError when a PE dies.
  Outcome wait(Request& request);
  /// status timed_out: still in flight.
  Outcome wait(Request& request, Deadline deadline);

  MatcherStats stats() const;

 private:
  static constexpr std::size_t most_parts = 8;
  static constexpr std::uint32_t most_pes_apart = 1024;  // each part counts what it owes every PE

  static Outcome take(Request& request);
  void warn_of_limit(const matching::Operation& send);
  matching::State& part_of(std::uint64_t tag) const { return *parts_[(tag >> apart_shift_) & part_mask_]; }
  Parts pe_;
  unsigned apart_shift_ = 0;
  std::uint64_t part_mask_ = 0;
  // Shared with the message handlers, which the context keeps longer. The first ones are there.
  std::array<std::shared_ptr<matching::State>, most_parts> parts_;
  std::atomic<bool> warned_of_limit_{false};
};

}  // namespace atl::runtime
