// SPDX-License-Identifier: Apache-2.0
// All that a part of a Matcher knows. Locking: `lock_` guards everything but the buffers of operations that have been
// matched. Threads outside handlers must not hold it while they send: sending makes progress, and handlers take it. A
// thread that has both takes the PE's progress first (Progress::Look), then this.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/base/owner.hpp"
#include "atoll/messaging/lists.hpp"
#include "atoll/runtime/counter.hpp"
#include "atoll/runtime/handler.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "wire.hpp"

namespace atl::runtime::matching {

/// The threads that may end an operation.
enum class Stage : std::uint8_t {
  posted,
  withheld,  ///< cancel() too: it can be taken back
  moving,            ///< owned by the lock's holder, if no thread holds it (see `holds`)
  landing,           ///< owned by the one thread that moves its data
};

class State;

/// A send or a receive. Pooled: it is reused once its Request was taken. What short messages need lies in the first two
/// lines.
struct alignas(fabric::cache_line) Operation {
  Link<Operation> link;  ///< in the posted receives, the sends withheld from one PE, or those that wait to move
  Pattern pattern;  ///< of a receive
  std::uint64_t order = 0;
  std::byte* memory = nullptr;
  std::uint64_t bytes = 0;  ///< size of the buffer
  Outcome outcome;  ///< its envelope is the message's; the source of a send is its target
  SendMode mode = SendMode::standard;
  Stage stage = Stage::moving;
  std::atomic<bool> complete{false};  ///< stored with release after outcome and data; waits acquire
  std::atomic<bool> taken_back{
      false};  ///< its Request was taken: no thread reads it any more. Released; allocate() acquires
  bool known = false;  ///< others know its id, or something below is set
  State* part = nullptr;  ///< whose it is
  std::uint64_t id = 0;  ///< index in the pool, and a generation above it
  const Scatter* scatter = nullptr;  ///< receive without memory: where it goes instead
  // Rendezvous.
  std::uint64_t partner = 0;  ///< receive: the sender's operation
  std::uint64_t place = no_place;  ///< receive: where it lies in the sender's segment
  static constexpr std::uint32_t no_lane = UINT32_MAX;
  std::uint32_t lane = no_lane;  ///< receive
  std::uint32_t holds = 0;  ///< threads that are sending it on its way, and use it without the lock: let_go()
  std::uint64_t length = 0;  ///< bytes to move
  std::uint64_t staged = 0;  ///< send: bytes put out in pieces; receive: bytes fetched
  std::uint64_t taken = 0;  ///< send: bytes of pieces that were fetched
  std::byte* staging = nullptr;  ///< send: two pieces
  bool without_room = false;  ///< send: it would have left, had its receiver room for unexpected messages
  bool awaits_put = false;  ///< receive: its sender may put into its memory
  Status told = Status::ok;  ///< the status with which fail() told its holders to end it
  std::unique_ptr<std::byte[]> row;  ///< receive: what `scatter` puts in its places when all of it is here

  Operation() { link.entry = this; }
};
static_assert(offsetof(Operation, id) <= 2 * fabric::cache_line);

/// A message that came before its receive.
struct Unexpected {
  Link<Unexpected> in_bin, in_order;
  Envelope envelope;
  std::uint64_t operation = 0;  ///< the sender's, of an announced message; 0: the payload is here
  std::uint64_t place = no_place;
  std::array<std::byte, short_payload> small;
  std::unique_ptr<std::byte[]> large;

