// SPDX-License-Identifier: Apache-2.0
// Portals: numbered entry points of a PE. Peers put, get and update through them without knowing addresses: entries of
// a list say which memory a message lands in, counters and event queues what is notified of it (Portals 4.3). See
// docs/building-blocks.md.
//
// Progress: messages are handled in the target's Context::progress(): by a thread that waits, or by its progress
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/base/spin_lock.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/messaging/matching.hpp"
#include "atoll/portal/event_queue.hpp"
#include "atoll/portal/pool.hpp"
#include "atoll/runtime/counter.hpp"
#include "atoll/runtime/handler.hpp"
#include "atoll/runtime/parts.hpp"

namespace atl::runtime {

namespace portal {
struct Portal;
struct Entry;
struct Header;
struct Pending;
struct Triggered;
struct Demand;
struct Answer;
struct Landing;
struct Leaving;
}  // namespace portal

/// Elementwise operations of atomics, and their types. The numbers are Portals 4's.
enum class Arithmetic : std::uint8_t {
  min,
  max,
  sum,
  product,
  logical_or,
  logical_and,
  bit_or,
  bit_and,
  logical_xor,
  bit_xor,
  swap,
  compare_swap,
  swap_unequal,
  swap_less_equal,
  swap_less,
  swap_greater_equal,
  swap_greater,
  masked_swap,
};
enum class Scalar : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  float32,
  int64,
  uint64,
  float64,
  complex64,
  complex128,
  long_double,
  complex_long_double,
};
std::size_t bytes_of(Scalar type);
/// Whether the operation is defined on that type.
bool is_defined(Arithmetic operation, Scalar type);

/// Memory of this process, of any kind: one range, or several that count as one.
class Region {
 public:
  struct Piece {
    void* start;
    std::uint64_t bytes;
  };
  Region() = default;
  Region(void* start, std::uint64_t bytes) : start_(static_cast<std::byte*>(start)), bytes_(bytes) {}
  explicit Region(std::span<const Piece> pieces);

  std::uint64_t bytes() const { return bytes_; }
  bool in_pieces() const { return !pieces_.empty(); }
  std::byte* at(std::uint64_t offset) const;
  void copy_in(std::uint64_t offset, const std::byte* from, std::uint64_t bytes) const;
  void copy_out(std::uint64_t offset, std::byte* to, std::uint64_t bytes) const;

 private:
  std::byte* start_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::vector<Piece> pieces_;
};

/// What an entry does, or'ed; the numbers are Portals 4's.
namespace entry_option {
inline constexpr unsigned allow_put = 1u << 1, allow_get = 1u << 2, use_once = 1u << 3, no_unexpected_headers = 1u << 4,
                          no_link_event = 1u << 6, no_event = 1u << 7, no_flow_event = 1u << 8,
                          no_success_event = 1u << 9, no_overflow_event = 1u << 10, no_unlink_event = 1u << 11,
                          count = 1u << 12, count_overflow = 1u << 13, count_bytes = 1u << 14, local_offset = 1u << 15,
                          no_truncate = 1u << 16, local_offset_of_headers = 1u << 18;
}
/// What a descriptor does.
namespace descriptor_option {
inline constexpr unsigned count_send = 1u << 1, count_reply = 1u << 2, count_ack = 1u << 3, no_success_event = 1u << 5,
                          no_send_event = 1u << 7, count_bytes = 1u << 14;
}
namespace portal_option {
inline constexpr unsigned only_use_once = 1u << 0, flow_control = 1u << 1, only_truncate = 1u << 2, disabled = 1u << 4;
}

/// An entry to be appended, or what is searched for.
struct EntrySpec {
  Region region;
  Pattern pattern;  ///< tag: the match bits
  std::function<bool(PeId)> admits = {};  ///< which sources, where the pattern cannot say it
  std::uint32_t uid = any_uid;
  unsigned options = 0;
  std::uint64_t min_free = 0;  ///< local_offset: unlinked when less is left. 0: never
  CounterId counter = no_counter;
  void* user = nullptr;

  static constexpr std::uint32_t any_uid = UINT32_MAX;
};

/// Memory for the initiator's side of operations, and the queue and counter that are notified of them.
struct Descriptor {
  Region region;
  unsigned options = 0;
  EventQueue* queue = nullptr;
  CounterId counter = no_counter;
};

/// How much a put or an atomic answers. The numbers are Portals 4's.
enum class Acknowledge : std::uint8_t {
  none,
  full,          ///< an event, with how much moved and where to; counts
  counted,       ///< counts, bytes too
  operation,     ///< counts that it is complete
};

