// SPDX-License-Identifier: Apache-2.0
// Collective operations over a set of PEs. A Communicator owns everything they need: its members, the mailboxes
// through which they talk, the schedules made so far. Nothing is process-wide.
#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/base/raise.hpp"
#include "atoll/coll/placement.hpp"

namespace atl::runtime {
class Context;
class Team;
}  // namespace atl::runtime

namespace atl::coll {

/// Element types of reductions: those of array::DType, in its order, then those that only C programs reduce.
enum class Type : std::uint8_t { boolean = 0, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, long_double, c64, c128 };
inline constexpr std::size_t type_count = 14;

/// Complex numbers have sum and prod only, floating point no bit_*. min and max hand NaN on, as NumPy's do. On boolean:
/// sum, max and bit_or are "or"; prod, min and bit_and "and".
enum class Op : std::uint8_t { sum = 0, prod, min, max, bit_and, bit_or, bit_xor };
inline constexpr std::size_t op_count = 7;

std::size_t size_of(Type type);

template <class T>
inline constexpr Type type_of = [] {
  if constexpr (std::is_same_v<T, bool>) return Type::boolean;
  else if constexpr (std::is_same_v<T, float>) return Type::f32;
  else if constexpr (std::is_same_v<T, double>) return Type::f64;
  else if constexpr (std::is_same_v<T, long double>) return Type::long_double;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return Type::c64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return Type::c128;
  else {
    static_assert(std::is_integral_v<T>);
    constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<Type>((std::is_signed_v<T> ? 1 : 5) + log2);
  }
}();

/// A reduction of the caller's own. Associative; need not commute: `left` always comes from lower PEs than `right`.
struct Functor {
  /// into[i] = left[i] ∘ right[i] for i below count. `into` may be `left` or `right`.
  using Combine = void (*)(void* into, const void* left, const void* right, std::size_t count, void* state);
  std::size_t element_bytes = 0;
  Combine combine = nullptr;
  void* state = nullptr;
};

/// How elements are combined: a type with an operation, or a functor.
class Reduction {
 public:
  Reduction(Type type, Op op);
  explicit Reduction(const Functor& functor);

  std::size_t element_bytes() const { return functor_.element_bytes; }
  void operator()(void* into, const void* left, const void* right, std::size_t count) const {
    functor_.combine(into, left, right, count, functor_.state);
  }
  /// Identifies type and operation in the check that all PEs ask for the same. Functors all look alike.
  std::uint32_t code() const { return code_; }
  /// Writes the identity (0 for sum, +inf for min of floats, …); false for functors, which have none.
  bool fill_identity(void* into, std::size_t count) const;

 private:
  Functor functor_;
  std::uint32_t code_ = 0;
};

/// For any arithmetic or complex type.
template <class T>
Reduction reduction_of(Op op) {
  return Reduction(type_of<T>, op);
}

struct ConstBlock {
  const void* data = nullptr;
  std::size_t bytes = 0;
};
struct Block {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// Where the members' results go.
enum class Destination {
  anywhere,
  /// To the same offset of every member's segment, which all may write to as soon as the first has called (OpenSHMEM's
  /// rule): no member sends its address, and nothing is copied on the way. All members pass the same value. Private
  /// memory may be given, but then by all, and is treated like `anywhere`.
  symmetric,
};

/// One object per PE, which every member may read and write in place.
template <class T>
class PeerPointers {
 public:
  PeerPointers() = default;
  PeerPointers(std::vector<T*> pointers, std::vector<HeapOffset> offsets)
      : pointers_(std::move(pointers)), offsets_(std::move(offsets)) {}
  /// Null when that member's object is not in memory mapped here (or it exposed null).
  T* operator[](std::size_t member) const { return pointers_[member]; }
  HeapOffset offset(std::size_t member) const { return offsets_[member]; }
  /// Whether that member's object lies where the PEs of its node can use it directly.
  bool in_segment(std::size_t member) const { return offsets_[member].value() != UINT64_MAX; }
  std::size_t size() const { return pointers_.size(); }
  T* const* data() const { return pointers_.data(); }
  /// True when every non-null object can be used directly.
  bool all_mapped() const {
    for (T* pointer : pointers_)
      if (pointer == nullptr) return false;
    return true;
  }

