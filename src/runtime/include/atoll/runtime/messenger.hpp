// SPDX-License-Identifier: Apache-2.0
// Active messages: sending, queueing, and running their handlers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/endpoint.hpp"
#include "atoll/runtime/handler.hpp"
#include "atoll/runtime/landing.hpp"
#include "atoll/runtime/large_blocks.hpp"
#include "atoll/runtime/outbox.hpp"

namespace atl::runtime {

class Context;
class FailureDetector;
class PeMemory;
class OneSided;
class Progress;

/// Thread-safe except where said.
class Messenger {
 public:
  using Handler = MessageHandler;
  /// Longest payload of one message; long ones lie in the sender's heap, from another node in the receiver's.
  static constexpr std::size_t longest_message = std::size_t{1} << 30;

  /// The parts of one Context, which handlers get.
  Messenger(Context& context, OneSided& one_sided, PeMemory& memory, Progress& progress, FailureDetector& failures);
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  /// Ids count up from 0: register the same handlers in the same order on every PE. A message that arrives before
  /// its handler is registered waits for it.
  HandlerId register_handler(Handler handler);
  /// Sends `first` and `second`, joined. Source completion: both may be reused on return. Local: a message that finds
  /// no room at the receiver stays here until progress() finds some, and only where it would exceed this PE's memory
  /// limit does the call wait, with a warning. Messages of one thread to one PE arrive in order.
  void send(PeId pe, HandlerId handler, std::span<const std::byte> first, std::span<const std::byte> second = {});
  /// For senders that are faster than their receiver and may wait for it: until no message to `pe` waits in this PE for
  /// room there, and no more than 256 MiB of long ones are under way. Makes progress.
  void pace(PeId pe) {
    if (!outbox_.empty() || large_blocks_.bytes() >= most_large_bytes) [[unlikely]]
      pace_slowly(pe);
  }
  /// Whether messages of this PE wait for room at their receivers.
  bool sends_wait() const { return !outbox_.empty(); }
  /// Frees messages to PEs that have left the job or died since the last call. Waits do so, too.
  void settle_departures();
  /// Takes all messages that have arrived, also those of PEs that have died since. For failure handlers.
  void take_arrived();

 protected:
  void hear_room_request(PeId source, std::span<const std::byte> payload) { landing_.hear_request(source, payload); }
  void hear_room_answer(PeId source, std::span<const std::byte> payload) { landing_.hear_answer(source, payload); }
  /// Sends what waits, before this PE leaves the job.
  void empty_outbox() noexcept;

 private:
  friend class Progress;  // runs what follows, by one thread at a time
  bool send_outbox();
  bool receive_messages();
  bool poll_network();

  // Payloads in flight in our heap that a paced sender may have.
  static constexpr std::uint64_t most_large_bytes = std::uint64_t{256} << 20;
  using Block = std::shared_ptr<std::byte>;  // of our heap
  using Parts = fabric::MessageParts;
  struct Incoming {
    PeId source;
    std::uint16_t handler;
    std::vector<std::byte> payload;
  };
  void take_at_once(const fabric::Inbox::Message& message);
  void receive(PeId source, std::uint16_t handler, std::uint16_t kind, std::span<const std::byte> payload);
  void receive_record(PeId source, std::uint16_t handler, std::uint16_t kind, std::span<const std::byte> payload);
  void keep_early(PeId source, std::uint16_t handler, std::span<const std::byte> payload);
  bool deliver_early();
  void run_handler(PeId source, std::uint16_t handler, std::span<const std::byte> payload);
  bool try_send(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts);
  void send_small(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts);
  void send_later(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts);
  void send_large(PeId pe, std::uint16_t handler, const Parts& parts);
  void send_far(PeId pe, std::uint16_t handler, const Parts& parts);
  std::byte* allocate_large(PeId pe, std::size_t bytes);
  void release_large_block(PeId receiver, std::uint64_t offset);
  void await_memory(PeId pe, std::size_t bytes);
  void pace_slowly(PeId pe);
  bool reads(PeId pe);
  bool send_kept(PeId pe, Outbox::Message& message);

  Context& context_;
  OneSided& one_sided_;
  PeMemory& memory_;
  Progress& progress_;
  FailureDetector& failures_;
  fabric::Job& job_;
  fabric::Endpoint& endpoint_;
  std::mutex handlers_mutex_;
  std::vector<Handler> handlers_;  // room for all from the start, so that registering moves none
  std::atomic<std::uint32_t> handler_count_{0};
  std::uint32_t known_handlers_ = 0;  // of those; the progress owner's
  const fabric::Inbox::Taker taker_{this, [](void* messenger, const fabric::Inbox::Message& message) {
                                      static_cast<Messenger*>(messenger)->take_at_once(message);
                                    }};
  bool took_message_ = false;  // at once; the progress owner's
  std::vector<Incoming> early_;  // messages for handlers still to come; the progress owner's
  Outbox outbox_;  // sent by progress()
  std::atomic<bool> warned_of_memory_{false};
  LargeBlocks large_blocks_;  // payloads in flight in our heap
  Landing landing_;
  Block landed_;  // what a handler is looking at, and
  std::span<const std::byte> landed_payload_;  // of a long message of another node
};

}  // namespace atl::runtime
