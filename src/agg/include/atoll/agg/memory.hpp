// SPDX-License-Identifier: Apache-2.0
// Many small accesses to arrays spread over the PEs: updates (put, add, …) and gets, by (member, index).
//
// Where a member's array is mapped an access is a load, a store or an atomic, done some pushes later than its line
// was asked for, so that many misses are under way at once. Elsewhere accesses travel in messages.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoll/agg/hub.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/prefetch.hpp"
#include "atoll/base/validate.hpp"

namespace atl::agg {

enum class Update { put, add, bit_or, bit_xor, min, max };

namespace detail {

/// Atomic, also where only messages write: other members may reach the same word directly.
template <class T, Update update>
void apply(T& target, T value) {
  std::atomic_ref<T> word(target);
  // Relaxed: finish() orders everything before it with everything after.
  if constexpr (update == Update::put) word.store(value, std::memory_order_relaxed);
  else if constexpr (update == Update::add) word.fetch_add(value, std::memory_order_relaxed);
  else if constexpr (update == Update::bit_or) word.fetch_or(value, std::memory_order_relaxed);
  else if constexpr (update == Update::bit_xor) word.fetch_xor(value, std::memory_order_relaxed);
  else {
    T old = word.load(std::memory_order_relaxed);
    while ((update == Update::min ? value < old : value > old) &&
           !word.compare_exchange_weak(old, value, std::memory_order_relaxed)) {}
  }
}

/// Address and length of every member's array.
template <class T>
class Table {
 public:
  Table(coll::Communicator& communicator, T* own, std::uint64_t count, Path path)
      : pointers_(communicator.expose(own)), counts_(communicator.allgather(count)) {
    auto rank = static_cast<std::size_t>(communicator.rank());
    for (std::size_t member = 0; member < counts_.size(); ++member) {
      bool direct = member == rank || path == Path::automatic;
      bases_.push_back(direct ? pointers_[member] : nullptr);
      if (counts_[member] > longest_) longest_ = counts_[member];
      if (counts_[member] != 0 && !pointers_.in_segment(member)) all_in_segments_ = false;
    }
  }
  /// Null where the member is reached by messages.
  T* base(int member) const { return bases_[static_cast<std::size_t>(member)]; }
  /// Where the item's element lies, whose index (of that type) is at its start; null: there is none.
  template <class Index>
  T* element(const Items& items, std::size_t i) const {
    Index index;
    std::memcpy(&index, items[i], sizeof(Index));
    auto member = static_cast<std::size_t>(items.member(i));
    return index < counts_[member] ? pointers_[member] + index : nullptr;
  }
  template <class Index>
  [[noreturn]] void fail(const Items& items, std::size_t i) const {
    Index index;
    std::memcpy(&index, items[i], sizeof(Index));
    check(items.member(i), index);
    raise<Error>("unreachable");
  }
  /// Whether any PE of a node reaches the arrays of the others.
  bool all_in_segments() const { return all_in_segments_; }
  std::uint64_t count(int member) const { return counts_[static_cast<std::size_t>(member)]; }
  /// Indices are sent in so many bytes.
  std::size_t index_bytes() const { return longest_ <= UINT32_MAX ? 4 : 8; }
  void check(int member, std::uint64_t index) const {
    ATOLL_VALIDATE(member >= 0 && static_cast<std::size_t>(member) < counts_.size() && index < count(member),
                   IndexError, "element {} of member {}: there are {} members, and that one has {} elements", index,
                   member, counts_.size(), static_cast<std::size_t>(member) < counts_.size() ? count(member) : 0);
  }

 private:
  coll::PeerPointers<T> pointers_;
  std::vector<std::uint64_t> counts_;
  std::vector<T*> bases_;
  std::uint64_t longest_ = 0;
  bool all_in_segments_ = true;
};

/// Maximum number of prefetched accesses. 32: more than the 20 or so outstanding misses of a core.
inline constexpr std::size_t in_flight = 32;

}  // namespace detail

/// Updates of single elements, in no particular order, except that updates of one element by one member with
/// Update::put keep theirs. Complete after finish() on all members.
template <class T, Update update = Update::put>
class UpdateAggregator final : public Aggregator {
 public:
  /// Collective. `own` is this member's array of `count` elements; anybody may update it until the aggregator is gone.
  UpdateAggregator(Hub& hub, T* own, std::uint64_t count, const Options& options = {})
      : UpdateAggregator(hub, detail::Table<T>(hub.communicator(), own, count, options.path), options) {}
  ~UpdateAggregator() override { close(); }

  void push(int member, std::uint64_t index, T value) {
    ATOLL_EXPECT((table_.check(member, index), true));
    if (T* base = table_.base(member); base != nullptr) [[likely]] {
      Pending& pending = pending_[next_];
      next_ = (next_ + 1) % detail::in_flight;
      if (pending.target != nullptr) [[likely]]
        detail::apply<T, update>(*pending.target, pending.value);
      prefetch_for_write(base + index);
      pending = {base + index, value};
      return;
    }
    push_message(member, index, value);
  }

