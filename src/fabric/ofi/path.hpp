// SPDX-License-Identifier: Apache-2.0
// The RemotePath over libfabric. Atomics, active messages, and short puts and gets to a PE with operations in progress
// are messages, which the target's process carries out; all other puts and gets are RMA writes and reads. A long put
// with a signal, if it is the first since quiet(), is a write that carries its header to a slot of the target or in its
// completion data: the target handles it like a message whose payload is in place already.
//
// Completion. Each peer counts our operations that it has carried out. The count returns in the header of its next
// message; in an acknowledgement of the first operation since quiet(), because quiet() usually follows; and when
// quiet() requests it. Messages arrive in order, behind earlier writes, so an operation is complete when the peer has
// counted it or a later one. Short RMA writes report their own completion. Networks may complete a message before a
// long one that was sent earlier (ofi_rxm does), so headers contain sequence numbers.
//
// Flow control. A peer has at most `most_under_way` of our operations and `most_messages` of our active messages
// uncounted. An active message that finds the inbox full waits here, and is counted when it is in the inbox.
// QueuedOperation operations (queueing.hpp) that exceed a limit are queued in the peer's backlog (backlog.cpp), which
// poll() starts.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../borrower.hpp"
#include "../growing.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/owner.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/fabric/queueing.hpp"
#include "backlog.hpp"
#include "device.hpp"
#include "meet.hpp"
#include "wire.hpp"

namespace atl::fabric::ofi {

class Path final : public RemotePath, public Borrower, public Queueing, public Growing {
 public:
  /// `lane`: index among the process's paths, which selects its part of a card. The first path also sends news and
  /// monitors the neighbour. `cards`: the cards of all PEs, by PE; those of this node are ignored, and a PE that has
  /// not joined has an empty one. Throws SetupError like meet().
  Path(Job& job, PeId self, std::unique_ptr<Device> device, const std::vector<std::string>& cards, std::size_t lane);
  /// Notifies all peers that were used, and waits at most a second until they have received it.
  ~Path() override;

