// SPDX-License-Identifier: Apache-2.0
// Layout of a job's shared memory: the control block, one record per PE, one message ring per PE of the node, and the
// segments. PEs and their launcher write it, so every layout is fixed and checked here.
//
//   0                 JobControl
//   4096              PeRecord[places]
//   owner_offset()    owners[guest_areas]: the guest whose memory an area is, or was last; 0: none yet
//   ring_offset       MessageRing[local_pes + guest_areas]
//   control_bytes     segments of the node's PEs   (each at a multiple of segment_alignment())
//
// A job of several nodes has one such memory on each node. Rings and segments are those of the node's PEs, in ascending
// order, and then those of the guest areas. Records are of all PEs; those of other nodes hold what this node has been
// notified of. Each guest has its own number; its area may have been that of a guest that has left.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace atl::fabric {

inline constexpr std::uint64_t job_magic = 0x31304C4C4F5441ull;  // "ATOLL01"
inline constexpr std::size_t cache_line = 64;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;
inline constexpr std::size_t most_segment_alignment = std::size_t{1} << 30;

/// Every process maps every segment at a multiple of this, so that blocks have the same alignment on all PEs. An eighth
/// of the segment, because it costs address space only.
constexpr std::uint64_t segment_alignment(std::uint64_t segment_bytes) {
  return std::clamp<std::uint64_t>(std::bit_floor(segment_bytes / 8), huge_page, most_segment_alignment);
}

/// Value of JobControl::failed when a PE has asked to end the job and no PE has failed.
inline constexpr std::uint32_t job_ended = 0xFFFFFFFF;

/// State of a PE, in PeRecord::state. It increases, except when a finalized PE joins again or a failed one is replaced.
enum class PeState : std::uint32_t { absent = 0, joined = 1, finalized = 2, failed = 3 };

/// A barrier: number of PEs that have arrived, and number of completed barriers.
struct Gate {
  std::atomic<std::uint32_t> arrived;
  std::atomic<std::uint32_t> epoch;
};
/// Greatest number of guests, PEs that join a job after its start, at a time.
inline constexpr std::uint32_t most_guests = 1024;
inline constexpr std::uint32_t most_pes = 65536;
/// Number of guests that a job of `npes` PEs can start in all.
constexpr std::uint32_t guest_numbers(std::uint32_t npes) { return most_pes - npes; }

// | offset | bytes | field          | valid when                                                       |
// |--------|-------|----------------|------------------------------------------------------------------|
// |   0    |   8   | magic          | job_magic; written last (release) by the creator                 |
// |   8    |   4   | version        | layout_version                                                   |
// |  12    |   4   | npes           | 1 … 65536                                                        |
// |  16    |   8   | segment_bytes  | multiple of 2 MiB                                                |
// |  24    |   8   | control_bytes  | multiple of 2 MiB                                                |
// |  32    |   8   | ring_offset    | multiple of 64                                                   |
// |  40    |   4   | creator_pid    |                                                                  |
// |  44    |   4   | cores          | cores of the node that PEs may use, before any binding           |
// |  48    |   4   | threads_per_pe | 0: unspecified                                                   |
// |  52    |   4   | nodes          | 1 or more                                                        |
// |  56    |   4   | node           | number of the node that this memory is on, below nodes           |
// |  60    |   4   | local_pes      | PEs on this node                                                 |
// |  64    |   4   | failed         | 0, or 1 + the first PE known to have failed, or job_ended (release; |
// |        |       |                | waits acquire)                                                   |
// |  68    |   4   | shutdown       | 1: the driver ends the job                                       |
// |  72    |   4   | suspect        | 0, or 1 + the first PE for which another's wait has timed out    |
// |  76    |   4   | deaths         | number of PEs known to have failed                               |
// |  80    |   4   | survival       | Survival: how the program handles failures                       |
// |  84    |   4   | places         | npes + numbers for guests                                        |
// |  88    |   4   | guests         | numbers of guests that are taken (release)                       |
// |  92    |   4   | departures     | number of departures that PEs of this node have noted (release)  |
// |  96    |   4   | recoveries     | number of recoveries after failures (release)                    |
// | 100    |   4   | recoverable    | 1: after a failure the PEs, all on one host, wait for recovery   |
// | 104    |   4   | guest_areas    | number of guests that this node has memory for, to most_guests   |
// | 128    |   8   | gate           | bootstrap barrier of the node's PEs                              |
// | 192    |   8   | exit           | 0, or 2^32 + the exit status with which a PE ends the job        |
struct JobControl {
  std::atomic<std::uint64_t> magic;
  std::uint32_t version;
  std::uint32_t npes;
  std::uint64_t segment_bytes;
  std::uint64_t control_bytes;
  std::uint64_t ring_offset;
  std::int32_t creator_pid;
  std::uint32_t cores;
  std::uint32_t threads_per_pe;
  std::uint32_t nodes;
  std::uint32_t node;
  std::uint32_t local_pes;
  alignas(64) std::atomic<std::uint32_t> failed;
  std::atomic<std::uint32_t> shutdown;
  std::atomic<std::uint32_t> suspect;
  std::atomic<std::uint32_t> deaths;
  std::atomic<std::uint32_t> survival;
  std::uint32_t places;
  std::atomic<std::uint32_t> guests;
  std::atomic<std::uint32_t> departures;
  std::atomic<std::uint32_t> recoveries;
  std::atomic<std::uint32_t> recoverable;
  std::uint32_t guest_areas;
  alignas(64) Gate gate;
  alignas(64) std::atomic<std::uint64_t> exit;
  std::byte reserved[4096 - 256];
};
inline constexpr std::uint32_t layout_version = 11;
static_assert(sizeof(JobControl) == 4096 && offsetof(JobControl, local_pes) == 60 &&
              offsetof(JobControl, failed) == 64 && offsetof(JobControl, gate) == 128 &&
              offsetof(JobControl, exit) == 192);

