// SPDX-License-Identifier: Apache-2.0
// The endpoint contract: put, get, atomics and messages to any PE. For a PE whose segment is mapped (every PE of this
// node) each is inline: a bounds check, a table look-up and a load, store or CPU atomic; no lock, no allocation, no
// system call, no virtual call. Any other PE goes through the job's RemotePath.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "atoll/base/assertion.hpp"
#include "atoll/base/ids.hpp"
#include "atoll/base/prefetch.hpp"
#include "atoll/base/status.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::fabric {

/// Types with remote atomics: 32- and 64-bit integers; float and double for fetch, set and swap.
template <class T>
concept AtomicType = (std::is_integral_v<T> || std::is_floating_point_v<T>) && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T>
concept AtomicInteger = AtomicType<T> && std::is_integral_v<T>;

/// Traffic of an endpoint. `*_messages` count operations of any size.
struct Traffic {
  std::uint64_t put_bytes = 0, put_messages = 0;
  std::uint64_t get_bytes = 0, get_messages = 0;
  std::uint64_t atomic_messages = 0;
  std::uint64_t am_bytes = 0, am_messages = 0;

  Traffic& operator+=(const Traffic& other);
};

/// A thread's access to the fabric. Threads may share an endpoint, but then the traffic counters may lose counts.
/// Create one per thread for exact counts.
class Endpoint {
 public:
  /// For `self`, a PE of this node. The job must be connected when it spans nodes.
  Endpoint(std::shared_ptr<Job> job, PeId self);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  PeId pe() const { return self_; }
  std::uint32_t npes() const { return npes_; }
  std::uint64_t segment_bytes() const { return segment_bytes_; }
  Job& job() const { return *job_; }

  /// Whether the peer's memory is mapped.
  bool maps(PeId pe) const {
    return bases_[pe.value()] != nullptr || (pe.value() >= first_guest_ && job_->find_guest(pe));
  }
  /// The address of the peer's memory in this process; null when it is not mapped. Throws IndexError outside the
  /// segment.
  std::byte* address(PeId pe, HeapOffset at, std::size_t bytes) const {
    if (pe.value() >= npes_ || at.value() > segment_bytes_ || bytes > segment_bytes_ - at.value()) [[unlikely]]
      throw_outside(pe, at, bytes);
    std::byte* base = bases_[pe.value()];
    return base == nullptr ? nullptr : base + at.value();
  }

