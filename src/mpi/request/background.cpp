// SPDX-License-Identifier: Apache-2.0
#include "request/background.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "core/progress.hpp"

namespace atl::mpi {
namespace {

// A hook of progress() is registered while there is background work. It runs under a lock of progress(), so the Context
// must not be called with `mutex` held.
struct Background {
  std::mutex mutex;
  std::vector<FlowRequest*> flows;  // each is a counted reference
  std::vector<Request*> let_go;
  std::atomic<int> count{0};
  bool hooked = false;
  std::uint64_t hook = 0;  // 0: no hook, or it is being added
  // Copies that step() iterates over.
  std::vector<FlowRequest*> looked_at;
  std::vector<Request*> looked_at_let_go;

  template <class List, class Entry>
  void add(List& list, Entry* entry) {
    {
      std::lock_guard lock(mutex);
      list.push_back(entry);
      count.fetch_add(1);
      if (std::exchange(hooked, true)) return;
    }
    std::uint64_t key = library().progress().add_hook(
        [](runtime::Context&) { return step(library().progress().is_progress_thread()); });
    std::lock_guard lock(mutex);
    hook = key;
  }
  template <class List, class Entry>
  void drop(List& list, Entry* entry) {
    std::lock_guard lock(mutex);
    std::erase(list, entry);
    count.fetch_sub(1);
  }
  static bool step(bool progress_thread);
};
Background& background() {
  static auto& all = *new Background;
  return all;
}

// Whether this thread is in step().
constinit thread_local bool stepping = false;

bool Background::step(bool progress_thread) {
  Background& here = background();
  if (here.count.load() == 0) return false;
  struct Stepping {
    Stepping() { stepping = true; }
    ~Stepping() { stepping = false; }
  } mark;
  {
    std::lock_guard lock(here.mutex);
    here.looked_at = here.flows;
    here.looked_at_let_go = here.let_go;
  }
  bool moved = false;
  for (FlowRequest* flow : here.looked_at) {
    if (progress_thread && !flow->may_be_advanced_by_thread()) continue;
    if (!flow->advance()) continue;
    here.drop(here.flows, flow);
    flow->release();
    moved = true;
  }
  for (Request* request : here.looked_at_let_go) {
    if (progress_thread || !request->poll()) continue;
    here.drop(here.let_go, request);
    if (request->persistent()) request->release();
    else request->retire();
    moved = true;
  }
  return moved;
}

// A hook must not be removed from inside itself: when a freed request ends there, the next call removes the hook.
void remove_idle_hook() {
  Background& here = background();
  if (stepping || here.count.load() != 0) return;
  std::uint64_t hook = 0;
  {
    std::lock_guard lock(here.mutex);
    if (here.count.load() != 0 || here.hook == 0) return;
    hook = std::exchange(here.hook, 0);
    here.hooked = false;
  }
  library().progress().remove_hook(hook);
}

}  // namespace

void finish_in_background(Request& request) { background().add(background().let_go, &request); }

FlowRequest::FlowRequest(Flow flow, Course course) : Request(Life::once), course_(std::move(course)) {
  begin(std::move(flow));
}
FlowRequest::FlowRequest(std::function<Flow()> make, Course course)
    : Request(Life::persistent), make_(std::move(make)), course_(std::move(course)) {}

void FlowRequest::begin(Flow flow) {
  flow_ = std::move(flow);
  error_ = nullptr;
  done_.store(false, std::memory_order_relaxed);
  if (advance()) return;
  retain();
  background().add(background().flows, this);
  leave_to_progress(course_.bytes);
}

bool FlowRequest::advance() {
  bool done = true;
  try {
    done = flow_.advance();
  } catch (...) { error_ = std::current_exception(); }
  if (done) {
    flow_ = Flow();
    done_.store(true, std::memory_order_release);  // publishes the error and all data of the flow; partner: poll()
  }
  return done;
}

bool FlowRequest::poll() {
  auto done = [&] { return done_.load(std::memory_order_acquire); };  // partner: advance()
  if (done()) return true;
  library().failures().check();
  library().progress().note_active();
  library().progress().progress();
  return done();
}

void FlowRequest::wait() {
  library().progress().wait([this] { return done_.load(std::memory_order_acquire); });  // partner: advance()
}

void FlowRequest::result(MPI_Status* status) {
  fill_empty(status);
  if (error_) std::rethrow_exception(error_);
}

void FlowRequest::start() {
  activate();
  begin(make_());
}

void FlowRequest::retire() {
  remove_idle_hook();
  if (course_.comm) course_.comm->rest_coll();
  Request::retire();
}

void start(Flow flow, MPI_Request* request, Course course) {
  give(make<FlowRequest>(std::move(flow), std::move(course)), request);
}
void prepare(std::function<Flow()> make, MPI_Request* request, Course course) {
  give(Ref<FlowRequest>::adopt(new FlowRequest(std::move(make), std::move(course))), request);
}

}  // namespace atl::mpi
