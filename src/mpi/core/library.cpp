// SPDX-License-Identifier: Apache-2.0
#include "core/library.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/runtime/job.hpp"
#include "core/progress.hpp"

namespace atl::mpi {
namespace {

const runtime::Membership& membership() {
  static const runtime::ProcessSeat seat([] { return runtime::single_job(); });
  return seat.membership();
}

std::vector<Service>& services() {
  static auto& all = *new std::vector<Service>;
  return all;
}

// Serialises set-up and end.
std::mutex mutex;
int users = 0;

}  // namespace

namespace detail {
Library* library = nullptr;
}

Library::Library() {
  context_ = std::make_unique<runtime::Context>(membership().job, membership().pe);
  matcher_ = std::make_unique<runtime::Matcher>(*context_);
  for (Service begin : services()) begin(*context_);
  context_->barrier();
}

Library::~Library() = default;

void Library::leave() {
  context_->stop_progress_thread();
  context_->quiet();
  context_->barrier();
  matcher_.reset();
  context_->barrier();
}

void add_service(Service begin) { services().push_back(begin); }

void enter_library() {
  std::lock_guard lock(mutex);
  if (users == 0) {
    config::validate_environment();
    detail::library = new Library;
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
