// SPDX-License-Identifier: Apache-2.0
// Message channels between members: for each direction a ring of cells in the receiver's memory. A cell is two cache
// lines. Flag and data arrive together, up to 56 bytes in the first line alone, and what is longer than a cell takes
// several. Each ring has one writer and one reader and is first in, first out, so any sequence of any collectives is
// safe by construction: nothing overtakes, nothing is overwritten, and a PE that is ahead waits for room.
//
// Between nodes, a message longer than some cells that fits a room is a parcel: it is sent eagerly into one of the
// rooms that its receiver has granted the sender, or straight to where it belongs, and its cell says that it is there.
//
// A member's area:  [ presence | door per member ], small, whatever the number of members. The ring for another member,
// with the line in which that one gives credit, lies in a block of its own, which is allocated when the first schedule
// has a message between the two: of 1,024 members a member hears from some 20. Its door in the other member's area then
// says where the block lies; until it does, there is no room for messages.
//
// A ring begins with few cells where the schedule sends few. Its reader replaces it once, by a ring of ring_cells, when
// a schedule needs that many or when the writer has filled the small one. The door says where the new ring lies. The
// writer goes on in the new ring when the old one has no room, and never returns; the numbers of the cells go on. So
// the reader, which finds no next cell in the old ring, looks in the new one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "schedule.hpp"

namespace atl::runtime {
class ForeignMemory;
class Heap;
class Progress;
struct Parts;
}  // namespace atl::runtime

namespace atl::coll::detail {

// | offset | bytes | field   | valid when                                                                       |
// |--------|-------|---------|----------------------------------------------------------------------------------|
// |   0    |   8   | header  | always, see make_header                                                          |
// |   8    |  120  | payload | the header has the number that the reader waits for                              |
//
// Two lines, though most messages fill half of one: processors fetch the neighbour of a line, too, and a flag whose
// neighbour is a flag passes from core to core in 60 ns instead of 35, or in 270 instead of 190.
struct Cell {
  std::atomic<std::uint64_t> header;
  std::byte payload[120];
};
static_assert(sizeof(Cell) == 128);

// The last operation that a member has started, so that others detect late members and mismatched calls.
//
// | offset | bytes | field     | valid when                                                                         |
// |--------|-------|-----------|------------------------------------------------------------------------------------|
// |   0    |   8   | started   | always: operations started << 8, with the kind of the last one                     |
// |   8    |  16   | checks    | started stays the same: at [operations started % 2] digest of that one's arguments |
// |   64   |   8   | withdrawn | always: not 0: the member has given up, and memory that it has offered may hold    |
// |        |       |           | arbitrary data. A separate line, because it is read after each read                |
struct Presence {
  alignas(64) std::atomic<std::uint64_t> started;
  std::atomic<std::uint64_t> checks[2];
  alignas(64) std::atomic<std::uint64_t> withdrawn;

  /// By its owner, with numbers that ascend by one.
  void announce(std::uint64_t sequence, std::uint32_t kind, std::uint32_t check) {
    // Release, both: a PE that sees the number sees the digest, and one that sees the digest of the operation after the
    // next, which takes the same place, sees the number of the next. Partner: the acquires of Announced::read().
    checks[sequence % 2].store(check, std::memory_order_release);
    started.store(sequence << 8 | kind, std::memory_order_release);
  }
};
static_assert(sizeof(Presence) == 128 && offsetof(Presence, withdrawn) == 64);

/// A Presence as others see it, wherever it lies: `fetch` acquires the word at an offset in it.
struct Announced {
  std::uint64_t sequence;
  std::uint32_t kind;
  std::optional<std::uint64_t> check;  ///< nothing: it has gone on meanwhile