  /// Copies to the peer. On return `from` may be reused (source completion); quiet() completes the put at the target.
  /// 1, 2, 4 and 8 aligned bytes are written atomically. Wakes a sleeping peer.
  void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
    std::byte* target = address(pe, to, bytes);
    count(traffic_.put_bytes, traffic_.put_messages, bytes);
    if (target == nullptr) [[unlikely]]
      return remote_->put(pe, to, from, bytes);
    copy_in(target, from, bytes);
    ring_bell(records_[pe.value()]);
  }

  /// The same, but `from` must not change until quiet().
  void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
    if (address(pe, to, bytes) != nullptr) [[likely]]
      return put(pe, to, from, bytes);
    count(traffic_.put_bytes, traffic_.put_messages, bytes);
    remote_->put_nbi(pe, to, from, bytes);
  }

  /// Stores one value; the fast form of put for scalars.
  template <class T>
  void put_value(PeId pe, HeapOffset to, T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    put(pe, to, &value, sizeof(T));
  }

  /// Copies from the peer. Complete on return.
  void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
    std::byte* source = address(pe, from, bytes);
    count(traffic_.get_bytes, traffic_.get_messages, bytes);
    if (source == nullptr) [[unlikely]]
      return remote_->get(to, pe, from, bytes);
    copy_out(to, source, bytes);
  }

  /// The same, but completed by quiet().
  void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
    if (address(pe, from, bytes) != nullptr) [[likely]]
      return get(to, pe, from, bytes);
    count(traffic_.get_bytes, traffic_.get_messages, bytes);
    remote_->get_nbi(to, pe, from, bytes);
  }

  template <class T>
  T get_value(PeId pe, HeapOffset from) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    T value;
    get(&value, pe, from, sizeof(T));
    return value;
  }

  /// put(), followed by an update of the signal word (set or add `value`), which becomes visible only after the data.
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  AtomicOp how = AtomicOp::set) {
    if (bytes != 0) {
      std::byte* target = address(pe, to, bytes);
      count(traffic_.put_bytes, traffic_.put_messages, bytes);
      if (target == nullptr) [[unlikely]] {
        (void)atomic_address(pe, signal, sizeof(value));
        return remote_->put_signal(pe, to, from, bytes, signal, value, how);
      }
      std::memcpy(target, from, bytes);  // the signal wakes the peer
    }
    if (how == AtomicOp::set) set<std::uint64_t>(pe, signal, value);
    else add<std::uint64_t>(pe, signal, value);
  }

  /// put_signal() with AtomicOp::set for protocols that detect arrival themselves: quiet() need not wait for it.
  void deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value) {
    if (maps(pe)) return put_signal(pe, to, from, bytes, signal, value);
    (void)address(pe, to, bytes);
    (void)atomic_address(pe, signal, sizeof(value));
    if (bytes != 0) count(traffic_.put_bytes, traffic_.put_messages, bytes);
    remote_->deliver(pe, to, from, bytes, signal, value);
  }

  // Atomics on aligned words. All are acquire-release, so that an update publishes earlier writes of its PE: partners
  // are each other, and the acquire loads of waits. Those that modify wake a sleeping peer.
  template <AtomicType T>
  T fetch(PeId pe, HeapOffset at) {
    std::byte* word = atomic_address(pe, at, sizeof(T));
    if (word == nullptr) [[unlikely]]
      return remote_atomic<T>(AtomicOp::fetch, pe, at, T{}, T{});
    return std::atomic_ref<T>(*reinterpret_cast<T*>(word)).load(std::memory_order_acquire);
  }
  template <AtomicType T>
  void set(PeId pe, HeapOffset at, T value) {
    std::byte* word = atomic_address(pe, at, sizeof(T));
    if (word == nullptr) [[unlikely]]
      return remote_->update(AtomicOp::set, sizeof(T), pe, at, bits_of(value));
    std::atomic_ref<T>(*reinterpret_cast<T*>(word)).store(value, std::memory_order_release);
    ring_bell(records_[pe.value()]);
  }
  template <AtomicType T>
  T swap(PeId pe, HeapOffset at, T value) {
    return modify<T>(AtomicOp::swap, pe, at, value,
                     [&](std::atomic_ref<T> word) { return word.exchange(value, std::memory_order_acq_rel); });
  }
  template <AtomicInteger T>
  T fetch_add(PeId pe, HeapOffset at, T value) {
    return modify<T>(AtomicOp::add, pe, at, value,
                     [&](std::atomic_ref<T> word) { return word.fetch_add(value, std::memory_order_acq_rel); });
  }
  template <AtomicInteger T>
  void add(PeId pe, HeapOffset at, T value) {
    std::byte* word = atomic_address(pe, at, sizeof(T));
    if (word == nullptr) [[unlikely]]
      return remote_->update(AtomicOp::add, sizeof(T), pe, at, bits_of(value));
    std::atomic_ref<T>(*reinterpret_cast<T*>(word)).fetch_add(value, std::memory_order_acq_rel);
    ring_bell(records_[pe.value()]);
  }
  template <AtomicInteger T>
  T fetch_and(PeId pe, HeapOffset at, T value) {
    return modify<T>(AtomicOp::bit_and, pe, at, value,
                     [&](std::atomic_ref<T> word) { return word.fetch_and(value, std::memory_order_acq_rel); });
  }
  template <AtomicInteger T>
  T fetch_or(PeId pe, HeapOffset at, T value) {
    return modify<T>(AtomicOp::bit_or, pe, at, value,
                     [&](std::atomic_ref<T> word) { return word.fetch_or(value, std::memory_order_acq_rel); });
  }
  template <AtomicInteger T>
  T fetch_xor(PeId pe, HeapOffset at, T value) {
    return modify<T>(AtomicOp::bit_xor, pe, at, value,
                     [&](std::atomic_ref<T> word) { return word.fetch_xor(value, std::memory_order_acq_rel); });
  }
  /// Returns the old value; the swap took place when it equals `expected`.
  template <AtomicInteger T>
  T compare_swap(PeId pe, HeapOffset at, T expected, T value) {
    std::byte* word = atomic_address(pe, at, sizeof(T));
    if (word == nullptr) [[unlikely]]
      return remote_atomic<T>(AtomicOp::compare_swap, pe, at, value, expected);
    std::atomic_ref<T>(*reinterpret_cast<T*>(word))
        .compare_exchange_strong(expected, value, std::memory_order_acq_rel, std::memory_order_acquire);
    ring_bell(records_[pe.value()]);
    return expected;
  }

  /// Orders puts and atomics: earlier ones become visible to every PE before later ones.
  void fence() {
#if !defined(__SANITIZE_THREAD__)  // it ignores fences; later puts are stored with release anyway
    std::atomic_thread_fence(std::memory_order_release);  // partner: acquire loads in waits and fetches
#endif
    if (remote_ != nullptr) [[unlikely]]
      remote_->fence();
  }
  /// Completes all earlier puts and atomics: they are visible to every PE.
  void quiet() {
    full_fence();
    quiet_far();
  }
  /// The same for operations on PEs that are not mapped. Other PEs see the rest once they acquire a later release of
  /// this thread, as in a barrier.
  void quiet_far() {
    if (remote_ != nullptr) [[unlikely]]
      remote_->quiet();
  }

  /// Greatest size of a message to this PE: ring_message_bytes, or the network's limit.
  std::size_t longest_message(PeId pe) const {
    return maps(pe) || remote_ == nullptr ? ring_message_bytes : longest_far_message_;
  }
  /// Sends one message, the concatenation of its parts. Returns try_again when the peer's ring is full.
  Status try_send(PeId pe, std::uint16_t handler, std::uint16_t kind, const MessageParts& parts) {
    if (pe.value() >= npes_) [[unlikely]]
      throw_outside(pe, HeapOffset(0), 0);
    ATOLL_EXPECT(parts.size() <= longest_message(pe));
    MessageLabel label{self_, handler, kind};
    Status status = maps(pe)             ? push_message(*job_, pe, label, parts)
                    : remote_ != nullptr ? remote_->try_send(pe, label, parts)
                                         : Status::ok;  // a guest that has ended
    if (status == Status::ok) [[likely]]
      count(traffic_.am_bytes, traffic_.am_messages, parts.size());
    return status;
  }

  /// Sends to the peer's listener, see RemotePath. Only for PEs that are not mapped.
  void post(PeId pe, std::uint16_t kind, std::span<const std::byte> payload) {
    remote_->post(self_, pe, kind, payload);
  }
  /// Whether a PE has left the job and reads no more messages.
  bool has_left(PeId pe) { return maps(pe) || remote_ == nullptr ? job_->has_left(pe) : remote_->has_left(pe); }
  /// Wakes the peer when it sleeps.
  void ring(PeId pe) {
    if (maps(pe)) [[likely]]
      return ring_bell(records_[pe.value()]);
    if (remote_ != nullptr) remote_->ring(pe);
  }
  /// Whether poll() polls the network, which takes about as long as a system call.
  bool polls_network() const { return remote_ != nullptr; }
  /// Receives data from other nodes. Returns whether any arrived. `taker`: see RemotePath::progress().
  bool poll(const Inbox::Taker* taker = nullptr) { return remote_ != nullptr && remote_->progress(taker); }
  /// Announces that the caller, which has polled, is about to sleep.
  void stop_polling() {
    if (remote_ != nullptr) remote_->stop_polling();
  }

  /// Whether a message for this PE has arrived.
  bool message_waiting() const { return (inbox_ != nullptr && !inbox_->is_empty()) || waits_in_ring(); }
  /// Messages from other nodes; null when there are no other nodes, or receive() returns them. The caller ensures that
  /// there is one receiver at a time.
  Inbox* inbox() const { return inbox_; }
  /// A message in the ring, which can be read in place.
  struct Received {
    std::uint32_t source;
    std::uint16_t handler;
    std::uint16_t kind;
    std::size_t bytes;  ///< size of the payload
    const std::byte* payload;  ///< its first slot_bytes, or all of it when it is contiguous
    bool in_lines;

    bool in_a_row() const { return bytes <= slot_bytes || in_lines; }
    /// Copies `count` bytes from `begin` on, which is in the first slot_bytes.
    void copy_out(std::byte* to, std::size_t begin, std::size_t count) const {
      ATOLL_EXPECT(begin <= slot_bytes && begin + count <= bytes);
      if (in_a_row()) [[likely]]
        return copy_few(to, payload + begin, count);
      std::size_t some = std::min(count, slot_bytes - begin);
      copy_few(to, payload + begin, some);
      for (const MessageSlot* next = slot() + 1; (count -= some) != 0; ++next) {
        to += some;
        some = std::min(count, next_slot_bytes);
        copy_few(to, next->more(), some);
      }
    }
    /// The contiguous payload: in place, or copied to the room.
    struct Room {
      alignas(16) std::byte bytes[slots_bytes];
    };
    std::span<const std::byte> row(Room& room) const {
      if (in_a_row()) [[likely]]
        return {payload, bytes};
      copy_out(room.bytes, 0, bytes);
      return {room.bytes, bytes};
    }

   private:
    const MessageSlot* slot() const {
      return reinterpret_cast<const MessageSlot*>(payload - offsetof(MessageSlot, payload));
    }
  };
  /// The oldest message in this PE's ring, if any. The caller ensures that there is one receiver at a time.
  std::optional<Received> receive() const {
    const RingCount head{ring_->head.load(std::memory_order_relaxed)};
    const MessageSlot& slot = ring_->slots[head.slots() % ring_slots];
    const std::uint64_t stamp = slot.stamp.load(std::memory_order_acquire);  // partner: push_message()
    if (!is_in_slot(head, stamp)) return std::nullopt;
    const auto size = PayloadSize::of(stamp);
    const std::byte* payload = size.in_lines() ? ring_->lines[place_in(slot).first] : slot.payload;
    return Received{slot.source, slot.handler, slot.kind, size.bytes(), payload, size.in_lines()};
  }
  /// Prefetches a message that may follow the oldest one, so that it is in the cache when the oldest has been read.
  void prefetch_message(std::uint64_t behind) const {
    const RingCount head{ring_->head.load(std::memory_order_relaxed)};
    const std::uint64_t slots =
        PayloadSize::of(ring_->slots[head.slots() % ring_slots].stamp.load(std::memory_order_relaxed)).slots();
    prefetch_for_read(&ring_->slots[(head.slots() + slots - 1 + behind) % ring_slots]);
  }
  /// Prefetches one of the slots in which the next message may continue; they arrive together with its first slot. Each
  /// poll prefetches another one (`turn`).
  void prefetch_following(int turn) const {
    const RingCount head{ring_->head.load(std::memory_order_relaxed)};
    prefetch_for_read(&ring_->slots[head.slots() % ring_slots] + 1 + static_cast<unsigned>(turn) % (most_slots - 1));
  }
  /// Returns the slots of the last receive() to senders.
  void release_message() {
    const RingCount head{ring_->head.load(std::memory_order_relaxed)};
    const MessageSlot& slot = ring_->slots[head.slots() % ring_slots];
    const auto size = PayloadSize::of(slot.stamp.load(std::memory_order_relaxed));
    const std::uint64_t lines = size.in_lines() ? place_in(slot).end : head.lines();
    // Release: reading is complete. Partner: push_message().
    ring_->head.store(RingCount::of(head.slots() + size.slots(), lines).bits, std::memory_order_release);
  }

  Traffic traffic() const;

 private:
  struct Counts {
    std::atomic<std::uint64_t> put_bytes{0}, put_messages{0}, get_bytes{0}, get_messages{0}, atomic_messages{0},
        am_bytes{0}, am_messages{0};
  };

  static bool is_in_slot(RingCount head, std::uint64_t stamp) { return ((stamp - head.slots() - 1) & 0xFFFFFFFF) == 0; }
  static RingPlace place_in(const MessageSlot& slot) {
    RingPlace place;
    std::memcpy(&place, slot.payload, sizeof(place));
    return place;
  }
  bool waits_in_ring() const {
    const RingCount head{ring_->head.load(std::memory_order_relaxed)};
    // Acquire, to read the payload. Partner: push_message().
    return is_in_slot(head, ring_->slots[head.slots() % ring_slots].stamp.load(std::memory_order_acquire));
  }
  // A load and a store, not a locked add: 5 ns less, and exact with one thread per endpoint.
  static void bump(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  static void count(std::atomic<std::uint64_t>& bytes, std::atomic<std::uint64_t>& messages, std::uint64_t by) {
    bump(bytes, by);
    bump(messages, 1);
  }

  static void full_fence() {
#if defined(__SANITIZE_THREAD__)
    // The thread sanitizer does not support fences; an atomic read-modify-write has the same effect.
    static std::atomic<int> word{0};
    word.fetch_add(0, std::memory_order_seq_cst);
#else
    // Sequentially consistent: later loads of this thread stay behind earlier puts. Partner: a peer's quiet().
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  template <class T>
  static void store_word(std::byte* target, const void* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    // Release: puts before it are visible to a PE that sees this word. Partner: acquire loads in waits.
    std::atomic_ref<T>(*reinterpret_cast<T*>(target)).store(value, std::memory_order_release);
  }
  template <class T>
  static void load_word(void* to, std::byte* source) {
    T value = std::atomic_ref<T>(*reinterpret_cast<T*>(source)).load(std::memory_order_acquire);  // partner: store_word
    std::memcpy(to, &value, sizeof(T));
  }
  static bool aligned(const std::byte* at, std::size_t bytes) {
    return (reinterpret_cast<std::uintptr_t>(at) & (bytes - 1)) == 0;
  }
  static void copy_in(std::byte* target, const void* from, std::size_t bytes) {
    if (bytes == 8 && aligned(target, 8)) return store_word<std::uint64_t>(target, from);
    if (bytes == 4 && aligned(target, 4)) return store_word<std::uint32_t>(target, from);
    if (bytes == 2 && aligned(target, 2)) return store_word<std::uint16_t>(target, from);
    if (bytes == 1) return store_word<std::uint8_t>(target, from);
    if (bytes != 0) std::memcpy(target, from, bytes);
  }
  static void copy_out(void* to, std::byte* source, std::size_t bytes) {
    if (bytes == 8 && aligned(source, 8)) return load_word<std::uint64_t>(to, source);
    if (bytes == 4 && aligned(source, 4)) return load_word<std::uint32_t>(to, source);
    if (bytes == 2 && aligned(source, 2)) return load_word<std::uint16_t>(to, source);
    if (bytes == 1) return load_word<std::uint8_t>(to, source);
    if (bytes != 0) std::memcpy(to, source, bytes);
  }
  std::byte* atomic_address(PeId pe, HeapOffset at, std::size_t width) {
    if ((at.value() & (width - 1)) != 0) [[unlikely]]
      throw_misaligned(at, width);
    std::byte* word = address(pe, at, width);
    bump(traffic_.atomic_messages, 1);
    return word;
  }
  template <class T, class Change>
  T modify(AtomicOp op, PeId pe, HeapOffset at, T value, Change&& change) {
    std::byte* word = atomic_address(pe, at, sizeof(T));
    if (word == nullptr) [[unlikely]]
      return remote_atomic<T>(op, pe, at, value, T{});
    T old = change(std::atomic_ref<T>(*reinterpret_cast<T*>(word)));
    ring_bell(records_[pe.value()]);
    return old;
  }
  template <class T>
  static std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  template <class T>
  T remote_atomic(AtomicOp op, PeId pe, HeapOffset at, T value, T expected) {
    std::uint64_t old = remote_->atomic(op, sizeof(T), pe, at, bits_of(value), bits_of(expected));
    T result;
    std::memcpy(&result, &old, sizeof(T));
    return result;
  }
  [[noreturn]] void throw_outside(PeId pe, HeapOffset at, std::size_t bytes) const;
  [[noreturn]] static void throw_misaligned(HeapOffset at, std::size_t width);

  std::byte* const* bases_;
  PeRecord* records_;
  MessageRing* ring_;
  std::uint64_t segment_bytes_;
  std::uint32_t npes_;
  std::uint32_t first_guest_;
  PeId self_;
  RemotePath* remote_;
  Inbox* inbox_;
  std::size_t longest_far_message_;
  Counts traffic_;
  std::shared_ptr<Job> job_;
};

}  // namespace atl::fabric