  void finish() override {
    complete_pending();
    Aggregator::finish();
  }
  /// The next finish() will find direct updates complete in any case; this makes them so now.
  void complete_pending() {
    for (std::size_t i = 0; i < detail::in_flight; ++i) {
      Pending& pending = pending_[(next_ + i) % detail::in_flight];
      if (pending.target != nullptr) detail::apply<T, update>(*pending.target, pending.value);
      pending.target = nullptr;
    }
  }

 private:
  struct Pending {
    T* target = nullptr;
    T value{};
  };
  [[gnu::noinline]] void push_message(int member, std::uint64_t index, T value) {
    std::byte* item = room_for_item(member);
    std::memcpy(item, &index, index_bytes_);  // little-endian: the low bytes
    std::memcpy(item + index_bytes_, &value, sizeof(T));
  }
  UpdateAggregator(Hub& hub, detail::Table<T> table, const Options& options)
      : Aggregator(hub, options, table.index_bytes() + sizeof(T),
                   table.all_in_segments() ? Relay::carry_out : Relay::never),
        table_(std::move(table)),
        index_bytes_(table_.index_bytes()) {
    open();
  }
  void receive(int, const Items& items, std::vector<std::byte>&) override {
    if (index_bytes_ == 4) apply_items<std::uint32_t>(items);
    else apply_items<std::uint64_t>(items);
  }
  template <class Index>
  void apply_items(const Items& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (std::size_t later = i + detail::in_flight; later < items.size())
        prefetch_for_write(table_.template element<Index>(items, later));
      T* element = table_.template element<Index>(items, i);
      if (element == nullptr) [[unlikely]]
        table_.template fail<Index>(items, i);
      T value;
      std::memcpy(&value, items[i] + sizeof(Index), sizeof(T));
      detail::apply<T, update>(*element, value);
    }
  }

  detail::Table<T> table_;
  std::size_t index_bytes_;
  std::array<Pending, detail::in_flight> pending_{};
  std::size_t next_ = 0;
};

template <class T>
using PutAggregator = UpdateAggregator<T, Update::put>;
template <class T>
using AddAggregator = UpdateAggregator<T, Update::add>;

/// Reads of single elements into local places. A place is filled after finish(); until then it must stay.
template <class T>
class GetAggregator final : public Aggregator {
 public:
  /// Collective. `own` is this member's array; read elements must not be written between the first push and finish().
  GetAggregator(Hub& hub, const T* own, std::uint64_t count, const Options& options = {})
      : GetAggregator(hub, detail::Table<const T>(hub.communicator(), own, count, options.path), options) {}
  ~GetAggregator() override { close(); }

  void push(int member, std::uint64_t index, T* into) {
    ATOLL_EXPECT((table_.check(member, index), true));
    if (const T* base = table_.base(member); base != nullptr) [[likely]] {
      // No queue of prefetches here: the core itself looks ahead over independent loads.
      *into = base[index];
      return;
    }
    push_message(member, index, into);
  }

 private:
  // Apart, so that the direct path is small enough to be inlined.
  [[gnu::noinline]] void push_message(int member, std::uint64_t index, T* into) {
    std::byte* item = room_for_item(member);
    std::memcpy(item, &index, index_bytes_);
    places_[lane_of(member)].next.push_back(into);
  }
  struct Places {
    std::vector<T*> next;
    std::array<std::vector<T*>, window> under_way;
  };
  GetAggregator(Hub& hub, detail::Table<const T> table, const Options& options)
      : Aggregator(hub, options, table.index_bytes(), table.all_in_segments() ? Relay::carry_out : Relay::never),
        table_(std::move(table)),
        index_bytes_(table_.index_bytes()),
        places_(lanes()) {
    open();
  }
  void shipped(std::size_t lane, std::uint32_t slot) override {
    Places& places = places_[lane];
    std::swap(places.next, places.under_way[slot]);
    places.next.clear();
  }
  void receive(int, const Items& items, std::vector<std::byte>& answer) override {
    answer.resize(items.size() * sizeof(T));
    if (index_bytes_ == 4) read_items<std::uint32_t>(items, answer.data());
    else read_items<std::uint64_t>(items, answer.data());
  }
  template <class Index>
  void read_items(const Items& items, std::byte* answer) const {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const T* element = table_.template element<Index>(items, i);
      if (element == nullptr) [[unlikely]]
        table_.template fail<Index>(items, i);
      std::memcpy(answer + i * sizeof(T), element, sizeof(T));
    }
  }
  void answered(std::size_t lane, std::uint32_t slot, std::span<const std::byte> answer) override {
    std::vector<T*>& places = places_[lane].under_way[slot];
    // Shorter when the destination refused: finish() throws there, and here.
    for (std::size_t i = 0; i < places.size() && (i + 1) * sizeof(T) <= answer.size(); ++i)
      std::memcpy(places[i], &answer[i * sizeof(T)], sizeof(T));
  }

  detail::Table<const T> table_;
  std::size_t index_bytes_;
  std::vector<Places> places_;
};

}  // namespace atl::agg
