// SPDX-License-Identifier: Apache-2.0
// Active messages. Inside a node up to 16 KiB (in fact ring_message_bytes) travel in the receiver's ring, one copy; a
// longer payload, or one that the ring has no room for, stays in a block of the sender's heap, where the handler reads
// it in place, and a short message tells the sender when to release it. Over the network they come to the receiver's
// inbox and lie there until their handlers have run; the longest are put into the receiver's heap (landing.cpp).
//
// No deadlock on full rings, and no wait for a receiver that does not read: a message that finds no room stays in the
// sender's outbox, from which progress() sends it. A PE that has finalized reads its ring no more: what waits for it is
// dropped.
#include <sched.h>

#include <cstring>
#include <mutex>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/progress.hpp"

namespace atl::runtime {
namespace {

enum MessageKind : std::uint16_t { small_message = 0, large_message = 1, release_large = 2, landed_message = 3 };

// | offset | bytes | field  | valid when                                              |
// |--------|-------|--------|---------------------------------------------------------|
// |   0    |   8   | offset | in the sender's segment; landed_message: the receiver's |
// |   8    |   8   | bytes  | more than fits into a ring, or is carried along         |
struct LargeRecord {
  std::uint64_t offset;
  std::uint64_t bytes;
};
static_assert(sizeof(LargeRecord) == 16);

// A receiver with memory grants it within a round trip. One without memory grants it when its handlers have run.
constexpr double room_patience_seconds = 2e-3;
constexpr std::int64_t leaving_nap_ns = 50'000;
constexpr int messages_per_round = 128;
constexpr std::size_t most_handlers = 256;

// Looks at the network that take what a dead PE has sent; an end is needed, as those that are alive send on.
constexpr int looks_for_arrived = 1024;
// So many in a row that find nothing are the end of it.
constexpr int vain_looks_for_arrived = 8;

// What is behind the message that is read now, the count-th in a row. A line takes as long to come as two short
// messages take to be handled, so with many waiting it is asked for three before; when there are not so many, that
// would take lines from their writer.
void prefetch_behind(const fabric::Endpoint& endpoint, int count) {
  constexpr std::uint64_t ahead = 3;
  for (std::uint64_t behind = count > 1 ? ahead : 1; behind <= (count == 0 ? 1 : ahead); ++behind)
    endpoint.prefetch_message(behind);
}

std::span<const std::byte> bytes_of(const LargeRecord& record) { return std::as_bytes(std::span(&record, 1)); }

}  // namespace

Messenger::Messenger(Context& context, OneSided& one_sided, PeMemory& memory, Progress& progress,
                     FailureDetector& failures)
    : context_(context),
      one_sided_(one_sided),
      memory_(memory),
      progress_(progress),
      failures_(failures),
      job_(one_sided.job()),
      endpoint_(one_sided.endpoint()),
      landing_(one_sided, memory.heap(), failures) {
  handlers_.reserve(most_handlers);
}

HandlerId Messenger::register_handler(Handler handler) {
  std::lock_guard lock(handlers_mutex_);
  ATOLL_VALIDATE(handlers_.size() < handlers_.capacity(), SetupError, "more than {} message handlers",
                 handlers_.capacity());
  handlers_.push_back(std::move(handler));
  // Release: the handler itself. Partner: receive_messages().
  handler_count_.store(static_cast<std::uint32_t>(handlers_.size()), std::memory_order_release);
  return HandlerId(static_cast<std::uint16_t>(handlers_.size() - 1));
}

void Messenger::send(PeId pe, HandlerId handler, std::span<const std::byte> first, std::span<const std::byte> second) {
  Parts parts{first, second};
  if (job_.has_failed() && pe.value() < endpoint_.npes() && job_.has_died(pe)) [[unlikely]] {
    if (!progress_.in_progress_here()) failures_.check();  // as in send_later()
    return;
  }
  // What is short fits everywhere. That there is no such PE, try_send() tells.
  if (parts.size() <= fabric::message_bytes || pe.value() >= endpoint_.npes()) [[likely]]
    return send_small(pe, handler.value(), small_message, parts);
  if (parts.size() > endpoint_.longest_message(pe)) return send_large(pe, handler.value(), parts);
  if (!endpoint_.maps(pe)) return send_small(pe, handler.value(), small_message, parts);
  // The lines of a ring are full when its receiver is busy elsewhere: our heap has room.
  if (outbox_.holds(pe) || !try_send(pe, handler.value(), small_message, parts))
    return send_large(pe, handler.value(), parts);
  if (endpoint_.message_waiting() && !progress_.in_progress_here()) progress_.progress();
}

// Not for a PE for which messages wait in the outbox.
inline bool Messenger::try_send(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts) {
  if (job_.has_failed() && pe.value() < endpoint_.npes() && job_.has_died(pe)) [[unlikely]]
    return true;  // it has no receiver
  return endpoint_.try_send(pe, handler, kind, parts) == Status::ok;
}

inline void Messenger::send_small(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts) {
  if (!outbox_.empty() || !try_send(pe, handler, kind, parts)) [[unlikely]]
    return send_later(pe, handler, kind, parts);
  if (endpoint_.message_waiting() && !progress_.in_progress_here()) progress_.progress();
}

// When there is room.
void Messenger::send_later(PeId pe, std::uint16_t handler, std::uint16_t kind, const Parts& parts) {
  if (!progress_.in_progress_here()) {
    // A program that only sends would queue for a lost PE until it is killed. Where a death ends the job, the sender is
    // told here.
    failures_.check();
    await_memory(pe, parts.size());
  }
  auto make = [&] {
    Outbox::Message message{handler, kind, std::vector<std::byte>(parts.size())};
    parts.copy_to(message.payload.data());
    return message;
  };
  const bool left = outbox_.send_or_keep(pe, [&] { return try_send(pe, handler, kind, parts); }, make);
  if (!left) progress_.add_backlog(1);
  if (!progress_.in_progress_here()) progress_.progress();
}

// Until so much more may wait in this PE. Not from handlers.
void Messenger::await_memory(PeId pe, std::size_t bytes) {
  auto fits = [&] {
    return outbox_.empty() || outbox_.bytes() + bytes + memory_.budget().in_use() <= memory_.budget().limit();
  };
  if (fits()) [[likely]]
    return;
  if (!warned_of_memory_.exchange(true))
    log(LogLevel::warning,
        "sending to {} waits: the messages that wait for their receivers and this PE's arrays take {} (the limit is {}). "
        "Let {} receive, or raise ATOLL_MEMORY_LIMIT?",
        job_.describe(pe), format_bytes(outbox_.bytes() + memory_.budget().in_use()),
        format_bytes(memory_.budget().limit()), job_.describe(pe));
  progress_.wait(fits);
}

void Messenger::pace_slowly(PeId pe) {
  if (progress_.in_progress_here()) return;
  progress_.wait([&] { return (!outbox_.holds(pe) && large_blocks_.bytes() < most_large_bytes) || !reads(pe); });
}

// In our heap, for a payload that its receiver releases.
std::byte* Messenger::allocate_large(PeId pe, std::size_t bytes) {
  for (;;) {
    const std::uint64_t before = large_blocks_.bytes();
    try {
      return static_cast<std::byte*>(memory_.heap().allocate(bytes));
    } catch (const MemoryError&) {
      if (progress_.in_progress_here() || before == 0) throw;
    }
    progress_.wait([&] { return large_blocks_.bytes() < before || !reads(pe); });
  }
}

void Messenger::send_large(PeId pe, std::uint16_t handler, const Parts& parts) {
  std::size_t bytes = parts.size();
  ATOLL_VALIDATE(bytes <= longest_message, ValueError, "a message of {} is too long. Send at most {} at once",
                 format_bytes(bytes), format_bytes(longest_message));
  if (!endpoint_.maps(pe)) return send_far(pe, handler, parts);
  settle_departures();
  if (!reads(pe)) return;
  std::byte* block = allocate_large(pe, bytes);
  parts.copy_to(block);
  LargeRecord record{one_sided_.offset_of(block).value(), bytes};
  if (!large_blocks_.add(record.offset, pe, bytes, [&] { return reads(pe); })) return memory_.heap().release(block);
  send_small(pe, handler, large_message, {bytes_of(record)});
}

// Of a payload that its receiver has handled, or will not read. A block that was released before may be another
// receiver's by now.
void Messenger::release_large_block(PeId receiver, std::uint64_t offset) {
  if (large_blocks_.remove(offset, receiver)) memory_.heap().release(one_sided_.local_pointer(HeapOffset(offset)));
}

void Messenger::settle_departures() {
  const std::uint32_t gone = job_.departures() + job_.deaths();
  if (!large_blocks_.is_news(gone)) [[likely]]
    return;
  for (const auto& [receiver, offset] : large_blocks_.unread(gone, [this](PeId pe) { return reads(pe); }))
    release_large_block(receiver, offset);
}

void Messenger::send_far(PeId pe, std::uint16_t handler, const Parts& parts) {
  std::size_t bytes = parts.size();
  const std::uint64_t id = landing_.request(pe, bytes);
  if (!progress_.in_progress_here() && outbox_.empty()) {
    std::optional<HeapOffset> room;
    auto granted = [&] {
      return room || !reads(pe) || (room = landing_.take(pe, id, bytes));
    };  // asked again after it was true
    const bool answered = progress_.wait(granted, Deadline::after_seconds(room_patience_seconds)) == Status::ok;
    if (answered && !room) return;
    if (room) {
      landing_.fill(pe, *room, parts);
      return send_small(pe, handler, landed_message, {bytes_of(LargeRecord{room->value(), bytes})});
    }
  }
  Outbox::Message message{handler, landed_message, {}};
  // What a handler sends on is not copied.
  const std::byte* end = landed_payload_.data() + landed_payload_.size();
  if (progress_.in_progress_here() && parts.second.empty() && parts.first.data() >= landed_payload_.data() &&
      parts.first.data() + bytes <= end) {
    message.block = landed_;
    message.far = parts.first;
  } else {
    message.block = landing_.own(static_cast<std::byte*>(memory_.heap().allocate(bytes)));
    parts.copy_to(message.block.get());
    message.far = {message.block.get(), bytes};
  }
  message.room = id;
  (void)outbox_.send_or_keep(pe, [] { return false; }, [&] { return std::move(message); });
  progress_.add_backlog(1);
  if (!progress_.in_progress_here()) progress_.progress();
}

// False: it has died, or left the job, and will not read what is sent to it.
bool Messenger::reads(PeId pe) {
  if (job_.has_failed() && job_.has_died(pe)) [[unlikely]]
    return false;
  return job_.departures() == 0 || !endpoint_.has_left(pe);
}

// False: not yet.
bool Messenger::send_kept(PeId pe, Outbox::Message& message) {
  if (!reads(pe)) return true;
  if (message.block != nullptr) {
    auto room = landing_.take(pe, message.room, message.far.size());
    if (!room) return false;
    landing_.fill(pe, *room, {message.far});
    LargeRecord record{room->value(), message.far.size()};
    message.payload.assign(bytes_of(record).begin(), bytes_of(record).end());
    message.block = nullptr;
  }
  return endpoint_.try_send(pe, message.handler, message.kind, {message.payload}) == Status::ok;
}

bool Messenger::send_outbox() {
  const std::uint32_t left =
      outbox_.send_all([this](PeId pe, Outbox::Message& message) { return send_kept(pe, message); });
  progress_.remove_backlog(left);
  return left != 0;
}

// What calls have sent before this PE leaves the job. It reads nothing any more, and others know it. A death ends that,
// as it ends the job.
void Messenger::empty_outbox() noexcept {
  try {
    while (!outbox_.empty() && !job_.has_failed()) {
      if (send_outbox()) continue;
      (void)endpoint_.poll();  // the answers of other nodes
      fabric::Sleeper sleeper(job_.record(one_sided_.pe()));
      sleeper.announce();
      sleeper.block(leaving_nap_ns);
    }
  } catch (const std::exception&) {
    // The receiver has left meanwhile.
  }
}

inline void Messenger::run_handler(PeId source, std::uint16_t handler, std::span<const std::byte> payload) {
  if (handler < known_handlers_) [[likely]]
    return handlers_[handler](context_, source, payload);
  keep_early(source, handler, payload);
}

// Not inlined: it is the exception.
[[gnu::noinline]] void Messenger::keep_early(PeId source, std::uint16_t handler, std::span<const std::byte> payload) {
  early_.push_back({source, handler, {payload.begin(), payload.end()}});
  progress_.add_backlog(1);
}

bool Messenger::deliver_early() {
  bool any = false;
  for (std::size_t i = 0; i < early_.size();) {
    if (early_[i].handler >= known_handlers_) {
      ++i;
      continue;
    }
    Incoming message = std::move(early_[i]);
    early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i));
    progress_.remove_backlog(1);
    run_handler(message.source, message.handler, message.payload);
    any = true;
  }
  return any;
}

