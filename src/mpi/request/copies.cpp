// SPDX-License-Identifier: Apache-2.0
#include "request/copies.hpp"

#include <memory>
#include <utility>

#include "request/request.hpp"

namespace atl::mpi {
namespace {

class CopyingRequest : public Request {
 public:
  CopyingRequest(Request& inner, std::unique_ptr<BufferCopies> copies)
      : Request(inner.persistent() ? Life::persistent : Life::once), inner_(inner), copies_(std::move(copies)) {}
  ~CopyingRequest() override {
    if (persistent()) inner_->release();  // the reference of its handle
  }
  bool poll() override {
    if (!inner_->poll()) return false;
    finish();
    return true;
  }
  void wait() override {
    inner_->wait();
    finish();
  }
  void result(MPI_Status* status) override { inner_->result(status); }
  void retire() override {
    inner_->retire();
    Request::retire();
  }
  void let_go() override { inner_->let_go(); }
  void start() override {
    copies_->copy_in();
    is_finished_ = false;
    activate();
    inner_->start();
  }
  void cancel() override { inner_->cancel(); }

 private:
  void finish() {
    if (!std::exchange(is_finished_, true)) copies_->copy_out();
  }
  Ref<Request> inner_;
  std::unique_ptr<BufferCopies> copies_;
  bool is_finished_ = false;
};

}  // namespace

void atoll_mpi_keep_copies(MPI_Request* request, BufferCopies* given) {
  std::unique_ptr<BufferCopies> copies(given);
  Request* inner = find<Request>(*request);
  if (inner == nullptr || inner == &done_send()) return copies->copy_out();
  give(make<CopyingRequest>(*inner, std::move(copies)), request);
}

}  // namespace atl::mpi