  template <class Fetch>
  static Announced read(Fetch&& fetch) {
    const std::uint64_t started = fetch(offsetof(Presence, started));
    Announced found{started >> 8, static_cast<std::uint32_t>(started & 0xFF), std::nullopt};
    const std::uint64_t check = fetch(offsetof(Presence, checks) + found.sequence % 2 * sizeof(std::uint64_t));
    if (fetch(offsetof(Presence, started)) == started) found.check = check;
    return found;
  }
};

// | offset | bytes | field | valid when                                                                    |
// |--------|-------|-------|-------------------------------------------------------------------------------|
// |   0    |   8   | read  | always: cells the other member has read out of what this one sent it, rounded down |
// |   8    |   8   | taken | always: parcels likewise                                                      |
// |  16    |   8   | lent_read | always: lent chunks that the other member has read                            |
struct Credit {
  alignas(64) std::atomic<std::uint64_t> read;
  std::atomic<std::uint64_t> taken;
  std::atomic<std::uint64_t> lent_read;
};
static_assert(sizeof(Credit) == 64);

// What another member says of its own, once each.
//
// | offset | bytes | field      | valid when                                                                          |
// |--------|-------|------------|-------------------------------------------------------------------------------------|
// |   0    |   8   | block      | not 0: offset of its Inbox for this member in its segment, and bit 0; bit 1: the    |
// |        |       |            | Inbox's ring has ring_cells                                                         |
// |   8    |   8   | ring       | not 0: offset of the ring of ring_cells that replaces the Inbox's, and bit 0        |
// |   16   |   8   | last_taken | with last: the final value of `taken`                                               |
// |   24   |   8   | last       | not 0: closed; final `read` << 3, and bit 0; bit 1: has a block; bit 2: new ring    |
struct Door {
  std::atomic<std::uint64_t> block, ring;
  std::atomic<std::uint64_t> last_taken, last;
};
static_assert(sizeof(Door) == 32);

inline constexpr std::uint32_t ring_cells = 32;
inline constexpr std::uint32_t small_ring_cells = 8;
/// Cells that a message of so many bytes takes.
constexpr std::uint64_t cells_of(std::uint64_t bytes) {
  return bytes <= sizeof(Cell::payload) ? 1 : (bytes + sizeof(Cell::payload) - 1) / sizeof(Cell::payload);
}
/// Room is given back in batches: one store for so many cells of a ring.
constexpr std::uint32_t credit_batch(std::uint32_t ring) { return ring == ring_cells ? 8 : 4; }
// Two longest messages still fit meanwhile, one of this step and one of the step before, which is the most that an
// exchange can have under channel.
static_assert(ring_cells - credit_batch(ring_cells) >= 2 * cells_of(longest_small_message));
/// A schedule that sends a member no more cells than this leaves it with a small ring: those of two schedules fit.
inline constexpr std::uint32_t most_cells_for_small_ring = 2;
static_assert(small_ring_cells - credit_batch(small_ring_cells) >= 2 * most_cells_for_small_ring);

/// In a member's segment, for one other member: what that one writes. The ring follows: small_ring_cells or ring_cells.
struct Inbox {
  Credit credit;
  Cell ring[];
};
static_assert(sizeof(Inbox) == sizeof(Credit));

/// What a header says: [tag:32][room of a parcel:4][parcels that the sender has taken from the reader, mod
/// 2^12:12][number of the cell in its ring's life, counting from 1, mod 2^16:16]. The cell's old content has
/// another number.
constexpr std::uint64_t make_header(std::uint32_t tag, std::uint32_t room, std::uint64_t taken, std::uint64_t number) {
  return std::uint64_t{tag} << 32 | std::uint64_t{room} << 28 | (taken & 0xFFF) << 16 | (number & 0xFFFF);
}
constexpr std::uint32_t tag_of(std::uint64_t header) { return static_cast<std::uint32_t>(header >> 32); }
constexpr std::uint32_t room_of(std::uint64_t header) { return static_cast<std::uint32_t>(header >> 28) & 0xF; }
constexpr std::uint32_t taken_of(std::uint64_t header) { return static_cast<std::uint32_t>(header >> 16) & 0xFFF; }
constexpr std::uint16_t number_of(std::uint64_t header) { return static_cast<std::uint16_t>(header); }

/// The tag: [kind of collective:6][type:2][check of the arguments:24].
enum class CellType : std::uint32_t {
  data = 0,
  control = 1,
  parcel = 2,
  none = 3
};  ///< none: nothing has been written to that cell
inline constexpr std::uint32_t check_mask = 0xFFFFFF;
constexpr std::uint32_t make_tag(std::uint32_t kind, CellType type, std::uint32_t check) {
  return kind << 26 | static_cast<std::uint32_t>(type) << 24 | (check & check_mask);
}
/// Of a tag of data, that of another type.
constexpr std::uint32_t as_type(std::uint32_t tag, CellType type) {
  return tag | static_cast<std::uint32_t>(type) << 24;
}

/// In a ring that replaces another. The number alone does not tell: the other ring's may have come round to it.
constexpr bool is_unwritten(std::uint64_t header) {
  return (tag_of(header) & make_tag(0, CellType::none, 0)) == make_tag(0, CellType::none, 0);
}

/// Longest parcel.
inline constexpr std::size_t room_bytes = std::size_t{64} << 10;
inline constexpr std::uint32_t rooms_each = 8;
inline constexpr std::uint32_t all_rooms = (1u << rooms_each) - 1;
static_assert(rooms_each <= 16);
/// To so many members a member grants rooms: 8 MiB. Others are told each time where to write.
inline constexpr std::uint32_t most_granted = 16;
/// Parcels that may be taken before the sender is told by a credit, if no cell went there that said so.
inline constexpr std::uint32_t most_untold_parcels = 4;

constexpr std::uint32_t kind_of_tag(std::uint32_t tag) { return tag >> 26; }

class Mailboxes {
 public:
  static std::size_t area_bytes(std::size_t members) {
    return sizeof(Presence) + (members * sizeof(Door) + 63) / 64 * 64;
  }
  /// Zeroes an area, before any member learns where it is.
  static void clear(std::byte* area, std::size_t members) { std::memset(area, 0, area_bytes(members)); }

