// SPDX-License-Identifier: Apache-2.0
// Requests of point-to-point messages.
#pragma once

#include <functional>

#include "message/message.hpp"
#include "request/request.hpp"

namespace atl::mpi {

/// A message in progress. Memory comes from a free list of the thread, so that messages do not call the allocator.
class Transfer : public Request {
 public:
  Transfer(Life life, Comm& comm) : Request(life), comm_(comm) {}

  bool poll() override;
  void wait() override;
  void cancel() override;
  /// A freed receive from MPI_ANY_SOURCE may still match a live rank, so failures of other ranks no longer end it.
  void let_go() override { from_anybody_ = false; }

  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory);

  bool is_good() const { return outcome_.status == Status::ok; }

 protected:
  /// Ends an operation at its start with an error, which the request reports on completion.
  void end_as(Status why, PeId peer);
  virtual void complete() {}
  Ref<Comm> comm_;
  runtime::Request pending_;
  runtime::Outcome outcome_;
  bool done_ = false;
  bool from_anybody_ = false;
};

class SendTransfer : public Transfer {
 public:
  using Transfer::Transfer;
  /// Tries to send without a request. Returns true when `data` may be reused.
  static bool leaves_at_once(const Comm& comm, const Outgoing& data, int to, int tag, runtime::SendMode mode);
  /// Starts the send. The request owns `data` until it is complete.
  void begin(Outgoing data, int to, int tag, runtime::SendMode mode);
  void result(MPI_Status* status) override {
    check_outcome(outcome_.status, outcome_.envelope.source, comm_.get());
    fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, outcome_.status == Status::cancelled);
  }

 private:
  Outgoing data_;
};

class ReceiveTransfer : public Transfer {
 public:
  using Transfer::Transfer;
  void begin(void* buffer, Count count, MPI_Datatype type, int from, int tag);
  void begin(void* buffer, Count count, MPI_Datatype type, const runtime::Claim& claim);
  void result(MPI_Status* status) override;

 private:
  void complete() override { data_.land_before_check(outcome_.envelope.bytes); }
  Incoming data_;
  bool no_process_ = false;
};

/// A persistent request, with the function that starts it.
template <class Base>
class Persistent : public Base {
 public:
  Persistent(Comm& comm, std::function<void(Base&)> begin)
      : Base(Request::Life::persistent, comm), begin_(std::move(begin)) {}
  void start() override {
    this->activate();
    this->done_ = false;
    begin_(*this);
  }
  // Larger than the blocks of the free lists.
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void operator delete(void* memory) { ::operator delete(memory); }

 private:
  std::function<void(Base&)> begin_;
};

}  // namespace atl::mpi
