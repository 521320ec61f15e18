// SPDX-License-Identifier: Apache-2.0
// Epochs of windows: fences, post and start, locks, flushes.
#include <atomic>
#include <mutex>
#include <utility>

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "win/deferred.hpp"
#include "win/queued.hpp"
#include "win/remote.hpp"
#include "win/window.hpp"

namespace atl::mpi {
namespace {

using win::Control;
using win::Target;
using win::writer;

// Tags on the window's own communicator, which carries no other messages.
constexpr int post_tag = 1, complete_tag = 2;

/// Waits until all operations that this rank has started are complete at their targets.
void complete_all(Window& window) {
  if (window.deferred != nullptr) window.deferred->start_all(window);
  win::wait_for_answers(window);
  win::finish_queued(window);
}

void send_to_all(Exchange& exchange, const Window& window, const Group& group, int tag) {
  for (PeId pe : group.pes()) exchange.send(pe, window.comm().bits(tag), nullptr, 0);
}
void receive_from_all(Exchange& exchange, const Window& window, const Group& group, int tag) {
  for (PeId pe : group.pes()) exchange.receive(pe, window.comm().bits(tag), nullptr, 0);
}

/// Waits for the messages of `exchange`, which are exchanged with the members of `group`.
void wait_for(Exchange& exchange, const Group& group) {
  auto ready = [&] { return exchange.ready(); };
  if (checking()) [[unlikely]]
    return detail::watcher->wait(ready, group.pes());
  library().progress().wait(ready);
}

/// Polls a lock word whose release wakes no waiter.
template <class Try>
void until(Window& window, Try&& attempt) {
  auto attempt_or_fail = [&] {
    if (attempt()) return true;
    window.comm().check_usable();
    return false;
  };
  if (checking()) [[unlikely]]
    return detail::watcher->wait(attempt_or_fail, window.comm().peers().pes());
  while (!attempt()) {
    if (library().progress().wait(attempt, Deadline::after_seconds(200e-6)) == Status::ok) return;
    window.comm().check_usable();  // the owner may have failed
  }
}

void take_lock(Window& window, int rank, int type) {
  const Target& target = window.target(rank);
  PeId pe = window.comm().pe_of(rank);
  HeapOffset word(target.control);  // the lock is the Control's first word
  if (type == MPI_LOCK_EXCLUSIVE) {
    until(window, [&] { return library().one_sided().compare_swap<std::uint64_t>(pe, word, 0, writer) == 0; });
  } else {
    until(window, [&] {
      if (library().one_sided().fetch_add<std::uint64_t>(pe, word, 1) < writer) return true;
      (void)library().one_sided().fetch_add<std::uint64_t>(pe, word, ~std::uint64_t{0});
      return false;
    });
  }
}

void give_lock(Window& window, int rank, int type) {
  HeapOffset word(window.target(rank).control);
  (void)library().one_sided().fetch_add<std::uint64_t>(window.comm().pe_of(rank), word,
                                                       type == MPI_LOCK_EXCLUSIVE ? writer : ~std::uint64_t{0});
}

void need_rank(const Window& window, int rank) {
  ATOLL_MPI_REQUIRE(rank >= 0 && rank < window.comm().size(), MPI_ERR_RANK, "rank {} of a window of {} ranks", rank,
                    window.comm().size());
}

void need_lock(Window& window, int rank) {
  need_rank(window, rank);
  std::lock_guard guard(window.epochs.mutex);
  ATOLL_MPI_REQUIRE(window.epochs.lock_all || window.epochs.locks.contains(rank), MPI_ERR_RMA_SYNC,
                    "rank {} of the window is not locked", rank);
}

// Ends the epoch that a fence began.
void end_fence(Window& window) {
  if (std::exchange(window.epochs.fence, false)) --window.access_epochs;
}

}  // namespace

void win_fence(int assertion, MPI_Win win) {
  auto& window = need<Window>(win);
  auto& epochs = window.epochs;
  ATOLL_MPI_REQUIRE(epochs.locks.empty() && !epochs.lock_all && !epochs.started && !epochs.posted, MPI_ERR_RMA_SYNC,
                    "MPI_Win_fence inside of an epoch that something else began");
  complete_all(window);
  window.comm().coll().barrier();
  bool opens = (assertion & MPI_MODE_NOSUCCEED) == 0;
  window.access_epochs += opens - epochs.fence;
  epochs.fence = opens;
  win::check_answers(window);
}

void win_post(MPI_Group group, int assertion, MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(!window.epochs.posted, MPI_ERR_RMA_SYNC,
                    "MPI_Win_post before MPI_Win_wait has ended the epoch before");
  window.epochs.posted = Ref<Group>(need<Group>(group));
  window.epochs.sent = std::make_unique<Exchange>();
  if ((assertion & MPI_MODE_NOCHECK) == 0) send_to_all(*window.epochs.sent, window, *window.epochs.posted, post_tag);
  window.epochs.awaited = std::make_unique<Exchange>();
  receive_from_all(*window.epochs.awaited, window, *window.epochs.posted, complete_tag);
}

void win_start(MPI_Group group, int assertion, MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(!window.epochs.started, MPI_ERR_RMA_SYNC,
                    "MPI_Win_start before MPI_Win_complete has ended the epoch before");
  window.epochs.started = Ref<Group>(need<Group>(group));
  end_fence(window);
  if ((assertion & MPI_MODE_NOCHECK) == 0) {
    Exchange posts;
    receive_from_all(posts, window, *window.epochs.started, post_tag);
    wait_for(posts, *window.epochs.started);
  }
  ++window.access_epochs;
}

void win_complete(MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(static_cast<bool>(window.epochs.started), MPI_ERR_RMA_SYNC,
                    "MPI_Win_complete without MPI_Win_start");
  complete_all(window);
  Exchange completions;
  send_to_all(completions, window, *window.epochs.started, complete_tag);
  wait_for(completions, *window.epochs.started);
  window.epochs.started = {};
  --window.access_epochs;
  win::check_answers(window);
}

void win_test(MPI_Win win, int* flag) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(static_cast<bool>(window.epochs.posted), MPI_ERR_RMA_SYNC, "MPI_Win_test without MPI_Win_post");
  library().progress().progress();
  *flag = window.epochs.sent->ready() && window.epochs.awaited->ready();
  if (*flag != 0) {
    window.epochs.sent.reset(), window.epochs.awaited.reset();
    window.epochs.posted = {};
  }
}