 private:
  std::vector<T*> pointers_;
  std::vector<HeapOffset> offsets_;
};

class Request;
class Persistent;
namespace detail {
class Engine;
}  // namespace detail

/// An ordered set of PEs. Members are numbered 0 … size()-1; every rank below is such a number.
///
/// Every operation is collective: all members call the same ones, in the same order, with agreeing arguments;
/// disagreement is an Error that names both calls. Operations on one communicator run in the order they were started.
/// Blocking operations return when this PE's part is complete: its buffers may be used again. One caller at a
/// time per communicator; different communicators may be used by different threads.
///
/// Buffers may lie anywhere. What lies in the heap of the Context is copied once, directly; private memory goes
/// through staging buffers in the heap. Of reductions and scans, `in` and `out` may be the same buffer (also in
/// allgather, when `in` is this member's block of `out`); otherwise buffers must not overlap.
///
/// Throws PeFailedError when a PE died, TimeoutError that names the members which have not arrived after
/// ATOLL_PEER_TIMEOUT. After either the communicator is of no more use.
class Communicator {
 public:
  /// All PEs of the job. Collective.
  explicit Communicator(runtime::Context& context);
  /// The members of the team, in its order; this PE must be one. Collective over them alone: the other PEs of the job
  /// take no part. Throws TimeoutError that names the members that have not come; `timeout_seconds` as in
  /// set_timeout_seconds().
  Communicator(runtime::Context& context, const runtime::Team& team, std::optional<double> timeout_seconds = {});
  /// Members that exchange by their own means where they may be written to: each makes an area, and the Communicator of
  /// all of them, in the order of members. Not collective.
  static HeapOffset make_area(runtime::Context& context, std::size_t members);
  Communicator(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank);
  /// The members of `parent` that give the same `colour`, ordered by (key, rank). Collective over the parent.
  Communicator(Communicator& parent, int colour, int key = 0);
  /// The same, where members without a colour get none. Throws MemoryError on all members when one has no memory.
  static std::optional<Communicator> split(Communicator& parent, std::optional<int> colour, int key = 0);
  /// Collective too (a barrier, so that no member uses the memory any more), unless the communicator has failed or an
  /// exception is being handled.
  ~Communicator();
  /// Ends it here without waiting for other members; no operation may be under way here. Other members may still run
  /// operations that they have started. Not from a hook.
  void close();
  /// Whether all members have closed theirs. Then the destructor releases its memory; before that, the memory stays
  /// allocated until the Context ends. In neither case does the destructor wait.
  bool all_closed();
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// The PE behind a member.
  PeId pe(int member) const;
  /// Which members share a node.
  const Placement& placement() const;
  runtime::Context& context() const;

  // --- Blocking forms. Costs: n members, a = latency of a small message, b = seconds per byte.

  /// Dissemination: a·⌈log2 n⌉.
  void barrier();
  /// `bytes` agrees everywhere. Binomial tree for small, scatter and allgather for large: 2·b·bytes.
  void broadcast(void* buffer, std::size_t bytes, int root);
  /// From the root's `in`, which others need not give, to everybody's `out`: the root copies while the others do.
  void broadcast(const void* in, void* out, std::size_t bytes, int root);

  // Reductions are evaluated in one fixed balanced tree over the ranks, whatever the size, so that equal inputs
  // give equal bits on every member, and an element does not depend on how many there are.
  /// Recursive doubling for small: a·log2 n; recursive halving and doubling for large: 2·b·bytes.
  void allreduce(const void* in, void* out, std::size_t count, const Reduction& reduction);
  /// `out` is used on `root` only.
  void reduce(const void* in, void* out, std::size_t count, const Reduction& reduction, int root);
  /// Over ranks 0 … this one.
  void scan(const void* in, void* out, std::size_t count, const Reduction& reduction);
  /// Over the ranks below this one. Rank 0 gets the identity; with a functor its `out` is left as it was.
  void exscan(const void* in, void* out, std::size_t count, const Reduction& reduction);

  /// `bytes` from every member, in rank order, to `out` on `root`.
  void gather(const void* in, std::size_t bytes, void* out, int root);
  void gatherv(const void* in, std::size_t bytes, std::span<const Block> out, int root);
  void scatter(const void* in, void* out, std::size_t bytes, int root);
  void scatterv(std::span<const ConstBlock> in, void* out, std::size_t bytes, int root);
  /// `bytes` from every member to every member.
  void allgather(const void* in, std::size_t bytes, void* out);
  /// Every member knows every size: `out[m].bytes` is what member m gives.
  void allgatherv(const void* in, std::size_t bytes, std::span<const Block> out);
  /// Block m of `in` goes to member m; `bytes` per block.
  void alltoall(const void* in, std::size_t bytes, void* out, Destination where = Destination::anywhere);
  /// `in[m]` goes to member m, `out[m]` comes from it; sizes must match those of the other side.
  void alltoallv(std::span<const ConstBlock> in, std::span<const Block> out);

