// SPDX-License-Identifier: Apache-2.0
// The general aggregator: runs any function at the destination, with a small payload.
#pragma once

#include <cstring>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/agg/hub.hpp"
#include "atoll/base/validate.hpp"

namespace atl::agg {

/// Runs `function(payload, origin)` on the member that a payload is pushed to. Calls on one member never overlap; they
/// happen in progress(), also those it pushed to itself, so they must not wait or use collectives, but may push more
/// by push_from_function(). finish() ends when no call anywhere has anything left to push.
template <class Payload>
class FunctionAggregator final : public Aggregator {
  static_assert(std::is_trivially_copyable_v<Payload>);

 public:
  using Function = std::function<void(const Payload& payload, int origin)>;

  /// Collective; the same function on every member, as far as the program cares.
  FunctionAggregator(Hub& hub, Function function, const Options& options = {})
      : Aggregator(hub, options, sizeof(Payload), Relay::hand_on), function_(std::move(function)) {
    open();
  }
  ~FunctionAggregator() override { close(); }

  /// From the thread that owns the aggregator, never from a function.
  void push(int member, const Payload& payload) {
    ATOLL_VALIDATE(member >= 0 && member < size(), IndexError, "member {} of {}", member, size());
    std::memcpy(room_for_item(member), &payload, sizeof(Payload));
  }
  /// From inside a function. Kept until the next finish(), however much it is: a function cannot wait for room.
  void push_from_function(int member, const Payload& payload) {
    ATOLL_VALIDATE(member >= 0 && member < size(), IndexError, "member {} of {}", member, size());
    std::lock_guard lock(late_mutex_);
    late_.emplace_back(member, payload);
  }

 private:
  void receive(int origin, const Items& items, std::vector<std::byte>&) override {
    for (std::size_t i = 0; i < items.size(); ++i) {
      Payload payload;
      std::memcpy(&payload, items[i], sizeof(Payload));
      function_(payload, origin);
    }
  }
  bool may_push_late() const override { return true; }
  bool collect_late() override {
    std::vector<std::pair<int, Payload>> late;
    {
      std::lock_guard lock(late_mutex_);
      late.swap(late_);
    }
    for (auto& [member, payload] : late) push(member, payload);
    return !late.empty();
  }

  Function function_;
  std::mutex late_mutex_;
  std::vector<std::pair<int, Payload>> late_;
};

}  // namespace atl::agg