// | offset | bytes | field       | valid when                                                              |
// |--------|-------|-------------|-------------------------------------------------------------------------|
// |   0    |   4   | sleeping    | 1: a thread of this PE sleeps, or is about to; the futex word           |
// |   4    |   4   | holders     | of a guest of this node: Job::hold() calls without a Job::let_go()      |
// |   8    |   4   | is_gone     | of a guest of this node: 1: its process has ended, or was not started   |
// |  12    |   4   | cohort      | of a guest of this node: the first PE of its cohort                     |
// |  64    |   4   | state       | PeState                                                                 |
// |  68    |   4   | pid         | after joined                                                            |
// |  72    |   4   | wait_status | after failed: as from waitpid, or 0 when the cause is only text         |
// |  76    |   4   | cause_bytes | after failed: length of cause                                           |
// |  80    |  152  | cause       | after failed: "was killed by signal 9 (Killed)"                         |
// | 232    |   8   | gate        | barrier of a cohort of guests, in the record of the first               |
// | 240    |   8   | offered     | this PE's value in a bootstrap exchange                                 |
// | 248    |   4   | node        | node of the PE                                                          |
// | 252    |   4   | place       | index of the PE among those of its node, from 0                         |
struct PeRecord {
  alignas(64) std::atomic<std::uint32_t> sleeping;
  std::atomic<std::uint32_t> holders;
  std::atomic<std::uint32_t> is_gone;
  std::atomic<std::uint32_t> cohort;
  alignas(64) std::atomic<std::uint32_t> state;
  std::atomic<std::int32_t> pid;
  std::atomic<std::int32_t> wait_status;
  std::atomic<std::uint32_t> cause_bytes;
  char cause[152];
  Gate gate;
  std::atomic<std::uint64_t> offered;
  std::uint32_t node;
  std::uint32_t place;
};
static_assert(sizeof(PeRecord) == 256 && offsetof(PeRecord, cohort) == 12 && offsetof(PeRecord, state) == 64 &&
              offsetof(PeRecord, gate) == 232 && offsetof(PeRecord, offered) == 240 &&
              offsetof(PeRecord, place) == 252);

inline constexpr std::size_t message_bytes = 296;  ///< greatest size of a message that is stored outside a ring
inline constexpr std::size_t ring_slots = 512;  ///< per PE: 32 KiB, plus most_slots - 1 slots; independent of npes
inline constexpr std::size_t ring_lines = 4096;  ///< per PE: 256 KiB for payloads that do not fit into slots
inline constexpr std::size_t slot_bytes = 48;  ///< payload bytes in a message's first slot
inline constexpr std::size_t next_slot_bytes = 56;  ///< payload bytes in each following slot
inline constexpr std::size_t most_slots = 5;  ///< most slots of a message
inline constexpr std::size_t slots_bytes =
    slot_bytes + (most_slots - 1) * next_slot_bytes;  ///< 272: 256 and a header of 16
inline constexpr std::size_t ring_message_bytes = (std::size_t{16} << 10) + 64;  ///< most bytes of payload in a ring
/// A message takes several slots while at most this many are in use. Otherwise its payload goes into the lines and it
/// takes one slot: then it waits no longer for room than other messages, and a ring holds at least 410 messages.
inline constexpr std::size_t slots_shared = 128;

/// Position in a ring: slots and payload lines used so far, in one word, so that one CAS takes both.
//
// | bits    | field    | valid when                                              |
// |---------|----------|---------------------------------------------------------|
// |  0 … 23 | lines    | modulo 2^24; line i of the payload is i % ring_lines    |
// | 24 … 63 | slots    | modulo 2^40; slot i is i % ring_slots                   |
struct RingCount {
  std::uint64_t bits = 0;

  static constexpr int line_bits = 24;
  static constexpr std::uint64_t line_mask = (std::uint64_t{1} << line_bits) - 1;
  static constexpr RingCount of(std::uint64_t slots, std::uint64_t lines) {
    return {slots << line_bits | (lines & line_mask)};
  }
  constexpr std::uint64_t slots() const { return bits >> line_bits; }
  constexpr std::uint64_t lines() const { return bits & line_mask; }
  /// Slots or lines since an earlier or equal position.
  constexpr std::uint64_t slots_since(RingCount other) const { return (bits - (other.bits & ~line_mask)) >> line_bits; }
  constexpr std::uint64_t lines_since(RingCount other) const { return (bits - other.bits) & line_mask; }
};
static_assert(ring_lines % 2 == 0 && (RingCount::line_mask + 1) % ring_lines == 0);

