// SPDX-License-Identifier: Apache-2.0
#include "win/deferred.hpp"

#include <new>
#include <utility>
#include <vector>

#include "atoll/runtime/one_sided.hpp"
#include "core/library.hpp"
#include "mpi-ext.h"
#include "win/queued.hpp"

namespace atl::mpi::win {
namespace {

void start(Window& window, DeferredAccess& access, bool is_attached) {
  const Spot& spot = access.spot;
  const HeapOffset at(spot.offset().value() + static_cast<std::uint64_t>(access.target.layout->offset));
  // Else the target carries out an order: it knows best, and refuses it if need be.
  if (access.from) {
    if (is_attached) return queue_put(window, spot.rank, at, std::move(*access.from));
    return send_order(window, spot, Order::put, access.target, access.from->span(), op::Code::no_op, nullptr, {});
  }
  if (is_attached) return queue_get(window, spot.rank, at, std::move(*access.to), access.answer.type);
  send_order(window, spot, Order::get, access.target, {}, op::Code::no_op, nullptr, access.answer);
}

}  // namespace

void DeferredAccesses::start(Window& window, TableRead& read) {
  std::uint32_t row = 0;
  for (Kept& one : read.accesses) {
    const Spot& spot = one->spot;
    Refusal refusal{spot.rank, MPIX_ERR_PROC_FAILED};
    if (!read.completion.is_dropped()) try {
        win::start(window, *one, read.table.covers(spot.address, one->target, spot.begin, spot.end, row));
        continue;
      } catch (...) {
        refusal.error = current_failure().code;  // of this access alone; the end of the epoch reports it
      }
    window.refused.store(refusal, std::memory_order_relaxed);
  }
}

auto DeferredAccesses::take_complete(Window& window, int rank, Rank& one) -> std::unique_ptr<TableRead> {
  std::unique_ptr<TableRead> complete;
  if (one.read != nullptr && one.read->completion.is_complete()) complete = std::move(one.read);
  if (one.read == nullptr && !one.waiting.empty()) {
    one.read = std::make_unique<TableRead>();
    one.read->accesses = std::exchange(one.waiting, {});
    const HeapOffset table(window.target(rank).control + sizeof(Control));
    window.network->queue_get(&one.read->table, window.comm().pe_of(rank), table, sizeof(Attached),
                              &one.read->completion);
  }
  return complete;
}

void DeferredAccesses::add(Window& window, DeferredAccess access) {
  Packed room = pack_room(sizeof(DeferredAccess));
  const GiveBack deleter = room.get_deleter();
  const int rank = access.spot.rank;
  Kept kept(new (room.release()) DeferredAccess(std::move(access)), {deleter});
  std::unique_ptr<TableRead> complete;
  {
    std::lock_guard guard(mutex_);
    Rank& one = ranks_[rank];
    one.waiting.push_back(std::move(kept));
    complete = take_complete(window, rank, one);
  }
  if (complete != nullptr) start(window, *complete);
}

void DeferredAccesses::start_all(Window& window) {
  // The second read of a target's table is for accesses that were added while the first one was under way.
  for (int reads = 0; reads <= 2; ++reads) {
    std::vector<std::unique_ptr<TableRead>> complete;
    bool is_waiting = false;
    {
      std::lock_guard guard(mutex_);
      for (auto& [rank, one] : ranks_) {
        if (auto read = take_complete(window, rank, one)) complete.push_back(std::move(read));
        is_waiting |= one.read != nullptr;
      }
      std::erase_if(ranks_, [](const auto& entry) { return entry.second.read == nullptr; });
    }
    for (auto& read : complete) start(window, *read);
    if (!is_waiting) return;
    if (reads < 2) library().one_sided().quiet();
  }
}

}  // namespace atl::mpi::win
