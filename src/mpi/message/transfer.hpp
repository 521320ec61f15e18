// SPDX-License-Identifier: Apache-2.0
// Requests of point to point.
#pragma once

#include <functional>

#include "message/message.hpp"
#include "request/request.hpp"

namespace atl::mpi {

/// One message under way. Taken from and given back to a list of its thread's, so that messages allocate nothing.
class Transfer : public Request {
 public:
  Transfer(Life life, Comm& comm) : Request(life), comm_(comm) {}

  bool poll() override;
  void wait() override;
  void cancel() override;
  /// It may still come from ranks that live: the failure of another rank does not matter any more.
  void let_go() override { from_anybody_ = false; }

  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory);

  bool is_good() const { return outcome_.status == Status::ok; }

 protected:
  /// At its begin: it cannot be. The request says so when it is complete.
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
  /// Whether it has been sent without a request: `data` may be reused.
  static bool leaves_at_once(const Comm& comm, const Outgoing& data, int to, int tag, runtime::SendMode mode);
  /// Sends now; `data` is the request's until complete.
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
  void complete() override { data_.land(outcome_.envelope.bytes); }
  Incoming data_;
  bool no_process_ = false;
};

/// A persistent one: what its start does.
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
  // Larger than what the lists hold.
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void operator delete(void* memory) { ::operator delete(memory); }

 private:
  std::function<void(Base&)> begin_;
};

}  // namespace atl::mpi