/// The high half of a stamp: the payload's size, which determines where it is stored.
struct PayloadSize {
  std::uint32_t bits = 0;

  static constexpr std::uint32_t by_lines = std::uint32_t{1} << 31;
  static constexpr PayloadSize of(std::uint64_t stamp) { return {static_cast<std::uint32_t>(stamp >> 32)}; }
  constexpr bool in_lines() const { return (bits & by_lines) != 0; }
  constexpr std::size_t bytes() const { return bits & ~by_lines; }
  /// Number of slots: one when the payload is in the lines.
  constexpr std::uint64_t slots() const { return bits <= slot_bytes || in_lines() ? 1 : slots_of(bits); }
  /// The same for a payload that needs more than one and at most most_slots slots.
  static constexpr std::uint64_t slots_of(std::uint32_t bytes) {
    return 1 + (bytes - slot_bytes + next_slot_bytes - 1) / next_slot_bytes;
  }
};
static_assert(ring_message_bytes < PayloadSize::by_lines);

// Slot n contains a message when its stamp is n + 1. The slot belongs to the sender that has taken number n, which
// requires that the receiver's head is less than ring_slots behind; no other process writes to it. A slot is one cache
// line: with five lines per slot, of which most messages use one, an 8-byte message took 94 ns instead of 75. A
// slightly longer payload continues in the following slots, whose lines arrive together with the first. Their stamps
// are n + 2, which no first slot has. The array has spare slots at its end for this.
//
// | offset | bytes | field   | valid when                                                                         |
// |--------|-------|---------|------------------------------------------------------------------------------------|
// |   0    |   8   | stamp   | low half: number of the slot + 1, modulo 2^32; high half: bytes of the payload,    |
// |        |       |         | and above them (bit 63) whether it is in the ring's lines; stored with release,    |
// |        |       |         | loaded with acquire by the receiver                                                |
// |   8    |   4   | source  | PE of the sender                                                                   |
// |  12    |   2   | handler | number of the receiver's handler, which may be registered later                    |
// |  14    |   2   | kind    | format of the payload; defined by the runtime                                      |
// |  16    |  48   | payload | begin of the payload, or its position in the ring's lines (RingPlace)              |
//
// A following slot:
//
// |   0    |   8   | stamp   | number of the slot + 2, modulo 2^32; stored before the first's                     |
// |   8    |  56   | more    | continuation of the payload                                                        |
struct MessageSlot {
  alignas(64) std::atomic<std::uint64_t> stamp;
  std::uint32_t source;
  std::uint16_t handler;
  std::uint16_t kind;
  std::byte payload[slot_bytes];

  /// The payload in a following slot.
  std::byte* more() { return reinterpret_cast<std::byte*>(this) + sizeof(stamp); }
  const std::byte* more() const { return reinterpret_cast<const std::byte*>(this) + sizeof(stamp); }
  static constexpr std::uint64_t stamp_of(std::uint64_t number, PayloadSize size) {
    return std::uint64_t{size.bits} << 32 | ((number + 1) & 0xFFFFFFFF);
  }
  static constexpr std::uint64_t following_stamp_of(std::uint64_t number) { return (number + 2) & 0xFFFFFFFF; }
};
static_assert(sizeof(MessageSlot) == 64 && sizeof(MessageSlot) - sizeof(MessageSlot::stamp) == next_slot_bytes);
static_assert(offsetof(MessageSlot, source) == 8 && offsetof(MessageSlot, payload) == 16);

// | offset | bytes | field | valid when                                                        |
// |--------|-------|-------|-------------------------------------------------------------------|
// |   0    |   4   | first | first line of the contiguous payload, below ring_lines            |
// |   4    |   4   | end   | line count (see RingCount) behind the payload                     |
struct RingPlace {
  std::uint32_t first;
  std::uint32_t end;
};
static_assert(sizeof(RingPlace) == 8);

// | offset | bytes  | field | valid when                                                             |
// |--------|--------|-------|------------------------------------------------------------------------|
// |   0    |   8    | tail  | RingCount of what senders have taken, by CAS                           |
// |  64    |   8    | head  | RingCount of what the receiver has released; only it writes, with      |
// |        |        |       | release; senders load it with acquire when the ring seems full         |
// | 128    |        | slots |                                                                        |
// | 33152  |        | lines |                                                                        |
struct MessageRing {
  alignas(64) std::atomic<std::uint64_t> tail;
  alignas(64) std::atomic<std::uint64_t> head;
  MessageSlot slots[ring_slots + most_slots - 1];  // spare slots keep a message contiguous
  alignas(64) std::byte lines[ring_lines][64];
};
static_assert(offsetof(MessageRing, slots) == 128 && offsetof(MessageRing, lines) == 33152 &&
              sizeof(MessageRing) == 128 + 64 * (ring_slots + most_slots - 1 + ring_lines));

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace atl::fabric
