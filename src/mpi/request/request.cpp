// SPDX-License-Identifier: Apache-2.0
#include "request/request.hpp"

#include <exception>

#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "core/watch.hpp"
#include "request/background.hpp"

namespace atl::mpi {
namespace {

class DoneSend : public Request {
 public:
  DoneSend() : Request(Life::once) {}
  bool poll() override { return true; }
  void wait() override {}
  void result(MPI_Status* status) override { fill_empty(status); }
  void retire() override {}
};

// The request if it is active; null: there is nothing to wait for.
Request* active_one(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) return nullptr;
  Request& request = need<Request>(handle);
  return request.active() ? &request : nullptr;
}

void finish(MPI_Request* handle, Request& request, MPI_Status* status) {
  std::exception_ptr error;
  try {
    request.result(status);
    if (checking()) [[unlikely]]
      detail::watcher->completed(request);
  } catch (...) { error = std::current_exception(); }
  if (!request.persistent()) *handle = MPI_REQUEST_NULL;
  request.retire();
  if (error) [[unlikely]]
    std::rethrow_exception(error);
}

// The first error of several completions; code MPI_SUCCESS: none.
using First = Failure;

// Completes one of several requests and stores its error in its status.
void finish_among(MPI_Request* handle, Request* request, MPI_Status* status, First& first) {
  int code = MPI_SUCCESS;
  if (request == nullptr) {
    fill_empty(status);
  } else {
    try {
      finish(handle, *request, status);
    } catch (...) {
      Failure failure = current_failure();
      code = failure.code;
      if (first.code == MPI_SUCCESS) first = std::move(failure);
    }
  }
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
}

MPI_Status* at(MPI_Status* statuses, int index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

void check_list(int count, const MPI_Request* list) {
  ATOLL_MPI_REQUIRE(count >= 0 && (list != nullptr || count == 0), MPI_ERR_ARG, "a list of {} requests", count);
}

// Calls the error handler of the first failed request with its error.
void fail_in_status_after(const First& first) {
  if (first.code == MPI_SUCCESS) [[likely]]
    return;
  throw Failure{MPI_ERR_IN_STATUS, "some of the operations failed: their statuses say how. The first: " + first.text,
                first.owner, first.code};
}

// Index of the first complete request, or MPI_UNDEFINED. Sets `any_active` when some request is active.
int first_complete(int count, const MPI_Request* requests, bool& any_active) {
  any_active = false;
  for (int i = 0; i < count; ++i)
    if (Request* request = active_one(requests[i])) {
      any_active = true;
      if (request->poll()) return i;
    }
  return MPI_UNDEFINED;
}

void nothing_active(int* index, MPI_Status* status) {
  *index = MPI_UNDEFINED;
  fill_empty(status);
}

}  // namespace

Request& done_send() {
  static auto& request = *new DoneSend;
  return request;
}

void Request::wait() {
  library().progress().wait([this] { return poll(); });
}

void request_wait(MPI_Request* handle, MPI_Status* status) {
  Request* request = active_one(*handle);
  if (request == nullptr) return fill_empty(status);
  request->wait();
  finish(handle, *request, status);
}

void request_test(MPI_Request* handle, int* flag, MPI_Status* status) {
  Request* request = active_one(*handle);
  *flag = 1;
  if (request == nullptr) return fill_empty(status);
  if (!request->poll()) {
    *flag = 0;
    return;
  }
  finish(handle, *request, status);
}

void request_wait_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  check_list(count, requests);
  First first{MPI_SUCCESS, {}};
  const MPI_Request sent = handle_of(done_send());
  for (int i = 0; i < count; ++i) {
    Request* request = nullptr;
    if (requests[i] == sent) requests[i] = MPI_REQUEST_NULL;  // the shared completed send: cannot wait or fail
    else if ((request = active_one(requests[i])) != nullptr) request->wait();
    finish_among(requests + i, request, at(statuses, i), first);
  }
  fail_in_status_after(first);
}