void win_wait(MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(static_cast<bool>(window.epochs.posted), MPI_ERR_RMA_SYNC, "MPI_Win_wait without MPI_Win_post");
  wait_for(*window.epochs.sent, *window.epochs.posted);
  wait_for(*window.epochs.awaited, *window.epochs.posted);
  int flag;
  win_test(win, &flag);
}

void win_lock(int type, int rank, int assertion, MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(type == MPI_LOCK_SHARED || type == MPI_LOCK_EXCLUSIVE, MPI_ERR_LOCKTYPE, "{} is no kind of lock",
                    type);
  if (rank == MPI_PROC_NULL) return;
  need_rank(window, rank);
  ATOLL_MPI_REQUIRE(!window.epochs.started, MPI_ERR_RMA_SYNC,
                    "MPI_Win_lock before MPI_Win_complete has ended the epoch before");
  bool checked = (assertion & MPI_MODE_NOCHECK) == 0;
  {
    std::lock_guard guard(window.epochs.mutex);
    ATOLL_MPI_REQUIRE(!window.epochs.lock_all && !window.epochs.locks.contains(rank), MPI_ERR_RMA_SYNC,
                      "rank {} of the window is locked already", rank);
    end_fence(window);
    window.epochs.locks[rank] = checked ? type : -type;
  }
  if (checked) take_lock(window, rank, type);
  ++window.access_epochs;
}

void win_unlock(int rank, MPI_Win win) {
  auto& window = need<Window>(win);
  if (rank == MPI_PROC_NULL) return;
  need_rank(window, rank);
  int type;
  {
    std::lock_guard guard(window.epochs.mutex);
    auto found = window.epochs.locks.find(rank);
    ATOLL_MPI_REQUIRE(found != window.epochs.locks.end(), MPI_ERR_RMA_SYNC, "rank {} of the window is not locked",
                      rank);
    type = found->second;
  }
  complete_all(window);
  if (type > 0) give_lock(window, rank, type);
  std::lock_guard guard(window.epochs.mutex);
  window.epochs.locks.erase(rank);
  --window.access_epochs;
  win::check_answers(window);
}

void win_lock_all(int assertion, MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(!window.epochs.lock_all && window.epochs.locks.empty(), MPI_ERR_RMA_SYNC,
                    "the window is locked already");
  ATOLL_MPI_REQUIRE(!window.epochs.started, MPI_ERR_RMA_SYNC,
                    "MPI_Win_lock_all before MPI_Win_complete has ended the epoch before");
  end_fence(window);
  window.epochs.lock_all_checked = (assertion & MPI_MODE_NOCHECK) == 0;
  if (window.epochs.lock_all_checked)
    for (int rank = 0; rank < window.comm().size(); ++rank) take_lock(window, rank, MPI_LOCK_SHARED);
  window.epochs.lock_all = true;
  ++window.access_epochs;
}

void win_unlock_all(MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(window.epochs.lock_all, MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all without MPI_Win_lock_all");
  complete_all(window);
  if (window.epochs.lock_all_checked)
    for (int rank = 0; rank < window.comm().size(); ++rank) give_lock(window, rank, MPI_LOCK_SHARED);
  window.epochs.lock_all = false;
  --window.access_epochs;
  win::check_answers(window);
}

void win_flush(int rank, MPI_Win win) {
  auto& window = need<Window>(win);
  bool quick = window.epochs.lock_all && window.quick_target(rank) != nullptr &&
               window.pending.load(std::memory_order_relaxed) == 0;
  if (quick) return std::atomic_thread_fence(std::memory_order_release);  // partner: as below
  if (rank == MPI_PROC_NULL) return;
  need_lock(window, rank);
  // Earlier stores become visible before later ones.
  std::atomic_thread_fence(std::memory_order_release);  // partner: the rank that reads it, by any atomic
  if (window.target(rank).mapped == nullptr || window.pending.load(std::memory_order_relaxed) != 0)
    complete_all(window);
  win::check_answers(window);
}

void win_flush_all(MPI_Win win) {
  auto& window = need<Window>(win);
  ATOLL_MPI_REQUIRE(window.epochs.lock_all || !window.epochs.locks.empty(), MPI_ERR_RMA_SYNC,
                    "no rank of the window is locked");
  complete_all(window);
  win::check_answers(window);
}

void win_sync(MPI_Win win) {
  (void)need<Window>(win);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // partner: the MPI_Win_sync of the other rank
}

}  // namespace atl::mpi