// By its kind. `payload` is what came.
inline void Messenger::receive(PeId source, std::uint16_t handler, std::uint16_t kind,
                               std::span<const std::byte> payload) {
  if (kind == small_message) [[likely]]
    return run_handler(source, handler, payload);
  receive_record(source, handler, kind, payload);
}

// Not inlined: it is the exception.
[[gnu::noinline]] void Messenger::receive_record(PeId source, std::uint16_t handler, std::uint16_t kind,
                                                 std::span<const std::byte> payload) {
  LargeRecord record{};
  ATOLL_VALIDATE(payload.size() == sizeof(record), Error,
                 "PE {} has sent a message of kind {} that is no record. Run one version of "
                 "Atoll on all nodes",
                 source.value(), kind);
  std::memcpy(&record, payload.data(), sizeof(record));
  job_.find_guest(source);
  if (kind == release_large) {
    release_large_block(source, record.offset);
  } else if (kind == large_message) {
    run_handler(source, handler,
                {one_sided_.peer_pointer(source, HeapOffset(record.offset), record.bytes), record.bytes});
    send_small(source, 0, release_large, {bytes_of(record)});
  } else {
    landed_ = landing_.own(one_sided_.local_pointer(HeapOffset(record.offset)));
    landed_payload_ = {landed_.get(), record.bytes};
    run_handler(source, handler, landed_payload_);
    landed_payload_ = {};
    landed_ = nullptr;
    landing_.note_handled(record.bytes);
  }
}