enum class OperationKind : std::uint8_t { put, get, atomic, fetch_atomic, swap };

struct Operation {
  OperationKind kind = OperationKind::put;
  Acknowledge acknowledge = Acknowledge::none;
  Arithmetic arithmetic = Arithmetic::swap;
  Scalar type = Scalar::int8;
  std::uint32_t descriptor = 0;      ///< data come from here; get: go there
  std::uint32_t get_descriptor = 0;  ///< fetch_atomic, swap: where the old data go
  std::uint64_t offset = 0;          ///< in the descriptor
  std::uint64_t get_offset = 0;
  std::uint64_t bytes = 0;
  PeId pe{};
  std::uint32_t portal = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t remote_offset = 0;
  void* user = nullptr;
  std::uint64_t header = 0;
  std::array<std::byte, 32> operand = {};  ///< swap: what it compares with, or its mask
};

struct PortalLimits {
  std::uint32_t portals = 64;
  std::uint32_t entries = 1u << 16;
  std::uint32_t descriptors = 1u << 12;
  std::uint32_t list = 1u << 16;                ///< entries of one list
  std::uint32_t unexpected_headers = 1u << 14;  ///< of one portal
  std::uint32_t triggered = 1u << 16;
  std::uint64_t atomic_bytes = 512;  ///< of one atomic
};

/// Refusals that are expected: of a list's end, of what is busy.
enum class Refusal : std::uint8_t { none, invalid, no_space, in_use, portals_full, needs_queue };

/// The portals of a PE, as one of several independent sets (`number`). Thread-safe.
class PortalInterface {
 public:
  PortalInterface(Context& context, HandlerId handler, std::uint8_t number, std::uint32_t uid,
                  const PortalLimits& limits);
  ~PortalInterface();
  PortalInterface(const PortalInterface&) = delete;
  PortalInterface& operator=(const PortalInterface&) = delete;

  const PortalLimits& limits() const { return limits_; }
  Context& context() const { return context_; }

  // ---- portals ------------------------------------------------------------------------------------------------
  static constexpr std::uint32_t any_portal = UINT32_MAX;
  /// `queue` receives the events of its entries; null: none are sent.
  Refusal open(unsigned options, EventQueue* queue, std::uint32_t wanted, std::uint32_t& number);
  /// in_use: it has entries.
  Refusal close(std::uint32_t number);
  /// What comes is refused from now on, its initiators are told.
  Refusal disable(std::uint32_t number);
  Refusal enable(std::uint32_t number);

  // ---- entries ------------------------------------------------------------------------------------------------
  /// An entry of the priority list takes the unexpected headers it fits first; a use-once entry that found one is not
  /// linked.
  Refusal append(std::uint32_t portal, EntrySpec spec, ListKind list, std::uint32_t& entry);
  /// in_use: headers of messages that landed in it wait. invalid: it is gone, perhaps by itself.
  Refusal unlink(std::uint32_t entry);
  bool has_entry(std::uint32_t entry) const;
  /// Unexpected headers that fit: events and counts of `spec`, its failure when there are none (more). `take` them out
  /// or leave them.
  enum class Search : std::uint8_t { look, take };
  Refusal search(std::uint32_t portal, const EntrySpec& spec, Search how);

  // ---- operations ---------------------------------------------------------------------------------------------
  Pool<Descriptor>& descriptors() { return descriptors_; }
  /// Ranges and types have been checked (check()). Data may be reused when it has returned; makes progress. no_space:
  /// too many operations wait for an answer.
  Refusal start(const Operation& operation);
  /// Whether descriptors, ranges and types are right.
  bool check(const Operation& operation) const;
  /// start() when the counter (successes and failures) reaches the threshold; data are read then. no_space:
  /// limits().triggered wait.
  Refusal trigger(CounterId on, std::uint64_t threshold, const Operation& operation);
  Refusal trigger_count(CounterId on, std::uint64_t threshold, CounterId counter, Count by);
  Refusal trigger_set(CounterId on, std::uint64_t threshold, CounterId counter, Count to);
  /// Any function, in progress().
  Refusal trigger_call(CounterId on, std::uint64_t threshold, std::function<void()> function);
  /// Nothing that waits for the counter starts any more.
  void cancel(CounterId on);
  /// Until what was due has run; before destruction, when all counters have been cancelled.
  void finish_triggered();

