// SPDX-License-Identifier: Apache-2.0
#include "request/generalized.hpp"

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/codes.hpp"
#include "core/library.hpp"
#include "request/request.hpp"
#include "type/type.hpp"

namespace atl::mpi {
namespace {

class Generalized : public Request {
 public:
  Generalized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
              MPI_Grequest_cancel_function* cancel, void* extra)
      : Request(Life::once), query_(query), free_(free), cancel_(cancel), extra_(extra) {}

  bool poll() override {
    bool done = done_.load(std::memory_order_acquire);  // partner: complete_by_program()
    if (!done) library().progress().progress();
    return done;
  }
  void result(MPI_Status* status) override {
    MPI_Status own{};
    fill_empty(&own);
    check(query_(extra_, &own));
    if (status != MPI_STATUS_IGNORE) {
      int error = status->MPI_ERROR;
      *status = own;
      status->MPI_ERROR = error;
    }
  }
  void retire() override {
    int code = free_ == nullptr ? MPI_SUCCESS : free_(extra_);
    Request::retire();
    check(code);
  }
  void cancel() override {
    if (cancel_ != nullptr) check(cancel_(extra_, done_.load(std::memory_order_acquire)));
  }
  void complete_by_program() override {
    done_.store(true, std::memory_order_release);  // publishes the program's earlier writes; partner: poll()
    // Wakes a thread of this PE that sleeps in a wait for this request.
    library().one_sided().notify(library().pe());
  }

 private:
  static void check(int code) {
    ATOLL_MPI_REQUIRE(code == MPI_SUCCESS, code, "a generalized request's function failed: {}", error_text(code));
  }
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_;
  std::atomic<bool> done_{false};
};

}  // namespace

void grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                    MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request) {
  ATOLL_MPI_REQUIRE(query != nullptr, MPI_ERR_ARG, "the query function is null");
  give(make<Generalized>(query, free, cancel, extra), request);
}

void grequest_complete(MPI_Request request) { need<Request>(request).complete_by_program(); }

void status_set_elements(MPI_Status* status, MPI_Datatype handle, MPI_Count count) {
  ATOLL_MPI_REQUIRE(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
  const datatype::Type& type = need_type(handle);
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "a count of {}", count);
  if (type.elements() == 0) return set_bytes(*status, 0);
  MPI_Count whole = count / type.elements(), rest = count % type.elements();
  MPI_Count bytes = whole * type.size();
  // The remaining predefined elements end inside one element of the type: finds the position by bisection.
  if (rest != 0) {
    MPI_Count low = 0, high = type.size();
    while (low < high) {
      MPI_Count middle = (low + high) / 2, left = 0;
      if (datatype::elements_within(*type.description(), middle, left) >= rest) high = middle;
      else low = middle + 1;
    }
    bytes += low;
  }
  set_bytes(*status, bytes);
}

void status_get_count(const MPI_Status* status, MPI_Datatype handle, MPI_Count* count) {
  ATOLL_MPI_REQUIRE(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
  MPI_Count size = need_type(handle).size(), bytes = bytes_of(*status);
  if (size == 0) *count = bytes == 0 ? 0 : MPI_UNDEFINED;
  else *count = bytes % size == 0 ? bytes / size : MPI_UNDEFINED;
}

void status_get_elements(const MPI_Status* status, MPI_Datatype handle, MPI_Count* count) {
  ATOLL_MPI_REQUIRE(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
  const datatype::Type& type = need_type(handle);
  MPI_Count size = type.size(), bytes = bytes_of(*status);
  if (size == 0) {
    *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    return;
  }
  MPI_Count left = 0,
            inside = bytes % size == 0 ? 0 : datatype::elements_within(*type.description(), bytes % size, left);
  *count = left != 0 ? MPI_UNDEFINED : bytes / size * type.elements() + inside;
}

void status_set_cancelled(MPI_Status* status, int flag) {
  ATOLL_MPI_REQUIRE(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
  set_cancelled(*status, flag != 0);
}

void status_test_cancelled(const MPI_Status* status, int* flag) {
  ATOLL_MPI_REQUIRE(status != MPI_STATUS_IGNORE, MPI_ERR_ARG, "the status is MPI_STATUS_IGNORE");
  *flag = is_cancelled(*status);
}

}  // namespace atl::mpi
