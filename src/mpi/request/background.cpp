// SPDX-License-Identifier: Apache-2.0
#include "request/background.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/library.hpp"

namespace atl::mpi {
namespace {

// The hook of progress() is there while something is under way.
struct Background {
  std::mutex mutex;
  std::vector<FlowRequest*> flows;   // each holds a count
  std::vector<Request*> let_go;
  std::atomic<int> count{0};
  std::uint64_t hook = 0;            // 0: none

  void add_hook() {
    if (hook == 0) hook = library().context().add_hook([](runtime::Context&) { return step(); });
  }
  static bool step();
};
Background& background() {
  static auto& all = *new Background;
  return all;
}

bool Background::step() {
  Background& here = background();
  std::vector<FlowRequest*> flows;
  std::vector<Request*> let_go;
  {
    std::lock_guard lock(here.mutex);
    flows = here.flows;
    let_go = here.let_go;
  }
  bool moved = false;
  for (FlowRequest* flow : flows)
    if (flow->advance()) {
      {
        std::lock_guard lock(here.mutex);
        std::erase(here.flows, flow);
        here.count.fetch_sub(1);
      }
      flow->release();
      moved = true;
    }
  for (Request* request : let_go)
    if (request->poll()) {
      {
        std::lock_guard lock(here.mutex);
        std::erase(here.let_go, request);
        here.count.fetch_sub(1);
      }
      if (request->persistent()) request->release();
      else request->retire();
      moved = true;
    }
  return moved;
}

// Outside of progress(): a hook must not be taken away from within.
void remove_idle_hook() {
  Background& here = background();
  if (here.count.load() != 0) return;
  std::uint64_t hook = 0;
  {
    std::lock_guard lock(here.mutex);
    if (here.count.load() == 0) hook = std::exchange(here.hook, 0);
  }
  if (hook != 0) library().context().remove_hook(hook);
}

}  // namespace

void finish_in_background(Request& request) {
  Background& here = background();
  std::lock_guard lock(here.mutex);
  here.let_go.push_back(&request);
  here.count.fetch_add(1);
  here.add_hook();
}

void drain_background() {
  library().context().wait([] { return background().count.load() == 0; });
  remove_idle_hook();
}

FlowRequest::FlowRequest(Flow flow) : Request(Life::once) { begin(std::move(flow)); }
FlowRequest::FlowRequest(std::function<Flow()> make) : Request(Life::persistent), make_(std::move(make)) {}

void FlowRequest::begin(Flow flow) {
  flow_ = std::move(flow);
  error_ = nullptr;
  done_.store(false, std::memory_order_relaxed);
  if (advance()) return;
  retain();
  Background& here = background();
  std::lock_guard lock(here.mutex);
  here.flows.push_back(this);
  here.count.fetch_add(1);
  here.add_hook();
}

bool FlowRequest::advance() {
  bool done = true;
  try {
    done = flow_.advance();
  } catch (...) {
    error_ = std::current_exception();
  }
  if (done) {
    flow_ = Flow();
    done_.store(true, std::memory_order_release);  // the error and all that the flow wrote; partner: poll()
  }
  return done;
}

bool FlowRequest::poll() {
  auto done = [&] { return done_.load(std::memory_order_acquire); };  // partner: advance()
  if (!done()) {
    library().context().check();
    library().context().progress();
  }
  if (!done()) return false;
  return true;
}

void FlowRequest::wait() {
  library().context().wait([this] { return done_.load(std::memory_order_acquire); });  // partner: advance()
  remove_idle_hook();
}

void FlowRequest::result(MPI_Status* status) {
  fill_empty(status);
  if (error_) std::rethrow_exception(error_);
}

void FlowRequest::start() {
  activate();
  begin(make_());
}

void start(Flow flow, MPI_Request* request) { give(make<FlowRequest>(std::move(flow)), request); }
void prepare(std::function<Flow()> make, MPI_Request* request) {
  give(Ref<FlowRequest>::adopt(new FlowRequest(std::move(make))), request);
}

}  // namespace atl::mpi