  enum class Outcome { done, waiting, mismatch };

  /// `areas[m]` is the offset of member m's area in its segment.
  void open(const runtime::Parts& parts, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank);
  /// Before the first message to or from that member, and before a schedule in which `cells` come from it. Throws
  /// MemoryError. Not while another thread does so, or receives.
  void open_channel(std::uint32_t member, std::uint64_t cells) {
    const Channel* channel = channels_[member].get();
    if (channel == nullptr) make_channel(member, cells);
    else if (cells > most_cells_for_small_ring && !offers_full_ring(*channel)) replace_ring(member);
  }

  PeId pe(std::uint32_t member) const { return pes_[member]; }
  /// The peer's memory at that offset, null when it is not mapped.
  std::byte* mapped(std::uint32_t member, std::uint64_t offset, std::uint64_t bytes) const {
    return one_sided_->peer_pointer<std::byte>(pes_[member], HeapOffset(offset), bytes);
  }

  /// Announces that operation number `sequence` has started here.
  void announce(std::uint64_t sequence, std::uint32_t kind, std::uint32_t check) {
    presence_->announce(sequence, kind, check);
  }
  /// What the member has started last.
  Announced announced(std::uint32_t member) const {
    return Announced::read([&](std::size_t offset) {
      return one_sided_->fetch<std::uint64_t>(pes_[member], HeapOffset(area(member).value() + offset));
    });
  }

  /// This member gives up: its caller may use its memory again.
  void withdraw() {
    presence_->withdrawn.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(
        std::memory_order_release);  // later writes to that memory are ordered after it. Partner: has_withdrawn()
  }
  /// False: data read before this call are the data that the member had offered.
  bool has_withdrawn(std::uint32_t member) const {
    std::atomic_thread_fence(std::memory_order_acquire);  // partner: withdraw()
    if (auto* presence = one_sided_->peer_pointer<Presence>(pes_[member], area(member)))
      return presence->withdrawn.load(std::memory_order_relaxed) != 0;
    return one_sided_->fetch<std::uint64_t>(pes_[member],
                                            HeapOffset(area(member).value() + offsetof(Presence, withdrawn))) != 0;
  }
  /// Whether a member of this node has come to that operation, or gone on.
  bool has_begun(std::uint32_t member, std::uint64_t sequence) const {
    // Relaxed: nothing else is concluded from it.
    return one_sided_->peer_pointer<Presence>(pes_[member], area(member))->started.load(std::memory_order_relaxed) >>
           8 >= sequence;
  }

  bool has_room(std::uint32_t member, std::uint32_t cells = 1) {
    Channel& channel = *channels_[member];
    if (channel.sent - channel.known_read + cells <= channel.remote_cells) return true;
    if (!channel.known && !learn(member)) return false;
    // Acquire: the reader is done with those cells. Partner: the release in finish_cell.
    channel.known_read = channel.credit->read.load(std::memory_order_acquire);
    if (channel.sent - channel.known_read + cells <= channel.remote_cells) return true;
    return channel.remote_cells != ring_cells && learn_ring(member) &&
           channel.sent - channel.known_read + cells <= ring_cells;
  }