  // --- Non-blocking forms. They run whenever the Context makes progress: in its progress thread, or in any call of
  // any operation. Buffers stay the operation's until wait() has returned (or test() said true).
  [[nodiscard]] Request ibarrier();
  [[nodiscard]] Request ibroadcast(void* buffer, std::size_t bytes, int root);
  [[nodiscard]] Request iallreduce(const void* in, void* out, std::size_t count, const Reduction& reduction);
  [[nodiscard]] Request ireduce(const void* in, void* out, std::size_t count, const Reduction& reduction, int root);
  [[nodiscard]] Request iscan(const void* in, void* out, std::size_t count, const Reduction& reduction);
  [[nodiscard]] Request iexscan(const void* in, void* out, std::size_t count, const Reduction& reduction);
  [[nodiscard]] Request igather(const void* in, std::size_t bytes, void* out, int root);
  [[nodiscard]] Request igatherv(const void* in, std::size_t bytes, std::span<const Block> out, int root);
  [[nodiscard]] Request iscatter(const void* in, void* out, std::size_t bytes, int root);
  [[nodiscard]] Request iscatterv(std::span<const ConstBlock> in, void* out, std::size_t bytes, int root);
  [[nodiscard]] Request iallgather(const void* in, std::size_t bytes, void* out);
  [[nodiscard]] Request iallgatherv(const void* in, std::size_t bytes, std::span<const Block> out);
  [[nodiscard]] Request ialltoall(const void* in, std::size_t bytes, void* out,
                                  Destination where = Destination::anywhere);
  [[nodiscard]] Request ialltoallv(std::span<const ConstBlock> in, std::span<const Block> out);

  // --- Persistent forms: the schedule is made once, and start() runs it as the non-blocking form would, as often as
  // one likes. Buffers stay where they are; lists of blocks are used during the call alone. Collective, like what they
  // prepare.

  Persistent barrier_init();
  Persistent broadcast_init(void* buffer, std::size_t bytes, int root);
  Persistent allreduce_init(const void* in, void* out, std::size_t count, const Reduction& reduction);
  Persistent reduce_init(const void* in, void* out, std::size_t count, const Reduction& reduction, int root);
  Persistent scan_init(const void* in, void* out, std::size_t count, const Reduction& reduction);
  Persistent exscan_init(const void* in, void* out, std::size_t count, const Reduction& reduction);
  Persistent gather_init(const void* in, std::size_t bytes, void* out, int root);
  Persistent gatherv_init(const void* in, std::size_t bytes, std::span<const Block> out, int root);
  Persistent scatter_init(const void* in, void* out, std::size_t bytes, int root);
  Persistent scatterv_init(std::span<const ConstBlock> in, void* out, std::size_t bytes, int root);
  Persistent allgather_init(const void* in, std::size_t bytes, void* out);
  Persistent allgatherv_init(const void* in, std::size_t bytes, std::span<const Block> out);
  Persistent alltoall_init(const void* in, std::size_t bytes, void* out, Destination where = Destination::anywhere);
  Persistent alltoallv_init(std::span<const ConstBlock> in, std::span<const Block> out);

  // --- Conveniences on values of trivially copyable types.

