// SPDX-License-Identifier: Apache-2.0
// Requests: the interface of all kinds, and the calls that complete them.
#pragma once

#include <atomic>

#include "core/object.hpp"
#include "core/status.hpp"

namespace atl::mpi {

class Request : public Object {
 public:
  using Handle = MPI_Request;
  static constexpr Kind kind = Kind::request;
  static constexpr int error_class = MPI_ERR_REQUEST;
  static constexpr const char* what = "request";
  static Handle null_handle() { return MPI_REQUEST_NULL; }

  enum class Life { once, persistent };
  explicit Request(Life life) : Object(kind), persistent_(life == Life::persistent), active_(life == Life::once) {}

  bool persistent() const { return persistent_; }
  bool active() const { return active_; }

  /// Makes progress. Returns whether the operation is complete; once true, it stays true until start().
  virtual bool poll() = 0;
  /// Waits until the operation is complete.
  virtual void wait();
  /// Requires a complete operation. Fills the status, and throws the operation's error. May be called again.
  virtual void result(MPI_Status* status) = 0;
  /// The program has received this completion.
  virtual void retire() {
    active_ = false;
    if (!persistent_) release();
  }
  /// The program has freed the request: from now on poll() throws no errors.
  virtual void let_go() {}
  virtual void start() { fail(MPI_ERR_REQUEST, "the request is not persistent"); }
  virtual void cancel() {}
  /// MPI_Pready: partitioned requests only.
  virtual void ready(int partition) {
    fail(MPI_ERR_REQUEST, "a request without partitions: {} cannot be ready", partition);
  }
  virtual bool arrived(int partition) {
    fail(MPI_ERR_REQUEST, "a request without partitions: {} cannot arrive", partition);
  }
  /// MPI_Grequest_complete: generalized requests only.
  virtual void complete_by_program() { fail(MPI_ERR_REQUEST, "the request is not a generalized one"); }

 protected:
  void activate() { active_ = true; }

 private:
  bool persistent_;
  bool active_;
};

/// The shared request of sends that complete at once, so that they allocate no object.
Request& done_send();

void request_wait(MPI_Request* request, MPI_Status* status);
void request_test(MPI_Request* request, int* flag, MPI_Status* status);
void request_wait_all(int count, MPI_Request* requests, MPI_Status* statuses);
void request_test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses);
void request_wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status);
void request_test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
void request_wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
void request_test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
void request_free(MPI_Request* request);
void request_get_status(MPI_Request request, int* flag, MPI_Status* status);
void request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses);
void request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status);
void request_get_status_some(int count, const MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
void request_start(MPI_Request* request);
void request_start_all(int count, MPI_Request* requests);
void request_cancel(MPI_Request* request);

}  // namespace atl::mpi
