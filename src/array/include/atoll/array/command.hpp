// SPDX-License-Identifier: Apache-2.0
// The command stream: an operation is a plain function of the engine; calling it through a session runs it on every PE.
// In an embedded or SPMD session that is a direct call. A driver (PE 0 of a local job) first sends the operation's
// number and arguments to the workers, which call the same function with the same values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atoll/array/archive.hpp"
#include "atoll/array/array.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/runtime/ledger.hpp"

namespace atl::array {

class Engine;

/// The arrays that driver and workers know by number. Both sides count up alike.
class ArrayTable {
 public:
  std::uint64_t add(const Array& array) {
    put(++last_, array);
    return last_;
  }
  void put(std::uint64_t id, const Array& array) {
    put_noted(id, array);
    if (ledger_ != nullptr) ledger_->add(id, array->storage.data);
  }
  /// One that the ledger knows already.
  void put_noted(std::uint64_t id, const Array& array) { arrays_.insert_or_assign(id, array); }
  const Array& find(std::uint64_t id) const { return arrays_.at(id); }
  bool holds(std::uint64_t id) const { return arrays_.contains(id); }
  void erase(std::uint64_t id) {
    if (ledger_ != nullptr) ledger_->erase(id);  // before the memory is free
    arrays_.erase(id);
  }
  /// All but those for which `stays(id)`.
  template <class Stays>
  void erase_others(Stays&& stays) {
    std::vector<std::uint64_t> gone;
    for (const auto& [id, array] : arrays_)
      if (!stays(id)) gone.push_back(id);
    for (std::uint64_t id : gone) erase(id);
  }
  /// The number before that of the next array.
  void count_from(std::uint64_t last) { last_ = last; }
  /// Notes the blocks of all arrays from now on there. Null: nowhere.
  void set_ledger(runtime::Ledger* ledger) { ledger_ = ledger; }

 private:
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, Array> arrays_;
  runtime::Ledger* ledger_ = nullptr;
};

/// An argument that the driver alone has and the workers replace by a default (a NumPy buffer, say).
template <class T>
struct DriverOnly {
  T value{};
  template <class Archive>
  void fields(Archive&) {}
};

/// The number of an array whose elements were lost with a PE.
inline constexpr std::uint64_t lost_array = UINT64_MAX;
/// Throws LostArrayError (lost_array.hpp).
[[noreturn]] void raise_lost(const Array& array);

inline void archive_write(Writer& writer, const Array& array) {
  if (array != nullptr && array->id == lost_array) [[unlikely]]
    raise_lost(array);
  ATOLL_EXPECT(array == nullptr || array->id != 0);
  writer(array == nullptr ? std::uint64_t{0} : array->id);
}
inline void archive_read(Reader& reader, Array& array) {
  auto id = reader.read<std::uint64_t>();
  array = id == 0 ? nullptr : static_cast<ArrayTable*>(reader.context())->find(id);
}

/// How a driver reaches its workers.
class CommandChannel {
 public:
  virtual ~CommandChannel() = default;
  /// Sends one command to every worker.
  virtual void send(std::span<const std::byte> command) = 0;
};

/// The driver's side: numbers its arrays and remembers which ones have been dropped.
class Driver {
 public:
  explicit Driver(CommandChannel& channel) : channel_(&channel), dropped_(std::make_shared<Dropped>()) {}

  template <class... Args>
  void send(std::uint16_t operation, const Args&... args) {
    writer_.clear();
    writer_(operation, last_, take_dropped());
    writer_(args...);
    channel_->send(writer_.bytes());
  }

  /// Gives a result its number and arranges for the workers to drop theirs after ours.
  void adopt(const Array& array) {
    if (array == nullptr) return;
    array->id = ++last_;
    array->id_guard = std::shared_ptr<void>(nullptr, [dropped = dropped_, id = array->id](void*) { dropped->add(id); });
    if (remembers_) living_.insert_or_assign(array->id, array);
  }