  // ---- what went wrong ----------------------------------------------------------------------------------------
  struct Violations {
    std::atomic<std::uint32_t> dropped{0}, permission{0}, operation{0};
  };
  const Violations& violations() const { return violations_; }
  /// Operations on PEs that have died or finalized end with Failure::undeliverable. Handles what these PEs have sent
  /// before; not for handlers.
  void fail_lost();
  /// fail_lost() when a PE has finalized since the last call. Two loads otherwise: for each look of a wait.
  void settle_departures() {
    if (pe_.job.departures() != departures_settled_.load(std::memory_order_relaxed)) [[unlikely]]
      fail_lost();
  }

  // For PortalHost.
  void hear(PeId source, std::span<const std::byte> payload);

 private:
  // Of one's own lists, under the lock (interface.cpp).
  portal::Portal* portal_at(std::uint32_t number) const;
  void unlink_here(portal::Entry& entry);
  void retire(portal::Entry& entry);
  bool take_headers(portal::Portal& portal, portal::Entry& entry);
  void take_header(portal::Portal& portal, portal::Header& header, const EntrySpec& spec);
  static bool takes(const EntrySpec& spec, std::uint64_t local_offset, PeId source, std::uint64_t offset,
                    std::uint64_t bytes);
  static void push_event(const portal::Portal& portal, std::uint32_t number, EventKind kind, void* user,
                         Failure failure);
  void count(CounterId counter, Count by);
  // As a target, in a handler (target.cpp).
  portal::Landing land(PeId source, const portal::Demand& request);
  portal::Landing refuse(portal::Portal* portal, const portal::Demand& request, Failure failure, bool stops);
  void settle(const portal::Demand& request, portal::Landing& landing);
  void on_request(PeId source, const portal::Demand& request, std::span<const std::byte> payload);
  void move(PeId source, const portal::Demand& request, std::span<const std::byte> payload,
            const portal::Landing& landing);
  void note_arrival(PeId source, const portal::Demand& request, const portal::Landing& landing);
  void answer(PeId to, const portal::Demand& request, const portal::Landing& landing, std::span<const std::byte> data);
  // As an initiator (initiator.cpp).
  void send_request(const Operation& operation, const Region& source, std::uint32_t cookie);
  void note_sent(const portal::Leaving& leaving);
  void on_answer(const portal::Answer& answer, std::span<const std::byte> payload);
  void finish(const portal::Pending& pending, const portal::Answer& answer, std::span<const std::byte> payload);
  bool is_lost(const portal::Pending& pending) const;
  bool has_left(PeId pe) const;
  // To a PE that has finalized: drops it.
  void send(PeId pe, std::span<const std::byte> head, std::span<const std::byte> data = {});
  template <class Fill>
  Refusal queue(CounterId on, std::uint64_t threshold, Fill&& fill);
  static void run(Context& context, void* triggered);
  void carry_out(portal::Triggered& triggered);

  Context& context_;
  Parts pe_;
  HandlerId handler_;
  std::uint8_t number_;
  std::uint32_t uid_;
  PortalLimits limits_;
  Violations violations_;
  std::atomic<std::uint32_t> departures_settled_{
      0};  // of Job::departures(); 0 again: an operation on a PE that has finalized was started
  mutable SpinLock lock_;  // portals, entries, headers. May be held by a handler that sends
  std::vector<std::unique_ptr<portal::Portal>> portals_;
  std::unique_ptr<Pool<portal::Entry>> entries_;
  Pool<Descriptor> descriptors_;
  std::unique_ptr<Pool<portal::Pending>> pending_;
  std::unique_ptr<Pool<portal::Triggered>> triggered_;
  std::vector<std::byte> gathered_, fetched_;  // of handlers, under the lock
};

/// The interfaces of a PE. One per Context, made by all PEs in the same order as their other handlers.
class PortalHost {
 public:
  static constexpr std::uint8_t most_interfaces = 8;

  explicit PortalHost(Context& context);
  ~PortalHost();
  PortalHost(const PortalHost&) = delete;
  PortalHost& operator=(const PortalHost&) = delete;

  /// `number` is not open. What peers send to a number that is not open here is undeliverable.
  PortalInterface& open(std::uint8_t number, std::uint32_t uid, const PortalLimits& limits);
  /// No operation may be in flight; what still comes is dropped.
  void close(std::uint8_t number);
  PortalInterface* interface(std::uint8_t number) const;

 private:
  struct Registry;  // the open interfaces, by number
  // Shared with the message handler, which the context keeps longer.
  std::shared_ptr<Registry> registry_;
};

}  // namespace atl::runtime