// Comes behind all that was received before.
void Messenger::take_at_once(const fabric::Inbox::Message& message) {
  took_message_ = true;
  known_handlers_ = handler_count_.load(std::memory_order_acquire);  // partner: register_handler()
  if (!early_.empty()) [[unlikely]]
    (void)deliver_early();
  receive(message.label.source, message.label.handler, message.label.kind, message.payload);
}

bool Messenger::receive_messages() {
  // Acquire: the handlers. Partner: register_handler(). For all of this round, so that none overtakes an early one.
  known_handlers_ = handler_count_.load(std::memory_order_acquire);
  bool any = !early_.empty() && deliver_early();
  fabric::Inbox* inbox = endpoint_.inbox();
  for (int count = 0; inbox != nullptr && !inbox->is_empty() && count < messages_per_round; ++count) {
    any = true;
    struct Pop {
      fabric::Inbox& inbox;
      ~Pop() { inbox.pop(); }  // also when a handler throws
    } pop{*inbox};
    const auto& [label, payload] = inbox->front();
    receive(label.source, label.handler, label.kind, payload);
  }
  fabric::Endpoint::Received::Room room;
  for (int count = 0; count < messages_per_round; ++count) {
    const auto message = endpoint_.receive();
    if (!message) break;
    prefetch_behind(endpoint_, count);
    any = true;
    struct Release {
      fabric::Endpoint& endpoint;
      ~Release() { endpoint.release_message(); }  // also when a handler throws
    } release{endpoint_};
    receive(PeId(message->source), message->handler, message->kind, message->row(room));
  }
  return any;
}