  template <class T>
  T allreduce(T value, Op op) {
    T result;
    allreduce(&value, &result, 1, Reduction(type_of<T>, op));
    return result;
  }
  template <class T>
  T allreduce_sum(T value) {
    return allreduce(value, Op::sum);
  }
  template <class T>
  T allreduce_min(T value) {
    return allreduce(value, Op::min);
  }
  template <class T>
  T allreduce_max(T value) {
    return allreduce(value, Op::max);
  }
  /// True when it is true on every member.
  bool all(bool value) { return allreduce(value, Op::bit_and); }
  bool any(bool value) { return allreduce(value, Op::bit_or); }
  template <class T>
  T exscan_sum(T value) {
    T result;
    exscan(&value, &result, 1, Reduction(type_of<T>, Op::sum));
    return result;
  }
  template <class T>
  T broadcast_value(T value, int root) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast(&value, sizeof(T), root);
    return value;
  }
  /// One value per member, in rank order.
  template <class T>
  std::vector<T> allgather(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    std::vector<T> result(static_cast<std::size_t>(size()));
    allgather(&value, sizeof(T), result.data());
    return result;
  }
  /// Any number of values per member, concatenated in rank order. `counts` receives how many each gave.
  template <class T>
  std::vector<T> allgatherv(std::span<const T> values, std::vector<std::size_t>* counts = nullptr) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    std::vector<std::size_t> sizes = allgather(values.size());
    std::size_t total = 0;
    for (std::size_t count : sizes) total += count;
    std::vector<T> result(total);
    std::vector<Block> blocks(sizes.size());
    std::size_t at = 0;
    for (std::size_t member = 0; member < sizes.size(); ++member) {
      blocks[member] = {result.data() + at, sizes[member] * sizeof(T)};
      at += sizes[member];
    }
    allgatherv(values.data(), values.size_bytes(), blocks);
    if (counts != nullptr) *counts = std::move(sizes);
    return result;
  }
  /// One value from every member on `root`, nothing elsewhere.
  template <class T>
  std::vector<T> gather(const T& value, int root) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    std::vector<T> result(rank() == root ? static_cast<std::size_t>(size()) : 0);
    gather(&value, sizeof(T), result.data(), root);
    return result;
  }
  /// One value to and from every member: result[m] is what member m gave for this one.
  template <class T>
  std::vector<T> alltoall(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    if (values.size() != static_cast<std::size_t>(size())) [[unlikely]]
      raise<ValueError>("alltoall needs one value per member: " + std::to_string(values.size()) + " given, " +
                        std::to_string(size()) + " members");
    std::vector<T> result(values.size());
    alltoall(values.data(), sizeof(T), result.data());
    return result;
  }
  /// The root's bytes, whose number the others need not know. What they pass is ignored.
  std::vector<std::byte> broadcast_bytes(std::vector<std::byte> bytes, int root);
  std::string broadcast_text(std::string_view text, int root);

  // --- Building blocks.

  /// Makes one object per member known to all, so that they can be read and written in place. Objects in the heap of
  /// a co-located PE become pointers. Reading what a member writes needs a barrier in between, as always.
  template <class T>
  PeerPointers<T> expose(T* object) {
    std::vector<void*> pointers;
    std::vector<HeapOffset> offsets;
    expose_bytes(const_cast<std::remove_const_t<T>*>(object), pointers, offsets);
    std::vector<T*> typed(pointers.size());
    for (std::size_t member = 0; member < pointers.size(); ++member) typed[member] = static_cast<T*>(pointers[member]);
    return PeerPointers<T>(std::move(typed), std::move(offsets));
  }

  /// Uses these algorithms from now on, as ATOLL_COLL does: "allreduce=recursive_doubling,broadcast=binomial".
  /// Must be given alike on all members. Throws ValueError that lists the names.
  void force_algorithms(std::string_view choices);
  /// Overrides ATOLL_PEER_TIMEOUT. 0: for ever. Infinity: for ever, unless a member that has not come is stopped for
  /// ATOLL_PEER_TIMEOUT.
  void set_timeout_seconds(double seconds);

  /// Calls `look` every 50 ms while a call of this PE waits for other members, on the waiting thread and outside of all
  /// handlers and hooks. It must not throw, and must not call the communicator. Empty: no longer.
  void set_wait_callback(std::function<void()> look);

  /// Of no more use: what is under way, and every call from now on, throws this. For members that have died or given
  /// up. Any thread may do that, but no handler or hook.
  void fail(std::exception_ptr why);

  /// After non-blocking operations that were only look()ed at, out of hooks: takes away what slows other waits.
  void rest();

  /// Bytes this PE has put or fetched for collectives so far, mailbox lines included.
  std::uint64_t moved_bytes() const;

 private:
  explicit Communicator(std::unique_ptr<detail::Engine> engine);
  template <class... Rest>
  Persistent persist(Rest&&... rest);
  void expose_bytes(void* object, std::vector<void*>& pointers, std::vector<HeapOffset>& offsets);
  std::unique_ptr<detail::Engine> engine_;
  int rank_ = 0;
  int size_ = 1;
};

/// A started operation. Movable. Destruction waits for it. A communicator that ends first has waited for it: it is then
/// complete.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept
      : engine_(std::exchange(other.engine_, nullptr)), ticket_(other.ticket_), ended_(std::move(other.ended_)) {}
  Request& operator=(Request&& other) noexcept;
  ~Request();

  /// Makes progress; true when complete (also for an empty request). Throws what the operation failed with.
  bool test();
  /// Returns when complete.
  void wait();
  /// Whether it is, without making progress: from a hook too. Throws as test(). When it is, the request is empty.
  bool look();

 private:
  friend class Communicator;
  friend class Persistent;
  Request(detail::Engine* engine, std::uint64_t ticket);
  bool is_over() const { return engine_ == nullptr || ended_->load(std::memory_order_acquire); }
  detail::Engine* engine_ = nullptr;
  std::uint64_t ticket_ = 0;
  std::shared_ptr<const std::atomic<bool>> ended_;  // the communicator has
};

/// A prepared operation. Movable. One start at a time: its request is complete before the next. ValueError when the
/// communicator has ended.
class Persistent {
 public:
  Persistent() = default;
  Request start();

 private:
  friend class Communicator;
  Persistent(detail::Engine* engine, std::shared_ptr<const void> prepared);
  detail::Engine* engine_ = nullptr;
  std::shared_ptr<const void> prepared_;
  std::shared_ptr<const std::atomic<bool>> ended_;
};

}  // namespace atl::coll