  void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) override;
  void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) override;
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  AtomicOp how) override;
  void deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
               std::uint64_t value) override;
  void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) override;
  void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) override;
  std::uint64_t atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                       std::uint64_t expected) override;
  void update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) override;
  void queue_put(PeId pe, HeapOffset to, const void* from, std::size_t bytes, QueuedCompletion* completion) override;
  void queue_put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                        std::uint64_t value, AtomicOp how) override;
  void queue_get(void* to, PeId pe, HeapOffset from, std::size_t bytes, QueuedCompletion* completion) override;
  void queue_update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) override;
  void queue_atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand, std::uint64_t expected,
                    void* old) override;
  std::size_t longest_message() const override { return longest_message_; }
  Inbox* inbox() override { return &inbox_; }
  Status try_send(PeId pe, MessageLabel label, const MessageParts& parts) override;
  void post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) override;
  void ring(PeId pe) override;
  void fence() override;
  void quiet() override;
  void admit(PeId pe, const std::string& card) override;
  void dismiss(PeId pe) override;
  bool has_left(PeId pe) override;
  bool progress(const Inbox::Taker* taker) override;
  void abandon() noexcept override;
  void stop_polling() override;
  void tell(const News& news) noexcept override;

  /// Whether this thread is inside this path, in a handler or a wait.
  bool is_held_here() const { return owner_.is_mine(); }
  /// Whether any data has arrived on this path.
  bool is_used() const { return used_.load(std::memory_order_relaxed); }

 private:
  using Bytes = std::span<const std::byte>;
  static constexpr std::uint32_t most_under_way = 512;
  // Limit of bytes in long transfers per peer: far more than a network holds in flight; 2 s at 1 Gb/s.
  static constexpr std::size_t most_transferring = std::size_t{256} << 20;
  // Limits for puts with a signal: shorter ones than the first are messages, shorter ones than the second are sent from
  // a copy.
  static constexpr std::size_t worth_noting = 256, worth_writing = 4096;

  struct Packet {  // a message that has to wait for room
    Header header;
    std::vector<std::byte> payload;
  };
  struct alignas(cache_line) Peer {
    // Counters that each message updates, in one cache line.
    std::uint32_t sent = 0;  // operations sent to it
    std::uint32_t complete = 0;  // operations that it has counted
    std::uint32_t posted = 0;  // all that was sent there, and the last of it that is known to have arrived
    std::uint32_t arrived = 0;
    std::uint32_t counted = 0;  // the last operation among those
    std::uint32_t messages = 0;  // active messages sent, and those that are in its inbox, by weight
    std::uint32_t messages_taken = 0;
    std::uint32_t done = 0;  // its operations carried out here, and what it was told of that
    std::uint32_t told_done = 0;
    std::uint32_t taken = 0;  // likewise its active messages
    std::uint32_t told_taken = 0;
    std::uint32_t written_read = 0;  // headers that it has read, of those written to its slots
    std::uint32_t read = 0;  // its headers, read from our slots, and what it was told of that
    std::uint32_t told_read = 0;
    std::uint32_t headers = 0;  // sent there, and those of its that were handled here
    std::uint32_t handled = 0;

    RemoteMemory memory;
    bool used = false;  // data was sent there
    bool heard = false;  // data has arrived since the last check
    bool gone = false;  // it has left or failed
    bool dead = false;  // it has failed, and the program survives that
    bool queued = false;  // in waiting_: its outbox is not empty
    bool owed = false;  // in owed_: it must get an acknowledgement
    bool dirty = false;  // in dirty_
    bool answers = false;  // an acknowledgement was requested since quiet()
    bool unflushed = false;  // writes were sent after the last message
    bool fenced = false;  // further data must not overtake earlier data
    std::uint8_t signal_by =
        0;  // how the word there was signalled last, and the one here that it has signalled last: AtomicOp
    std::uint8_t signalled_by = 0;
    std::uint64_t signal = 0;  // and these words
    std::uint64_t signalled = 0;
    std::uint32_t number = 0;  // PE
    std::uint32_t held_back = 0;  // operations waiting in the outbox
    std::uint32_t putting = 0;  // undelivered RMA puts, at most one
    std::uint32_t put = 0;  // the number of that put
    std::uint32_t written = 0;  // headers written to its slots
    std::uint32_t buffers = 0;  // send buffers of the device that data for it occupies
    std::uint32_t answers_due = 0;  // requests in requests_
    std::uint32_t asked = 0;  // the last operation for which an immediate acknowledgement was requested
    std::size_t transferring = 0;  // bytes of writes and reads in progress
    std::deque<Packet> outbox;
    std::unique_ptr<Backlog> backlog;  // null: no operation has been queued
    std::vector<Pending*> lost;  // counts of transfers that failed, which quiet() still waits for
    std::int64_t failed_at = 0;  // time of the first failed transfer, 0: none has failed
    std::int64_t heard_at = 0;  // time of the last arrival; 0: none is expected
    std::string failure;
  };
  struct Request {
    std::byte* to = nullptr;
    std::uint32_t bytes = 0;
    Pending* pending = nullptr;
    std::uint32_t peer = 0;
    std::uint32_t number = 0;  // of what was sent there
    bool active = false;
  };
  struct Arrival {  // fits into two registers
    Operation* operation;  // null: a write
    std::uint64_t what;  // so many bytes came; what the write told
  };
  struct InHand {  // an active message on its way to the taker
    Inbox::Message message;
    Operation* operation = nullptr;  // what it came into; null: there is none
  };
  struct Parked {  // an active message that found the inbox full
    MessageLabel label;
    Inbox::Payload payload;
  };

  // Locks the path for this thread. Inside a handler the thread holds the lock already.
  class Hold {
   public:
    explicit Hold(Path& path) : path_(path), nested_(path.is_held_here()) {
      if (!nested_) [[likely]]
        path_.owner_.take();
    }
    Hold(Path& path, std::adopt_lock_t) : path_(path), nested_(false) {}  // which this thread has just taken
    ~Hold() {
      if (!nested_) [[likely]]
        path_.owner_.leave();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    /// Releases the lock for a short time, longer after more polls without arrivals.
    void rest(int rounds);

   private:
    Path& path_;
    bool nested_;
  };

  // Sets a value during its own lifetime.
  template <class T>
  class Meanwhile {
   public:
    Meanwhile(T& what, T value) : what_(what) { what_ = value; }
    ~Meanwhile() { what_ = T{}; }
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

   private:
    T& what_;
  };

  // A transfer that has not started yet: returned unless the network accepts it.
  class Prepared {
   public:
    explicit Prepared(Device& device) : device_(device), operation_(&device.take_transfer()) {}
    ~Prepared() {
      if (operation_ != nullptr) device_.give_back_transfer(*operation_);
    }
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    Operation& operator*() const { return *operation_; }
    void went() { operation_ = nullptr; }

   private:
    Device& device_;
    Operation* operation_;
  };

  // The operations for which one caller waits. Created and destroyed while it holds the path. When the caller's frame
  // is unwound before they finish, because a PE has failed, they no longer refer to the frame or the caller's memory.
  struct Awaited {
    explicit Awaited(Path& path) : path_(path) {}
    ~Awaited();
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;
    Pending pending;

   private:
    Path& path_;
  };

  Peer& peer(PeId pe) { return peers_[pe.value()]; }
  bool is_far(std::uint32_t pe) const { return pe < peers_.size() && peers_[pe].memory.address != FI_ADDR_UNSPEC; }
  // Not exact when several threads poll.
  void count_poll() { polls_.store(polls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  bool settled(const Peer& peer) const { return (peer.complete == peer.sent && peer.putting == 0) || peer.gone; }
  bool settled(const Sent& sent) const {
    const Peer& to = peers_[sent.pe];
    bool is_put = !sent.putting || to.putting == 0 || to.put != sent.put;
    return to.gone || (static_cast<std::int32_t>(to.complete - sent.operations) >= 0 && is_put);
  }
  Sent sent_to(PeId pe) const {
    const Peer& to = peers_[pe.value()];
    return {pe.value(), to.sent, to.putting != 0, to.put};
  }
  void release(const std::function<bool(const Pending*)>& is_such, Pending* instead);
  // A transfer that was counted there is complete.
  void count_off(Pending& pending) {
    if (--pending.left == 0 && pending.whole != nullptr) [[unlikely]]
      finish_tracked(*pending.whole);
  }
  void finish_tracked(Tracked& operation);
  // The counter for a write or read whose memory the caller keeps until quiet().
  Pending& lent(Outstanding& outstanding) {
    lent_.store(
        true,
        std::memory_order_relaxed);  // abandon() looks while it holds the path, or finds it set by the same thread
    return outstanding.count();
  }
  bool is_for_quiet(const Pending* pending) const {
    return pending->whole != nullptr || writes_.is_count(pending) || gets_.is_count(pending);
  }
  // An acknowledgement is requested for the first operation since quiet(), because quiet() usually follows, and for a
  // thread that waits already.
  static Acknowledge acknowledgement(const Peer& peer, MessageType type) {
    bool waited_for = !peer.answers || type == MessageType::flush || type == MessageType::bye;
    return waited_for ? Acknowledge::at_once : Acknowledge::later;
  }
  // Whether no data to this peer is in flight.
  bool idle(const Peer& peer) const { return peer.posted == peer.arrived && !peer.queued && !peer.gone; }
  void note_arrived(Peer& peer, std::uint32_t number) {
    if (static_cast<std::int32_t>(number - peer.arrived) > 0) peer.arrived = number;
  }

  // Sending (send.cpp, path.cpp).
  void send_operation(PeId pe, Header header, Bytes payload);
  void count_operation(Peer& to, Acknowledge acknowledge);
  void ask_for_all(PeId pe);
  void send(PeId pe, Header header, Bytes first, Bytes second);
  template <class Fill>
  [[gnu::always_inline]] bool transmit(Peer& to, Fill&& fill, const MessageParts& parts);
  bool try_transmit(Peer& to, const Header& header, const MessageParts& parts);
  Status try_send_long(PeId pe, MessageLabel label, const MessageParts& parts);
  bool takes_message(const Peer& to);
  bool send_long(Hold& hold, Peer& to, Header header, const MessageParts& parts);
  bool may_write_now(const Peer& to, Bytes payload, Registrations::Loan& loan);
  bool write_went(Peer& to, Operation& operation, int status);
  bool write_with_header(PeId pe, Header header, HeapOffset to, Bytes payload, Pending& pending);
  bool knows_counts(const Peer& to) const;
  bool write_with_note(PeId pe, Note note, HeapOffset to, Bytes payload, Pending& pending);
  void tell_counts(const Peer& to, Header& header) const;
  void count_header(Peer& to, Acknowledge acknowledge);
  void count_full_header(Peer& to, Acknowledge acknowledge);
  void note_sent(Peer& to, const Header& header);
  // Returns false when there was no room. After other errors the data is dropped: the peer has left, or its failure
  // will be detected soon.
  bool went(Peer& to, int status) {
    if (status != 0 && status != -FI_EAGAIN) [[unlikely]]
      note_failure(to, status);
    return status != -FI_EAGAIN;
  }
  void note_failure(Peer& peer, int error);
  template <class Start>
  void transfer(Hold& hold, Peer& with, std::size_t bytes, Pending& pending, Start&& start);
  // Messages to the peer queue behind transfers under way, and a peer that is silent for too long counts as failed.
  static bool may_transfer(const Peer& with, std::size_t bytes) {
    return with.transferring == 0 || with.transferring + bytes <= most_transferring || with.gone;
  }
  template <class Start>
  bool try_transfer(Peer& with, std::size_t bytes, Pending& pending, Start&& start);
  void note_written(Peer& target);
  void write(Hold& hold, PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes, Pending& pending);
  template <class Tell>
  void write_through(Hold& hold, PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes, Tell&& tell);
  bool may_write(const Peer& target, const void* from, std::size_t bytes, Registrations::Loan& loan);
  bool may_put_directly(const Peer& target, std::size_t bytes) const;
  bool put_directly(PeId pe, HeapOffset to, const void* from, std::size_t bytes);
  void put_by_message(PeId pe, HeapOffset to, const void* from, std::size_t bytes);
  bool may_fetch(const Peer& source) const;
  bool try_fetch(PeId pe, std::byte* to, HeapOffset from, std::size_t bytes, Pending& pending);
  bool put_with_signal_by_write(PeId pe, const Header& header, Bytes payload, Pending& pending);
  void put_with_signal(PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes, HeapOffset signal,
                       std::uint64_t value, AtomicOp how, Acknowledge acknowledge);
  void put_by_messages(Hold& hold, PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes);
  void send_update(PeId pe, const Atomic& update);
  void wait_for_room(Hold& hold, const Peer& to);
  void start_get(Hold& hold, std::byte* to, PeId pe, HeapOffset from, std::size_t bytes, Pending& pending);
  void ask_for_part(PeId pe, std::byte* to, HeapOffset from, std::size_t bytes, Pending& pending);
  void ask_for_atomic(PeId pe, const Atomic& atomic, std::byte* old, std::uint32_t bytes, Pending& pending);
  std::uint32_t add_request(PeId pe, std::byte* to, std::uint32_t bytes, Pending& pending);
  void mark_dirty(Peer& to);
  void throw_gone(PeId pe) const;
  void check();
  void note_deaths();
  void meet_peer(PeId pe, const std::string& card);
  std::uint32_t peers_end() const { return static_cast<std::uint32_t>(peers_.size()); }
  // Whether messages to it are dropped: in a job that continues after failures, PEs may leave without synchronising.
  bool drops(const Peer& to) const { return to.gone && job_.has_failed() && !job_.is_ending(); }
  template <class Ready>
  void wait(Hold& hold, Ready&& ready);

  // Queueing operations (backlog.cpp).
  bool has_window(const Peer& to) const { return (!to.queued && to.sent - to.complete < most_under_way) || to.gone; }
  bool has_buffer(const Peer& to, std::size_t payload_bytes) const;
  // A number that changes when the peer makes progress.
  std::uint64_t progress_of(const Peer& to) const {
    return std::uint64_t{1} + to.handled + to.arrived + to.complete + to.transferring + to.backlog->started;
  }
  void start_or_queue(PeId pe, QueuedOperation&& operation, QueuedCompletion* completion = nullptr);
  Pending& transfers_of(const QueuedOperation& operation, Outstanding& outstanding) {
    return operation.tracked != nullptr ? operation.tracked->transfers : lent(outstanding);
  }
  void note_started(const QueuedOperation& operation) {
    if (operation.tracked != nullptr) count_off(operation.tracked->transfers);
  }
  void enqueue(Hold& hold, PeId pe, QueuedOperation& operation);
  template <class Ready>
  void wait_while_progressing(Hold& hold, const Peer& peer, Ready&& ready);
  void track(PeId pe, QueuedOperation& operation, QueuedCompletion& completion);
  bool start(PeId pe, QueuedOperation& operation);
  bool advance(PeId pe, QueuedOperation& operation);
  bool advance_by_writes(PeId pe, QueuedOperation& put);
  bool advance_by_messages(PeId pe, QueuedOperation& put, std::size_t rest);
  bool advance_by_reads(PeId pe, QueuedOperation& get);
  bool may_write_rest(Peer& target, const QueuedOperation& put, Registrations::Loan& loan);
  bool advance_put(PeId pe, QueuedOperation& put);
  bool advance_put_signal(PeId pe, QueuedOperation& put);
  bool advance_get(PeId pe, QueuedOperation& get);
  bool advance_atomic(PeId pe, const QueuedOperation& atomic);
  bool advance_backlogs();
  void drop_backlog(Peer& of);
  void start_backlog(Hold& hold, const Peer& of);
  void start_backlogs(Hold& hold);

  // Receiving (receive.cpp).
  bool poll();
  bool has_arrivals() const { return next_arrival_ != arrivals_.size(); }
  bool take_completions();
  bool take_other(const Completion& one);
  void finish(Operation& operation);
  bool handle_arrivals();
  void take_arrival(Arrival arrival, bool last);
  void handle_arrival(Arrival arrival);
  void drop(Arrival arrival);
  Bytes message_of(Arrival arrival) const;
  const Header& read_header(Arrival arrival, Header& of_note) const;
  Header header_of_note(const Note& note) const;
  bool is_next(const Header& header) const;
  void handle_next(const Header& header, Arrival arrival);
  bool take_signal(std::uint64_t told);
  std::optional<Arrival> take_early();
  enum class Came { sent, written };
  void count_arrival(Peer& from, Came came);
  void count_done(Peer& from, Acknowledge acknowledge);
  void handle(const Header& header, Bytes payload);
  void carry_out(const Header& header, Bytes payload);
  void answer_get(const Header& header, PeId to);
  void finish_request(const Header& header, Bytes payload);
  void note_taken(PeId source, std::size_t bytes);
  Inbox::Payload keep(Bytes payload, std::uint32_t source, Operation& arrived);
  bool take_message(const Header& header, Bytes payload, Operation* arrived);
  void keep_message(MessageLabel label, Bytes payload, Operation& arrived);
  void collect_receive();
  void take_leave_of(PeId pe);
  void take_news(Bytes payload);
  bool place_parked();
  bool send_waiting();
  void owe(Peer& to);
  void send_owed();
  std::byte* own(std::uint64_t offset, std::size_t bytes) const;
  void repost(Operation& operation);
  void fail_operation(Operation& operation, int error);

  // The agent thread (agent.cpp), which makes progress while no other thread does.
  void run_agent();
  enum class Woken { by_time, by_network, by_process };
  void set_alarm(std::int64_t after_ns);
  Woken nap(std::int64_t limit_ns);
  void put_off_agent();
  void watch(bool network);
  Woken sleep(int limit_ms);
  Woken take_wake();
  void look_after_peers();
  bool look_for_sign(PeId pe, bool expected);
  std::optional<PeId> first_alive_on(std::uint32_t node) const;
  std::optional<PeId> next_leader() const;
  bool is_expected_to_answer(PeId pe) const;
  void lose(PeId pe, const std::string& why);
  void say_goodbye();

  Job& job_;
  PeId self_;
  std::byte* segment_;
  std::uint64_t segment_bytes_;
  std::unique_ptr<Device> device_;
  std::size_t lane_;
  std::size_t longest_message_;  // of those that all peers receive
  std::atomic<bool> used_{false};

  Owner owner_;  // guards all that follows
  std::vector<Peer> peers_;  // by PE; never moved: there is room for all places
  bool handling_ = false;
  std::vector<Arrival> arrivals_;  // in order, of which those before next_arrival_ were looked at
  std::size_t next_arrival_ = 0;
  std::uint32_t last_source_ = UINT32_MAX;  // PE of the last arrival
  std::vector<Arrival> early_;  // what their peer sent before them has not come yet
  enum class Hand { none, free, full };
  Hand hand_ = Hand::none;  // of the polling thread: whether it takes the next message, or has taken one
  std::atomic<Operation*> given_back_{nullptr};  // a receive that was in hand
  std::deque<Parked> parked_;
  std::vector<std::uint32_t> dirty_, owed_, waiting_;  // PEs
  std::vector<std::uint32_t> backlogged_;  // PEs whose backlog is not empty
  std::size_t queued_operations_ = 0;  // operations in backlogs
  std::size_t most_queued_ = 0;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_requests_;
  Outstanding writes_, gets_;  // that are only waited for together
  TrackedOperations tracked_;
  Pending abandoned_;  // of callers that wait no more
  std::atomic<bool> lent_{false};  // memory was given to put_nbi() or get_nbi() since the last abandon()
  bool gets_abandoned_ = false;  // since the last quiet()
  std::uint32_t sleepers_ = 0;  // callers that wait, asleep
  bool changed_memory_ = false;  // by what arrived: the PE may wait for it
  bool chores_ = false;  // something may wait in arrivals_, parked_, waiting_, backlogged_ or owed_
  bool any_failed_ = false;  // some peer's failed_at is set
  std::uint32_t deaths_noted_ = 0;  // of the job
  unsigned vain_looks_ = 0;  // by which nothing came
  std::int64_t put_off_at_ns_ = 0;  // when the agent was put off last
  bool direct_ = false;  // short puts and gets by the network, where nothing else is under way

  std::atomic<std::uint64_t> polls_{0};  // by others than the agent
  std::atomic<bool> stop_{false};
  std::atomic<bool> napping_{false};  // the agent sleeps although something may come
  std::atomic<bool> take_over_{false};  // it is asked not to
  int wake_ = -1;  // an eventfd: ends the agent's sleep
  int alarm_ = -1;  // a timerfd: ends its nap
  std::atomic<std::int64_t> must_look_ns_{0};  // until then others may put that off
  int network_or_wake_ = -1;  // an epoll
  bool watched_ = false;  // the network's descriptors are in it
  std::int64_t patience_ns_ = 0;  // ATOLL_PEER_TIMEOUT; 0: for ever
  std::int64_t next_look_ns_ = 0;
  std::thread agent_;
  InHand in_hand_;  // of the thread that polls with a taker: one at a time
  Inbox inbox_;  // last: it is long
};

template <class Ready>
void Path::wait(Hold& hold, Ready&& ready) {
  ATOLL_EXPECT(!handling_);
  for (int rounds = 0; !ready(); ++rounds) {
    if (poll()) {
      rounds = 0;
      continue;
    }
    check();
    hold.rest(rounds);
  }
}

// One write or read. One that fails never completes: a caller that waits for it is told of the peer's end. False: there
// is no room just now.
template <class Start>
bool Path::try_transfer(Peer& with, std::size_t bytes, Pending& pending, Start&& start) {
  if (!may_transfer(with, bytes)) return false;
  Prepared prepared(*device_);
  Operation& operation = *prepared;
  operation.peer = with.number;
  operation.pending = &pending;
  operation.bytes = static_cast<std::uint32_t>(bytes);
  int status = start(operation);
  if (status == -FI_EAGAIN && !with.dead) return false;
  ++pending.left;
  if (status == 0) {
    prepared.went();
    with.transferring += bytes;
    return true;
  }
  note_failure(with, status);
  if (!is_for_quiet(&pending)) return true;
  if (with.gone) count_off(pending);
  else with.lost.push_back(&pending);
  return true;
}

}  // namespace atl::fabric::ofi
