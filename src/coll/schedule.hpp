// SPDX-License-Identifier: Apache-2.0
// A collective as data: the steps one member takes, each triggered by its own predecessor and, where it receives,
// by the arrival count of one mailbox reaching the next number. Executors run it; nothing here touches memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/coll/placement.hpp"

namespace atl::coll::detail {

/// Memory of the member that runs the schedule. Bound to addresses only when it runs, so schedules can be kept.
enum class Space : std::uint8_t {
  input,    ///< the caller's `in`
  output,   ///< the caller's `out`
  scratch,  ///< Schedule::scratch_bytes of the communicator's own, in the heap
  address,  ///< `offset` is the address itself (lists of blocks)
};

struct Ref {
  Space space = Space::input;
  std::uint64_t offset = 0;
  Ref operator+(std::uint64_t bytes) const { return {space, offset + bytes}; }
  bool operator==(const Ref&) const = default;
};
inline constexpr Ref in_at(std::uint64_t offset) { return {Space::input, offset}; }
inline constexpr Ref out_at(std::uint64_t offset) { return {Space::output, offset}; }
inline constexpr Ref scratch_at(std::uint64_t offset) { return {Space::scratch, offset}; }
inline Ref address_of(const void* pointer) { return {Space::address, reinterpret_cast<std::uint64_t>(pointer)}; }

/// From which side what arrives enters a reduction.
enum class Side : std::uint8_t { left, right };

struct Step {
  enum class Kind : std::uint8_t {
    put,        ///< small message from `from` into the peer's mailbox; complete when stored
    take,       ///< next small message of the peer to `into`
    fold,       ///< into = arriving ∘ from, or from ∘ arriving
    send,       ///< offers `from` to the peer; complete at the next join
    recv,       ///< accepts the peer's offer into `into`; complete at the next join
    recv_fold,  ///< likewise, combined with `from`
    join,       ///< all sends and receives since the last join are complete
    copy,       ///< into = from
    reduce,     ///< into = from ∘ right
    identity,   ///< into = identity of the reduction
  };
  Kind kind;
  Side side = Side::left;  ///< of what arrives
  std::uint32_t peer = 0;
  std::uint64_t bytes = 0;
  Ref into;
  Ref from;
  Ref right;
  bool placed =
      false;  ///< send, recv: the sender knows where in the output it belongs (send: `into`), if that is symmetric
};

/// Messages up to this size travel inside mailbox cells; longer ones are offered and then copied directly. A mailbox
/// holds three of the longest, so that an exchange never waits for room (see mailbox.hpp).
inline constexpr std::size_t longest_small_message = 1008;  // 9 cells of 120 bytes
/// The same between members of one node that have a core each. A direct copy costs an answer more, but no
/// line is written by one core to be read by another: an allgather of 512 bytes takes 0.15 µs instead of 0.20, a
/// broadcast as long.
inline constexpr std::size_t longest_small_message_nearby = 240;  // 2 cells
/// Up to this, data is written to its destination if the sender knows it. Between nodes longer ones are read by
/// the receiver: what follows a write of 1 MiB over TCP may be held up for milliseconds.
inline constexpr std::uint64_t longest_written = std::uint64_t{256} << 10;

struct Schedule {
  std::vector<Step> steps;
  std::uint64_t scratch_bytes = 0;
};

/// Writes a schedule for member `rank` of `size`. Chooses between small and large messages by length alone, so both
/// ends agree. A message of no bytes is no message.
class ScheduleBuilder {
 public:
  /// `small`: longest_small_message_nearby, or where members share cores longest_small_message.
  ScheduleBuilder(Schedule& schedule, int rank, const Placement& placement, std::size_t small)
      : schedule_(schedule),
        placement_(placement),
        rank_(rank),
        size_(placement.size()),
        node_(placement.node_of(rank)),
        small_(small) {
    schedule_.steps.clear();
    schedule_.scratch_bytes = 0;
  }
  /// Writes what an algorithm does among some members into the same schedule: `members[rank]` is this one. What the
  /// algorithm calls input and output lies at `input` and `output`.
  ScheduleBuilder(ScheduleBuilder& all, std::span<const int> members, int rank, Ref input, Ref output)
      : schedule_(all.schedule_),
        placement_(all.placement_),
        members_(members),
        rank_(rank),
        size_(static_cast<int>(members.size())),
        node_(all.node_),
        small_(all.small_),
        input_(all.there(input)),
        output_(all.there(output)) {}
  /// The same members and schedule; what an algorithm calls output lies at `output`.
  ScheduleBuilder(ScheduleBuilder& all, Ref output) : ScheduleBuilder(all, all.members_, all.rank_, in_at(0), output) {
    size_ = all.size_;
  }
  ScheduleBuilder(const ScheduleBuilder&) = delete;
  ScheduleBuilder& operator=(const ScheduleBuilder&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Of all members.
  const Placement& placement() const { return placement_; }
  /// Whether some peer may read a message of that length where it lies, until the next join.
  bool reads_in_place(std::uint64_t bytes) const { return bytes > small_; }

  void send(int peer, Ref from, std::uint64_t bytes) {
    if (bytes == 0) return;
    add({is_small(peer, bytes) ? Step::Kind::put : Step::Kind::send,
         Side::left,
         member(peer),
         bytes,
         {},
         there(from),
         {}});
  }
  /// To that place of the peer's own output, which calls recv_at().
  void send_to(Ref place, int peer, Ref from, std::uint64_t bytes) {
    if (is_small(peer, bytes)) return send(peer, from, bytes);
    add({Step::Kind::send, Side::left, member(peer), bytes, there(place), there(from), {}, true});
  }
  void recv(int peer, Ref into, std::uint64_t bytes) {
    if (bytes == 0) return;
    add({is_small(peer, bytes) ? Step::Kind::take : Step::Kind::recv,
         Side::left,
         member(peer),
         bytes,
         there(into),
         {},
         {}});
  }
  void recv_at(int peer, Ref place, std::uint64_t bytes) {
    if (is_small(peer, bytes)) return recv(peer, place, bytes);
    add({Step::Kind::recv, Side::left, member(peer), bytes, there(place), {}, {}, true});
  }
  /// into = arriving ∘ own when `side` (of what arrives) is left, own ∘ arriving otherwise.
  void recv_fold(int peer, Ref into, Ref own, std::uint64_t bytes, Side side) {
    if (bytes == 0) return;
    add({is_small(peer, bytes) ? Step::Kind::fold : Step::Kind::recv_fold,
         side,
         member(peer),
         bytes,
         there(into),
         there(own),
         {}});
  }
  /// A message without content.
  void signal(int peer) { add({Step::Kind::put, Side::left, member(peer), 0, {}, {}, {}}); }
  void await(int peer) { add({Step::Kind::take, Side::left, member(peer), 0, {}, {}, {}}); }
  /// Ends a group: between two joins at most one large message goes each way between two members, and sends are
  /// listed before receives.
  void join() {
    if (pending_) schedule_.steps.push_back({Step::Kind::join, Side::left, 0, 0, {}, {}, {}});
    pending_ = false;
  }
  /// Copies that follow one another in both places become one.
  void copy(Ref into, Ref from, std::uint64_t bytes) {
    if (bytes == 0) return;
    into = there(into), from = there(from);
    if (!schedule_.steps.empty()) {
      Step& last = schedule_.steps.back();
      if (last.kind == Step::Kind::copy && last.into + last.bytes == into && last.from + last.bytes == from) {
        last.bytes += bytes;
        return;
      }
    }
    add({Step::Kind::copy, Side::left, 0, bytes, into, from, {}});
  }
  /// The same while others still read: before the last join, where that is the last step.
  void copy_meanwhile(Ref into, Ref from, std::uint64_t bytes) {
    if (bytes == 0) return;
    auto& all = schedule_.steps;
    const bool joined = !all.empty() && all.back().kind == Step::Kind::join;
    all.insert(all.end() - (joined ? 1 : 0), {Step::Kind::copy, Side::left, 0, bytes, there(into), there(from), {}});
  }
  void reduce(Ref into, Ref left, Ref right, std::uint64_t bytes) {
    if (bytes != 0) add({Step::Kind::reduce, Side::left, 0, bytes, there(into), there(left), there(right)});
  }
  void identity(Ref into, std::uint64_t bytes) {
    if (bytes != 0) add({Step::Kind::identity, Side::left, 0, bytes, there(into), {}, {}});
  }
  /// Reserves scratch; 64-byte aligned.
  Ref scratch(std::uint64_t bytes) {
    Ref at = scratch_at(schedule_.scratch_bytes);
    schedule_.scratch_bytes += (bytes + 63) / 64 * 64;
    return at;
  }

 private:
  void add(const Step& step) {
    schedule_.steps.push_back(step);
    pending_ = pending_ || step.kind == Step::Kind::send || step.kind == Step::Kind::recv ||
               step.kind == Step::Kind::recv_fold;
  }
  std::uint32_t member(int peer) const {
    return static_cast<std::uint32_t>(members_.empty() ? peer : members_[static_cast<std::size_t>(peer)]);
  }
  bool is_small(int peer, std::uint64_t bytes) const {
    const bool nearby = placement_.node_of(static_cast<int>(member(peer))) == node_;
    return bytes <= (nearby ? small_ : longest_small_message);
  }
  Ref there(Ref ref) const {
    if (ref.space == Space::input) return input_ + ref.offset;
    if (ref.space == Space::output) return output_ + ref.offset;
    return ref;
  }
  Schedule& schedule_;
  const Placement& placement_;
  std::span<const int> members_;  // empty: all
  int rank_;
  int size_;
  int node_;
  std::size_t small_;
  Ref input_ = in_at(0);
  Ref output_ = out_at(0);
  bool pending_ = false;
};

}  // namespace atl::coll::detail
