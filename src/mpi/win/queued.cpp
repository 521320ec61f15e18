// SPDX-License-Identifier: Apache-2.0
#include "win/queued.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "atoll/fabric/queueing.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "mpi-ext.h"
#include "request/request.hpp"
#include "win/remote.hpp"

namespace atl::mpi::win {

/// A put or get that has a request, or that does or reports something when it is complete.
class QueuedAccess : public Request {
 public:
  QueuedAccess(Window& window, int rank, Source source)
      : Request(Life::once), window_(window), rank_(rank), source_(std::move(source)) {}
  QueuedAccess(Window& window, int rank, Sink sink, datatype::TypePtr type)
      : Request(Life::once), window_(window), rank_(rank), sink_(std::move(sink)), type_(std::move(type)) {}

  const Source& source() const { return *source_; }
  const Sink& sink() const { return *sink_; }
  int rank() const { return rank_; }
  fabric::QueuedCompletion& completion() { return completion_; }
  bool is_failed() const { return completion_.is_dropped(); }

  bool poll() override {
    if (completion_.is_complete()) return true;
    library().failures().check();
    library().progress().note_active();
    library().progress().progress();
    return completion_.is_complete();
  }
  void result(MPI_Status* status) override {
    fill_empty(status);
    {
      std::lock_guard guard(window_->queued_mutex);
      finish();
    }
    if (is_failed()) check_refusal(*window_, {rank_, MPIX_ERR_PROC_FAILED});
  }
  /// Requires a complete access, and the window's `queued_mutex`. Does something at the first call only.
  void finish() {
    if (sink_ && !is_failed()) sink_->finish();
    sink_.reset(), source_.reset();
  }

 private:
  Ref<Window> window_;
  int rank_;
  std::optional<Source> source_;
  std::optional<Sink> sink_;
  datatype::TypePtr type_;
  fabric::QueuedCompletion completion_;
};

namespace {

/// Finishes an access of the window's list. Its error is that of the window, unless it has a request.
void finish(Window& window, Window::Queued& one) {
  one.access->finish();
  if (!one.has_request && one.access->is_failed())
    window.refused.store({one.access->rank(), MPIX_ERR_PROC_FAILED}, std::memory_order_relaxed);
  one.access->release();
}

/// Adds the access to those that finish_queued() finishes.
void keep(Window& window, QueuedAccess& access, bool has_request) {
  std::lock_guard guard(window.queued_mutex);
  // A program may complete many requests without a flush.
  for (auto& list = window.queued; !list.empty() && list.front().access->completion().is_complete(); list.pop_front())
    finish(window, list.front());
  access.retain();
  window.queued.push_back({&access, has_request});
}

void begin(Window& window, QueuedAccess& access, bool is_kept) {
  Apart* apart = Apart::current();
  if (is_kept) keep(window, access, apart != nullptr);
  if (apart != nullptr) apart->set_request(Ref<Request>(access));
}

}  // namespace

void queue_put(Window& window, int rank, HeapOffset to, Source data) {
  const PeId pe = window.comm().pe_of(rank);
  const bool is_copy = data.is_copy();
  if (!is_copy && Apart::current() == nullptr)
    return window.network->queue_put(pe, to, data.data(), data.span().size(), nullptr);
  auto access = make<QueuedAccess>(window, rank, std::move(data));
  const auto from = access->source().span();
  window.network->queue_put(pe, to, from.data(), from.size(), &access->completion());
  begin(window, *access, is_copy);
}

void queue_get(Window& window, int rank, HeapOffset from, Sink data, datatype::TypePtr type) {
  auto access = make<QueuedAccess>(window, rank, std::move(data), std::move(type));
  const Sink& to = access->sink();
  window.network->queue_get(to.data(), window.comm().pe_of(rank), from, to.size(), &access->completion());
  begin(window, *access, true);
}

void finish_queued(Window& window) {
  library().one_sided().quiet();
  std::lock_guard guard(window.queued_mutex);
  std::erase_if(window.queued, [&](Window::Queued& one) {
    if (!one.access->completion().is_complete()) return false;  // another thread has begun it meanwhile
    finish(window, one);
    return true;
  });
}

}  // namespace atl::mpi::win