  Unexpected() { in_bin.entry = in_order.entry = this; }
};

// A copy that a receiver has begun, in its heap, where the sender sees it.
//
// | offset | bytes | field      | valid when                                                          |
// |--------|-------|------------|---------------------------------------------------------------------|
// |   0    |   8   | next       | low half: the next piece to take; high half: the generation         |
// |   8    |   4   | written    | pieces that the sender has written                                  |
// |  12    |   4   | error      | 0, or why it could not write one                                    |
// |  16    |   4   | generation | the receiver's own: counts the uses of this place                   |
// |  20    |   1   | busy       | likewise: it is in use                                              |
struct alignas(fabric::cache_line) SharedCopy {
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint32_t> written{0};
  std::atomic<std::int32_t> error{0};
  std::uint32_t generation = 0;
  bool busy = false;
};
static_assert(sizeof(SharedCopy) == 64);

class State {
 public:
  State(Context& context, const MatcherOptions& options);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Operation* send(PeId to, std::uint64_t tag, std::span<const std::byte> data, SendMode mode, std::uint64_t label);
  bool send_now(PeId to, std::uint64_t tag, std::span<const std::byte> data, std::uint64_t label);
  Operation* receive(const Pattern& pattern, const Target& into);
  bool receive_now(const Pattern& pattern, const Target& into, Outcome& outcome);
  bool receive_if_here(const Pattern& pattern, const Target& into, Outcome& outcome) {
    // What is next is likely to be for one that waits already.
    return posted_.count() == 0 && pe_.one_sided.endpoint().message_waiting() &&
           receive_at_once(pattern, into, 1, outcome);
  }
  /// While others of the PE are kept away from the lists and the ring. False: nothing was done, but for other messages.
  bool receive_at_once(const Pattern& pattern, const Target& into, int looks, Outcome& outcome);
  /// For a thread that waits for `wanted`: takes messages from the ring as long as they are short and each is for a
  /// receive that waits, with one lock for all.
  void take_awaited(const Operation& wanted);
  void take_posted(const Operation& wanted, int looks);
  Operation* receive(Unexpected& claimed, const Target& into);
  std::optional<Envelope> probe(const Pattern& pattern);
  Unexpected* claim(const Pattern& pattern);
  bool cancel(Operation& operation);
  void fail(Status why, const std::function<bool(PeId, std::uint64_t)>& which);
  static Outcome release(Operation& operation);
  /// Of a send that waits because its receiver has no room for unexpected messages.
  std::optional<PeId> receiver_without_room(const Operation& send) const;
  /// What this PE may have waiting at another.
  std::uint64_t window_bytes() const { return window_bytes_; }
  std::uint32_t window_messages() const { return window_messages_; }
  MatcherStats stats();
  /// Two threads at a time may count once: a locked addition would be seen in the latency.
  void count_wait() { waits_.store(waits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  /// Registers the message handler, which shares the state: messages may still come when the Matcher is gone.
  void listen(std::shared_ptr<State> self);
  /// Gives counters and memory back.
  void close();
  Context& context() { return context_; }

 private:
  void check_peer(PeId pe) const;
  bool is_unlikely(const Pattern& pattern);  // under the lock
  void take_in(PeId source, std::span<const std::byte> payload);
  static std::size_t read_header(const std::byte* message, std::size_t bytes, Header& header);

  // Of each peer. As sender: what we may still send it. As receiver: what it sent that we have taken since.
  struct alignas(fabric::cache_line) Peer {
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    std::uint64_t returned_bytes = 0;
    std::uint32_t returned_messages = 0;
    std::uint32_t lent = 0;  ///< messages allowed above its share
    bool withholds = false;  ///< it keeps messages back
    bool said_withheld = false;  ///< we keep messages back, and it knows
    std::unique_ptr<List<Operation>> waiting;  ///< our messages for it, for which there was no credit
  };
  /// One of the transfers into this PE that may run at once. What may be fetched is counted, and triggers the get; so
  /// is what the sender has put, and triggers what follows.
  struct Lane {
    CounterId ready, arrived;
    std::uint64_t gets = 0, arrivals = 0;  // that were queued on them
    bool busy = false;
  };

  // All of these under the lock.
  Operation* allocate();
  Operation* operation_of(std::uint64_t id);
  Operation* wanted_operation(std::uint64_t id);
  Operation* hold(std::uint64_t id);
  Operation* next_on_lane();
  void end(Operation& operation, Status why, std::vector<Operation*>& next);
  std::byte* take_staging();
  Operation* pass_on_staging(std::byte* staging);
  void leave_staging(Operation& send, Status why, std::vector<Operation*>& next);
  void take_left_staging(const std::function<bool(PeId, std::uint64_t)>& which, std::vector<Operation*>& next);
  Header header_for(PeId pe, Kind kind);
  Header eager_header_for(PeId pe, std::uint64_t tag, std::uint64_t label);
  Header announcement(Operation& operation);
  bool taken(PeId source, std::uint64_t payload);
  Header lend(PeId pe);
  void lend(const Pattern& pattern, std::vector<std::pair<PeId, Header>>& loans);
  Peer fresh_peer() const;
  Peer& peer_of(PeId pe) { return pe.value() < peers_.size() ? peers_[pe.value()] : guest_peer(pe); }
  [[gnu::noinline]] Peer& guest_peer(PeId pe);
  static void aim(Operation& receive, const Target& into);
  static void take_up(Operation& receive, const Envelope& envelope, bool announced);
  void count_received(const Envelope& envelope, std::uint64_t room);
  void credit(PeId source, const Header& header);
  void store(PeId source, const Header& header, std::span<const std::byte> payload);
  void free_unexpected(Unexpected& message);
  void drain(PeId pe);
  // Without it.
  static void finish(Operation& operation, Status status);
  void tell(PeId pe, const Header& header, std::span<const std::byte> payload = {});
  static Status copy_out(const fabric::Endpoint::Received& message, std::size_t header_bytes, const Target& into);
  static Status copy_out(std::span<const std::byte> payload, const Target& into);
  static void deliver(Operation& receive, const std::byte* payload);
  void on_message(PeId source, const Header& header, const std::byte* payload);
  void on_withheld(PeId source);
  void let_go(std::uint64_t id);
  // Of operations that the caller holds: they let them go.
  void start(Operation& receive);
  void queue(Operation& receive);
  void get_then(Operation& receive, std::uint64_t begin, std::uint64_t place, std::uint64_t bytes,
                std::function<void()> arrived);
  void put_out_pieces(Operation& send);
  // Until here.
  void refuse_pieces(Operation& send);
  void go_on(Operation& waiting) { waiting.staging != nullptr ? put_out_pieces(waiting) : queue(waiting); }
  bool read_private(Operation& receive);
  void tell_finished(Operation& receive, Status status);
  static Status line_up(Operation& receive, std::uint64_t bytes);
  SharedCopy* open_shared_copy(std::uint64_t length);
  void close_shared_copy(SharedCopy& copy);
  bool await_written(const SharedCopy& copy, std::uint64_t count, PeId source) const;
  void help_copy(PeId source, const Header& header, const std::byte* payload);
  static void land_row(Operation& receive);
  /// Nothing, if the operation with this id has ended meanwhile (see fail).
  void complete_transfer(Operation& receive, std::uint64_t id, Status status);
  void on_proceed(PeId source, const Header& header);
  void on_piece(PeId source, const Header& header);
  void on_piece_done(const Header& header);
  bool asks_sender() const;
  bool requests_may_end() const;
  void on_finished(PeId source, const Header& header);
  void on_confirmed(const Header& header);
  void take_from(Unexpected& message, Operation& receive);
  std::uint64_t place_of(const std::byte* memory, std::uint64_t bytes) const;

  Context& context_;
  Parts pe_;
  MatcherOptions options_;
  HandlerId handler_{};
  std::uint64_t window_bytes_;
  std::uint32_t window_messages_;
  mutable Owner lock_;
  std::vector<Peer> peers_;  // of the PEs that the job began with
  std::vector<Peer> cohort_peers_;  // of a guest: those that came with it
  std::unordered_map<std::uint32_t, Peer> guest_peers_;  // other guests with which it has exchanged messages, by PE
  std::uint32_t withholding_ = 0;  // peers that keep messages back
  PostedList<Operation> posted_;
  UnexpectedList<Unexpected> unexpected_;
  std::uint64_t unexpected_bytes_ = 0;
  std::uint64_t withheld_ = 0;
  std::uint64_t sent_messages_ = 0, sent_bytes_ = 0, received_messages_ = 0, received_bytes_ = 0, early_messages_ = 0;
  std::atomic<std::uint64_t> waits_{0};
  std::deque<Operation> operations_;
  std::vector<Operation*> pool_;  // all, by index
  std::size_t oldest_ = 0;  // in the pool: in use for longest
  std::deque<Unexpected> messages_;
  List<Unexpected> free_messages_;
  std::vector<Lane> lanes_;  // once something goes on them
  List<Operation> want_lane_;
  std::vector<std::byte*> staging_;  // blocks not in use
  struct LeftStaging {
    std::uint64_t send;  // its id: it has ended
    Envelope message;  // its source is the target
    std::byte* staging;
    std::uint64_t bytes;  // that the receiver may be fetching yet
  };
  std::vector<LeftStaging> left_staging_;
  std::uint32_t staging_made_ = 0;
  static constexpr std::size_t most_shared_copies = 8;
  SharedCopy* shared_copies_ = nullptr;  // in our heap, once there is one
  List<Operation> want_staging_;
};

}  // namespace atl::runtime::matching
