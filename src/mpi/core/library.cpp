// SPDX-License-Identifier: Apache-2.0
#include "core/library.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/runtime/context.hpp"
#include "core/progress.hpp"

namespace atl::mpi {
namespace {

// All programming interfaces of the process share one Context.
[[maybe_unused]] const bool shared =
    (runtime::share_process(runtime::ProcessPlace<void>::slot, runtime::Deaths::answered), true);

std::vector<Service>& services() {
  static auto& all = *new std::vector<Service>;
  return all;
}

std::vector<void (*)()>& ends() {
  static auto& all = *new std::vector<void (*)()>;
  return all;
}

// Serialises initialisation and finalisation.
std::mutex mutex;
int users = 0;

std::atomic<bool> many_threads{false};

}  // namespace

namespace detail {
Library* library = nullptr;
}

Library::Library()
    : context_(runtime::open_process()), parts_(*context_), pe_(context_->pe()), npes_(context_->npes()) {
  context_->look_for_stopped_peers();
  const std::uint64_t half = config::bytes(config::Variable::unexpected_limit) / 2;
  constexpr std::uint64_t bytes_of_one = 512;  // overhead of an unexpected message beyond its payload
  const std::uint64_t messages = std::min<std::uint64_t>(half / bytes_of_one, UINT32_MAX);
  matcher_ = std::make_unique<runtime::Matcher>(
      *context_, runtime::MatcherOptions{.unexpected_bytes = half,
                                         .unexpected_messages = static_cast<std::uint32_t>(messages),
                                         .apart_from_bit = communicator_bit});
}

// Message handlers and failure handlers call library(), so they are registered when it is valid.
void Library::begin() {
  for (Service begin : services()) begin();
  context_->barrier();
}

Library::~Library() = default;

void Library::part() {
  for (void (*end)() : ends()) end();
  matcher_.reset();
}

void Library::leave() {
  if (progress_started_) context_->stop_progress_thread();
  // From here on a failed rank ends waits with an error.
  context_->answer_news(nullptr);
  try {
    context_->quiet();
    context_->barrier();
    part();
    context_->barrier();
  } catch (const PeFailedError&) {
    if (context_->job().survival() == fabric::Survival::none) throw;
    part();
  }
}

void Library::start_progress(std::optional<unsigned> core) {
  std::lock_guard lock(mutex);
  if (!progress_started_.exchange(true)) context_->start_progress_thread(core);
}

void add_service(Service begin) { services().push_back(begin); }

void add_end(void (*end)()) { ends().push_back(end); }

void let_all_threads_call() { many_threads.store(true, std::memory_order_relaxed); }
bool all_threads_may_call() { return many_threads.load(std::memory_order_relaxed); }

void enter_library() {
  std::lock_guard lock(mutex);
  if (users == 0) {
    config::validate_environment();
    detail::library = new Library;
    try {
      detail::library->begin();
    } catch (...) {
      delete std::exchange(detail::library, nullptr);
      throw;
    }
    give_core_away();
  }
  ++users;
}

void leave_library() {
  std::lock_guard lock(mutex);
  if (--users > 0) return;
  detail::library->leave();
  delete std::exchange(detail::library, nullptr);
}

}  // namespace atl::mpi