void request_test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  check_list(count, requests);
  *flag = 0;
  for (int i = 0; i < count; ++i)
    if (Request* request = active_one(requests[i]); request != nullptr && !request->poll()) return;
  *flag = 1;
  request_wait_all(count, requests, statuses);
}

void request_wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  check_list(count, requests);
  bool any_active = false;
  int found = MPI_UNDEFINED;
  library().progress().wait([&] {
    found = first_complete(count, requests, any_active);
    return found != MPI_UNDEFINED || !any_active;
  });
  if (found == MPI_UNDEFINED) return nothing_active(index, status);
  *index = found;
  finish(requests + found, *active_one(requests[found]), status);
}

void request_test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  check_list(count, requests);
  bool any_active = false;
  int found = first_complete(count, requests, any_active);
  *flag = found != MPI_UNDEFINED || !any_active;
  if (!any_active) return nothing_active(index, status);
  *index = found;
  if (found != MPI_UNDEFINED) finish(requests + found, *active_one(requests[found]), status);
}

void request_test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  check_list(count, requests);
  *done = 0;
  bool any_active = false;
  First first{MPI_SUCCESS, {}};
  for (int i = 0; i < count; ++i) {
    Request* request = active_one(requests[i]);
    if (request == nullptr) continue;
    any_active = true;
    if (!request->poll()) continue;
    indices[*done] = i;
    finish_among(requests + i, request, at(statuses, *done), first);
    ++*done;
  }
  if (!any_active) *done = MPI_UNDEFINED;
  fail_in_status_after(first);
}

void request_wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  check_list(count, requests);
  bool any_active = false;
  library().progress().wait(
      [&] { return first_complete(count, requests, any_active) != MPI_UNDEFINED || !any_active; });
  request_test_some(count, requests, done, indices, statuses);
}

void request_free(MPI_Request* handle) {
  Request& request = need<Request>(*handle);
  *handle = MPI_REQUEST_NULL;
  request.let_go();
  if (request.active() && !request.poll()) {
    finish_in_background(request);
    return;
  }
  if (request.persistent()) request.release();
  else request.retire();
}

void request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  Request* request = active_one(handle);
  *flag = 1;
  if (request == nullptr) return fill_empty(status);
  if (request->poll()) request->result(status);
  else *flag = 0;
}

void request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  check_list(count, requests);
  *flag = 1;
  for (int i = 0; i < count && *flag != 0; ++i) request_get_status(requests[i], flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < count && *flag != 0; ++i) request_get_status(requests[i], flag, at(statuses, i));
}

void request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  check_list(count, requests);
  bool any_active = false;
  int found = first_complete(count, requests, any_active);
  *flag = found != MPI_UNDEFINED || !any_active;
  if (!any_active) return nothing_active(index, status);
  *index = found;
  if (found != MPI_UNDEFINED) active_one(requests[found])->result(status);
}

void request_get_status_some(int count, const MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  check_list(count, requests);
  *done = 0;
  bool any_active = false;
  for (int i = 0; i < count; ++i) {
    Request* request = active_one(requests[i]);
    if (request == nullptr) continue;
    any_active = true;
    if (!request->poll()) continue;
    request->result(at(statuses, *done));
    indices[(*done)++] = i;
  }
  if (!any_active) *done = MPI_UNDEFINED;
}

void request_start(MPI_Request* handle) {
  Request& request = need<Request>(*handle);
  ATOLL_MPI_REQUIRE(request.persistent(), MPI_ERR_REQUEST, "the request is not persistent");
  ATOLL_MPI_REQUIRE(!request.active(), MPI_ERR_REQUEST, "the request has been started and not completed since");
  request.start();
}

void request_start_all(int count, MPI_Request* requests) {
  check_list(count, requests);
  for (int i = 0; i < count; ++i) request_start(requests + i);
}

void request_cancel(MPI_Request* handle) { need<Request>(*handle).cancel(); }

}  // namespace atl::mpi