// A message that comes alone is handled without a stop in the inbox. Returns what Endpoint::poll() does.
bool Messenger::poll_network() {
  if (!progress_.progress_owner().try_take()) return endpoint_.poll();
  bool arrived = false, took = false;
  {
    std::lock_guard leave(progress_.progress_owner(), std::adopt_lock);  // also when a handler throws
    arrived = endpoint_.poll(&taker_);
    took = std::exchange(took_message_, false);
  }
  // Other threads of this PE may wait for what the handler did.
  if (took) progress_.wake_threads();
  return arrived;
}

void Messenger::take_arrived() {
  ATOLL_EXPECT(!progress_.in_progress_here());
  bool worked = false;
  {
    std::lock_guard owner(progress_.progress_owner());
    // Messages that have reached this node and were not read.
    for (int look = 0, vain = 0; look < looks_for_arrived && vain < vain_looks_for_arrived; ++look) {
      if (endpoint_.poll()) {
        vain = 0;
      } else {
        ++vain;
        ::sched_yield();  // another thread may be at the network
      }
    }
    // Bounded, because live PEs continue to send. A round takes at least one message.
    for (std::uint64_t round = 0; round < fabric::ring_slots && endpoint_.message_waiting(); ++round)
      worked |= receive_messages();
  }
  if (worked) progress_.wake_threads();  // as in Progress::progress_slowly()
}

}  // namespace atl::runtime