  /// Sends a message, or the rest of it: `cells` counts those already sent. False: no room for the rest.
  bool put(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes, std::uint32_t& cells) {
    Channel& channel = *channels_[member];
    if (channel.remote == nullptr) [[unlikely]]
      return put_remote(member, tag, data, bytes, cells);
    do {
      if (!has_room(member)) [[unlikely]]
        return false;
      std::uint64_t done = std::uint64_t{cells} * sizeof(Cell::payload);
      Cell& cell = channel.next_remote();
      copy_payload(cell.payload, data + done, bytes - done);
      send_cell(channel, cell, tag);
      ++cells;
    } while (std::uint64_t{cells} * sizeof(Cell::payload) < bytes);
    fabric::ring_bell(*channel.record);
    return true;
  }
  /// The same for a value that fits a cell and is made of `parts`, to a member for whom there is room. It is made where
  /// it goes: one that was put together elsewhere and copied in wider pieces would wait for its own stores.
  template <class T, class... Parts>
  void put_value(std::uint32_t member, std::uint32_t tag, Parts... parts) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Cell::payload));
    Channel& channel = *channels_[member];
    if (channel.remote == nullptr) [[unlikely]] {
      const T value{parts...};
      std::uint32_t cells = 0;
      (void)put_remote(member, tag, reinterpret_cast<const std::byte*>(&value), sizeof(T), cells);
      return;
    }
    Cell& cell = channel.next_remote();
    new (cell.payload) T{parts...};
    send_cell(channel, cell, tag);
    fabric::ring_bell(*channel.record);
  }

  /// The next cell of the member when it has arrived, else null. `tag` is set to its tag.
  const Cell* peek(std::uint32_t member, std::uint32_t& tag) const {
    Channel& channel = *channels_[member];
    const Cell* cell = &channel.next_local();
    std::uint64_t header = cell->header.load(std::memory_order_acquire);  // partner: the release in put
    const auto number = static_cast<std::uint16_t>(channel.received + 1);
    if (number_of(header) != number) {
      if (channel.replacement == nullptr) [[likely]]
        return nullptr;
      cell = &channel.replacement[channel.received % ring_cells];
      header = cell->header.load(std::memory_order_acquire);
      if (number_of(header) != number || is_unwritten(header)) return nullptr;
      channel.local = std::exchange(channel.replacement, nullptr);
      channel.local_cells = ring_cells;
    }
    tag = tag_of(header);
    // Of a sender that is ahead, the next are being loaded while this one is read.
    __builtin_prefetch(&channel.local[(channel.received + 2) % channel.local_cells]);
    return cell;
  }
  /// The same, and looks as often as patience allows. Network messages arrive by polling it, not by looking
  /// here.
  const Cell* await(std::uint32_t member, std::uint32_t& tag) const {
    const Channel& channel = *channels_[member];
    const std::atomic<std::uint64_t>& header = channel.next_local().header;
    const auto number = static_cast<std::uint16_t>(channel.received + 1);
    // Few loads in flight when the line arrives: a message and its answer took 35 ns with pauses, 58 without.
    int looks = channel.near ? patience_ : 0;
    for (; looks > 0 && number_of(header.load(std::memory_order_relaxed)) != number; --looks) cpu_relax();
    return peek(member, tag);
  }
  /// How often await() looks, each time for 20 ns. 0: where another process may need the core.
  void set_patience(int looks) { patience_ = looks; }
  bool is_patient() const { return patience_ != 0; }
  /// Gives the cell of the last peek back.
  void finish_cell(std::uint32_t member) {
    Channel& channel = *channels_[member];
    add(received_cells_, 1);
    if (!channel.near && !parcels_.empty()) [[unlikely]]
      note_taken_by_cell(member);
    if (++channel.received % credit_batch(channel.local_cells) == 0 && !closing_) give_credit(member);
  }

  /// Receives a message, or the rest of it.
  Outcome take(std::uint32_t member, std::uint32_t tag, std::byte* into, std::uint64_t bytes, std::uint32_t& cells) {
    do {
      std::uint32_t found;
      const Cell* cell = await(member, found);
      if (cell == nullptr) return Outcome::waiting;
      if (found != tag) [[unlikely]]
        return mismatch(member, found);
      std::uint64_t done = std::uint64_t{cells} * sizeof(Cell::payload);
      copy_payload(into + done, cell->payload, bytes - done);
      finish_cell(member);
      ++cells;
    } while (std::uint64_t{cells} * sizeof(Cell::payload) < bytes);
    return Outcome::done;
  }

  // Chunks of this member's segment that are lent to others, see StagingPool.

  /// Another one; its number, counting from 1.
  std::uint64_t lend(std::uint32_t member) { return ++channels_[member]->lent; }
  std::uint64_t lent_to(std::uint32_t member) const { return channels_[member]->lent; }
  /// Acquire: the member is done with so many of them. Partner: finish_lent().
  std::uint64_t lent_read(std::uint32_t member) const {
    return channels_[member]->credit->lent_read.load(std::memory_order_acquire);
  }
  /// Has read the next one that the member has lent.
  void finish_lent(std::uint32_t member) {
    Channel& channel = *channels_[member];
    if (channel.told == nullptr) [[unlikely]]
      return finish_lent_first(member);
    channel.told->lent_read.store(++channel.borrowed, std::memory_order_release);  // partner: lent_read()
    fabric::ring_bell(*channel.record);
  }

  // Parcels.

  /// Grants the member, which has none, rooms for what it sends. Null: it cannot have any.
  std::optional<HeapOffset> grant_rooms(std::uint32_t member);
  bool has_granted(std::uint32_t member) const { return !parcels_.empty() && parcels_[member].own != nullptr; }
  /// The member has granted rooms to this one.
  void learn_rooms(std::uint32_t member, HeapOffset at);
  bool knows_rooms(std::uint32_t member) const { return !parcels_.empty() && parcels_[member].known; }
  /// `data` may be reused on return. False: all rooms are full, or there is no room for the cell.
  bool put_parcel(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes);
  /// The same without a room: to that place in the member's segment, which its cell does not tell. For parcels of any
  /// length.
  bool put_in_place(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                    HeapOffset place);
  /// What a cell of the member's, of that type, tells of.
  const std::byte* parcel(std::uint32_t member, const Cell& cell) const {
    return parcels_[member].own + room_of(cell.header.load(std::memory_order_relaxed)) % rooms_each * room_bytes;
  }
  /// Gives that cell and its room back.
  void finish_parcel(std::uint32_t member);
  /// Frees rooms and blocks, when no member sends any more.
  void release();
  /// Whether all members to which a channel was opened have sent the address of their block: no such message is in
  /// flight.
  bool all_known();

  Outcome mismatch(std::uint32_t member, std::uint32_t found_tag) {
    wrong_member_ = member;
    wrong_tag_ = found_tag;
    return Outcome::mismatch;
  }

  std::uint32_t wrong_member() const { return wrong_member_; }
  std::uint32_t wrong_tag() const { return wrong_tag_; }
  /// From now on members' areas are only written to by messages that their owners wait for.
  void stop_credits() { closing_ = true; }
  /// Tells all that this member writes to their areas no more.
  void close();
  /// Whether all others have closed, and all their writes have arrived. Polls only members that had not closed before.
  bool all_closed();
  std::uint64_t received_cells() const { return received_cells_.load(std::memory_order_relaxed); }
  std::uint64_t moved_bytes() const { return moved_bytes_.load(std::memory_order_relaxed); }
  void count_moved(std::uint64_t bytes) { add(moved_bytes_, bytes); }

 private:
  // A cell's part of the remaining bytes.
  static void copy_payload(std::byte* to, const std::byte* from, std::uint64_t left) {
    if (left >= sizeof(Cell::payload)) std::memcpy(to, from, sizeof(Cell::payload));
    else if (left == 8) std::memcpy(to, from, 8);
    else if (left != 0) std::memcpy(to, from, left);
  }
  // One at a time counts: no locked instruction.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t by) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  struct alignas(64) Channel {
    Cell* remote = nullptr;  // the peer's ring for what this member sends; null: not mapped, or not known
    Cell* local = nullptr;  // this member's ring for what the peer sends
    const Credit* credit = nullptr;
    Credit* told = nullptr;  // the peer's, of this member; null: not mapped, or not known
    fabric::PeRecord* record = nullptr;
    std::uint64_t sent = 0;
    std::uint64_t known_read = std::uint64_t{0} - ring_cells;  // no room as long as the peer's block is not known
    std::uint64_t received = 0;
    std::uint64_t told_read = 0;  // by the last credit
    std::uint64_t lent = 0, borrowed = 0;  // chunks, to and from the peer
    PeId pe;
    bool near = false;  // the peer's memory is mapped
    bool known = false;  // where the peer's block lies
    std::uint8_t remote_cells = small_ring_cells, local_cells = small_ring_cells;
    HeapOffset remote_ring, remote_credit;
    Inbox* block = nullptr;
    Cell* replacement = nullptr;  // the ring of which the peer has been told, until its first cell there is seen

    Cell& next_remote() const { return remote[sent % remote_cells]; }
    Cell& next_local() const { return local[received % local_cells]; }
  };
  static_assert(sizeof(Channel) == 128);
  struct Parcels {
    std::byte* own = nullptr;  // rooms for what the member sends
    std::uint64_t taken = 0;  // out of these, and what the member was told of that
    std::uint64_t told_taken = 0, credited_taken = 0;  // in any channel, and by the last credit
    HeapOffset remote;  // its rooms
    bool known = false;
    std::uint32_t full = 0;  // a bit for each of them: the same are used again, while the caches have them
    std::uint8_t order[rooms_each] = {};  // in which they were filled, and are taken
    std::uint64_t sent = 0;
    std::uint64_t known_taken = 0;
  };
  void send_cell(Channel& channel, Cell& cell, std::uint32_t tag) {
    // Release: the payload. Partner: the acquire in peek.
    cell.header.store(make_header(tag, 0, 0, channel.sent + 1), std::memory_order_release);
    ++channel.sent;
    count_moved(sizeof(Cell));
  }
  std::vector<Parcels> parcels_;  // of all members, once there are any
  std::uint32_t granted_ = 0;

  bool put_remote(std::uint32_t member, std::uint32_t tag, const std::byte* data, std::uint64_t bytes,
                  std::uint32_t& cells);
  std::uint64_t header_for(std::uint32_t member, std::uint32_t tag, std::uint32_t room, std::uint64_t number);
  static void note_taken(Parcels& to, std::uint64_t taken);
  void note_taken_by_cell(std::uint32_t member);
  void deliver_with_cell(Channel& channel, HeapOffset place, const std::byte* data, std::uint64_t bytes,
                         std::uint64_t header);
  void give_credit(std::uint32_t member);
  void finish_lent_first(std::uint32_t member);
  void make_channel(std::uint32_t member, std::uint64_t cells);
  static bool offers_full_ring(const Channel& channel) {
    return channel.local_cells == ring_cells || channel.replacement != nullptr;
  }
  // Not in the block: the ring has been replaced, or will be.
  static Cell* replaced_by(const Channel& channel) {
    if (channel.replacement != nullptr) return channel.replacement;
    return channel.local != channel.block->ring ? channel.local : nullptr;
  }
  void replace_ring(std::uint32_t member);
  void replace_full_ring(std::uint32_t member, std::uint64_t told_before);
  bool learn(std::uint32_t member);
  bool learn_ring(std::uint32_t member);
  bool await_block(std::uint32_t member);
  HeapOffset area(std::uint32_t member) const { return areas_.size() == 1 ? areas_.front() : areas_[member]; }
  /// This member's door at that one.
  HeapOffset door_at(std::uint32_t member, std::size_t field) const {
    return HeapOffset(area(member).value() + sizeof(Presence) + me_ * sizeof(Door) + field);
  }
  bool is_near(std::uint32_t member) const { return mapped(member, 0, 1) != nullptr; }

  runtime::OneSided* one_sided_ = nullptr;
  runtime::Heap* heap_ = nullptr;
  runtime::Progress* progress_ = nullptr;
  Presence* presence_ = nullptr;
  const Door* doors_ = nullptr;  // the others', at this member
  std::size_t me_ = 0;
  std::vector<PeId> pes_;
  std::vector<HeapOffset> areas_;  // one: all have it at the same offset
  std::vector<std::unique_ptr<Channel>> channels_;  // null: no message between the two yet
  // Counted by the executor of a collective, which may be the progress thread; read by threads that wait for it.
  std::atomic<std::uint64_t> moved_bytes_{0};
  std::atomic<std::uint64_t> received_cells_{0};
  bool closing_ = false;
  std::size_t closed_ = 0;  // members of whom all_closed() knows, from the first on
  int patience_ = 0;
  std::uint32_t wrong_member_ = 0;
  std::uint32_t wrong_tag_ = 0;
};

}  // namespace atl::coll::detail