  // -- recovery --
  /// Keeps track of the arrays there are, from now on.
  void remember() { remembers_ = true; }
  /// The number of the newest array so far.
  std::uint64_t last() const { return last_; }
  /// To workers whose tables hold living arrays alone. Numbers go on: one that is dropped late names no other array.
  void restart(CommandChannel& channel) {
    channel_ = &channel;
    (void)take_dropped();
  }
  /// One whose elements have been made again: workers know it by the next number.
  void renumber(const Array& array) {
    array->id_guard.reset();
    adopt(array);
  }
  /// Arrays that are in use.
  std::vector<Array> living() const {
    std::vector<Array> found;
    for (const auto& [id, one] : living_)
      if (Array array = one.lock(); array != nullptr && array->id == id) found.push_back(std::move(array));
    return found;
  }

 private:
  std::vector<std::uint64_t> take_dropped() {
    std::vector<std::uint64_t> ids = dropped_->take();
    if (remembers_)
      for (std::uint64_t id : ids) living_.erase(id);
    return ids;
  }
  /// Arrays are dropped by any thread, also while another one runs a command.
  class Dropped {
   public:
    void add(std::uint64_t id) {
      std::lock_guard lock(mutex_);
      ids_.push_back(id);
    }
    std::vector<std::uint64_t> take() {
      std::lock_guard lock(mutex_);
      return std::exchange(ids_, {});
    }

   private:
    std::mutex mutex_;
    std::vector<std::uint64_t> ids_;
  };
  CommandChannel* channel_;
  std::shared_ptr<Dropped> dropped_;
  std::uint64_t last_ = 0;
  bool remembers_ = false;
  std::unordered_map<std::uint64_t, std::weak_ptr<ArrayData>> living_;
  Writer writer_;
};

// -- results that hold arrays --
template <class F>
void for_each_array(const Array& array, F&& visit) {
  visit(array);
}
template <class F>
void for_each_array(const std::vector<Array>& arrays, F&& visit) {
  for (const Array& array : arrays) visit(array);
}
template <class T, class F>
void for_each_array(const T&, F&&) {}

/// Function pointer → argument types.
template <class F>
struct Signature;
template <class R, class... Args>
struct Signature<R (*)(Engine&, Args...)> {
  using Result = R;
  using Arguments = std::tuple<std::remove_cvref_t<Args>...>;
};

/// Runs `function` with arguments read from the wire; results that are arrays enter the worker's table.
template <auto function>
void execute_received(Engine& engine, Reader& reader, ArrayTable& table) {
  typename Signature<decltype(function)>::Arguments arguments;
  std::apply([&](auto&... values) { reader(values...); }, arguments);
  auto call = [&](auto&... values) -> decltype(auto) { return function(engine, values...); };
  if constexpr (std::is_void_v<typename Signature<decltype(function)>::Result>) {
    std::apply(call, arguments);
  } else {
    auto result = std::apply(call, arguments);
    for_each_array(result, [&](const Array& array) {
      if (array != nullptr) array->id = table.add(array);
    });
  }
}

/// How a worker runs the operation of a number.
using OperationHandler = void (*)(Engine&, Reader&, ArrayTable&);

/// A fixed list of operations; an operation's number is its place in the list.
template <auto... functions>
struct OperationList {
  static constexpr std::array<OperationHandler, sizeof...(functions)> handlers{&execute_received<functions>...};
  /// This list with more behind it, for a layer above: the numbers so far stay.
  template <auto... more>
  using Extended = OperationList<functions..., more...>;

  template <auto wanted>
  static constexpr bool contains() {
    return number_of<wanted>() != 0xffff;
  }
  template <auto wanted>
  static constexpr std::uint16_t number_of() {
    std::uint16_t number = 0, found = 0xffff;
    ((same<wanted, functions>() ? void(found = number++) : void(number++)), ...);
    static_assert(sizeof...(functions) < 0xffff);
    return found;
  }

 private:
  template <auto a, auto b>
  static constexpr bool same() {
    if constexpr (std::is_same_v<decltype(a), decltype(b)>) return a == b;
    else return false;
  }
};

}  // namespace atl::array
