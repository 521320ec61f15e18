// SPDX-License-Identifier: Apache-2.0
#include "message/transfer.hpp"

#include <cstring>
#include <new>

#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "core/progress.hpp"
#include "message/buffered.hpp"
#include "mpi-ext.h"

namespace atl::mpi {
namespace {

// Free list of a thread, with blocks of one size. A thread may free blocks that another one allocated.
constexpr std::size_t block_bytes = 320;
constexpr int most_kept = 4096;
struct Blocks {
  void* first = nullptr;  // each block begins with the address of the next
  int room = 0;           // for more blocks; 0 before End is registered for this thread, and after the thread's end
  bool known = false;
  void* pop() {
    void* taken = first;
    std::memcpy(&first, taken, sizeof(first));
    ++room;
    return taken;
  }
  void push(void* block) {
    std::memcpy(block, &first, sizeof(first));
    first = block;
    --room;
  }
};
// Accessed without a function call: it has no constructor or destructor, and uses the static TLS block.
constinit thread_local Blocks blocks [[gnu::tls_model("initial-exec")]];
struct End {
  ~End() {
    while (blocks.first != nullptr) ::operator delete(blocks.pop());
    blocks.room = 0;
  }
};

// Frees a block when the list is full.
[[gnu::noinline]] void free_block(void* block) {
  if (blocks.known) return ::operator delete(block);
  static thread_local End end;
  static_cast<void>(end);
  blocks.known = true;
  blocks.room = most_kept;
  blocks.push(block);
}

static_assert(sizeof(SendTransfer) <= block_bytes && sizeof(ReceiveTransfer) <= block_bytes);

runtime::SendMode mode_of(Mode mode) {
  return mode == Mode::synchronous ? runtime::SendMode::synchronous : runtime::SendMode::standard;
}

// A rendezvous message progresses while the program computes. It takes one step, so only very long messages are worth
// waking the progress thread.
constexpr std::size_t steps_worth_waking = 16;
void leave_long(std::size_t bytes) {
  if (bytes > detail::longest_eager) leave_to_progress(bytes / steps_worth_waking);
}

// The error of messages to or from a rank (or MPI_ANY_SOURCE): revoked, peer_lost, or ok.
Status state_of_messages(const Comm& comm, int rank) {
  if (comm.revoked()) [[unlikely]]
    return Status::revoked;
  return comm.is_dead(rank) ? Status::peer_lost : Status::ok;
}

// A send and a receive in one request, which has the status of the receive (MPI_Isendrecv).
class Pair : public Request {
 public:
  Pair(Ref<SendTransfer> out, Ref<ReceiveTransfer> in)
      : Request(Life::once), out_(std::move(out)), in_(std::move(in)) {}
  bool poll() override {
    bool sent = out_->poll();
    return in_->poll() && sent;
  }
  void result(MPI_Status* status) override { in_->result(status); }
  void let_go() override { in_->let_go(); }

 private:
  Ref<SendTransfer> out_;
  Ref<ReceiveTransfer> in_;
};

}  // namespace

void* Transfer::operator new(std::size_t) {
  return blocks.first == nullptr ? ::operator new(block_bytes) : blocks.pop();
}

void Transfer::operator delete(void* memory) {
  if (checking()) [[unlikely]]
    return Object::operator delete(memory);
  if (blocks.room > 0) [[likely]]
    blocks.push(memory);
  else free_block(memory);
}

bool Transfer::poll() {
  if (done_) return true;
  auto outcome = library().matcher().test(pending_);
  if (!outcome) {
    library().progress().note_active();
    if (from_anybody_) check_anybody(*comm_, MPIX_ERR_PROC_FAILED_PENDING);
    return false;
  }
  outcome_ = *outcome;
  done_ = true;
  complete();
  return true;
}

void Transfer::wait() {
  if (done_) return;
  if (from_anybody_) [[unlikely]] {
    // Stays active after a failure: the message may still arrive, and the program may wait again.
    library().progress().wait([&] { return poll(); });
    return;
  }
  outcome_ = library().matcher().wait(pending_);
  done_ = true;
  complete();
}

void Transfer::end_as(Status why, PeId peer) {
  outcome_ = {why, {.source = peer}};
  done_ = true;
}

void Transfer::cancel() {
  if (!done_) (void)library().matcher().cancel(pending_);
}

bool SendTransfer::leaves_at_once(const Comm& comm, const Outgoing& data, int to, int tag, runtime::SendMode mode) {
  if (mode != runtime::SendMode::standard || to == MPI_PROC_NULL || state_of_messages(comm, to) != Status::ok)
    return false;
  return library().matcher().send_now(comm.pe_of(to), comm.bits(tag), data.span(), data.label());
}

void SendTransfer::begin(Outgoing data, int to, int tag, runtime::SendMode mode) {
  data_ = std::move(data);
  outcome_ = {};
  if (to == MPI_PROC_NULL) {
    done_ = true;
    return;
  }
  if (Status why = state_of_messages(*comm_, to); why != Status::ok) [[unlikely]]
    return end_as(why, comm_->pe_of(to));
  pending_ = library().matcher().send(comm_->pe_of(to), comm_->bits(tag), data_.span(), mode, data_.label());
  done_ = pending_.empty();
  if (!done_) leave_long(data_.bytes());
}

void ReceiveTransfer::begin(void* buffer, Count count, MPI_Datatype type, int from, int tag) {
  data_.set(buffer, count, type, Moves::pieces);
  no_process_ = from == MPI_PROC_NULL;
  from_anybody_ = from == MPI_ANY_SOURCE;
  done_ = no_process_;
  if (done_) return;
  const Status why = state_of_messages(*comm_, from);
  if (why == Status::revoked) [[unlikely]]
    return end_as(why, from_anybody_ ? runtime::Matcher::no_pe : comm_->pe_of(from));
  const runtime::Pattern pattern = pattern_of(*comm_, from, tag);
  if (why == Status::peer_lost) [[unlikely]] {
    pending_ = receive_from_dead(pattern, data_.target());
    return;
  }
  if (auto here = library().matcher().receive_if_here(pattern, data_.target())) {
    outcome_ = *here;
    done_ = true;
    return complete();
  }
  pending_ = library().matcher().receive(pattern, data_.target());
  leave_long(data_.bytes());
}

void ReceiveTransfer::begin(void* buffer, Count count, MPI_Datatype type, const runtime::Claim& claim) {
  data_.set(buffer, count, type, Moves::pieces);
  pending_ = library().matcher().receive(claim, data_.target());
}

void ReceiveTransfer::result(MPI_Status* status) {
  if (no_process_) fill_no_process(status);
  else report(*comm_, outcome_, data_, status);
}

void send_start(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm handle,
                MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to, tag);
  Outgoing data(buffer, count, type, Moves::pieces);
  if (mode == Mode::buffered && to != MPI_PROC_NULL) {
    send_buffered(comm, std::move(data), to, tag);
    *request = handle_of(done_send());
    return;
  }
  if (SendTransfer::leaves_at_once(comm, data, to, tag, mode_of(mode))) {
    *request = handle_of(done_send());
    return;
  }
  auto transfer = make<SendTransfer>(Request::Life::once, comm);
  transfer->begin(std::move(data), to, tag, mode_of(mode));
  if (transfer->poll() && transfer->is_good()) *request = handle_of(done_send());
  else give<Request>(Ref<Request>::adopt(transfer.leak()), request);
}

void send_init(Mode mode, const void* buffer, Count count, MPI_Datatype type, int to, int tag, MPI_Comm handle,
               MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to, tag);
  detail::checked(count, type).validate_count(count);
  Ref<TypeObject> kept(need<TypeObject>(type));
  auto begin = [=, &comm](SendTransfer& transfer) {
    Outgoing data(buffer, count, handle_of(*kept), Moves::pieces);
    if (mode == Mode::buffered && to != MPI_PROC_NULL) {
      send_buffered(comm, std::move(data), to, tag);
      transfer.begin({}, MPI_PROC_NULL, tag, runtime::SendMode::standard);
    } else {
      transfer.begin(std::move(data), to, tag, mode_of(mode));
    }
  };
  give<Request>(Ref<Request>::adopt(new Persistent<SendTransfer>(comm, begin)), request);
}

void receive_start(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm handle,
                   MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_source(comm, from, tag);
  auto transfer = make<ReceiveTransfer>(Request::Life::once, comm);
  transfer->begin(buffer, count, type, from, tag);
  give<Request>(Ref<Request>::adopt(transfer.leak()), request);
}

void receive_init(void* buffer, Count count, MPI_Datatype type, int from, int tag, MPI_Comm handle,
                  MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_source(comm, from, tag);
  detail::checked(count, type).validate_count(count);
  Ref<TypeObject> kept(need<TypeObject>(type));
  auto begin = [=](ReceiveTransfer& transfer) { transfer.begin(buffer, count, handle_of(*kept), from, tag); };
  give<Request>(Ref<Request>::adopt(new Persistent<ReceiveTransfer>(comm, begin)), request);
}

void message_receive_start(void* buffer, Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    auto transfer = make<ReceiveTransfer>(Request::Life::once, need<Comm>(MPI_COMM_SELF));
    transfer->begin(buffer, count, type, MPI_PROC_NULL, 0);
    give<Request>(Ref<Request>::adopt(transfer.leak()), request);
  } else {
    Message& taken = need<Message>(*message);
    auto transfer = make<ReceiveTransfer>(Request::Life::once, *taken.comm);
    transfer->begin(buffer, count, type, taken.claim);
    taken.release();
    give<Request>(Ref<Request>::adopt(transfer.leak()), request);
  }
  *message = MPI_MESSAGE_NULL;
}

void send_receive_start(const void* out, Count out_count, MPI_Datatype out_type, Half to, void* in, Count in_count,
                        MPI_Datatype in_type, Half from, MPI_Comm handle, MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to.peer, to.tag);
  check_source(comm, from.peer, from.tag);
  Outgoing outgoing(out, out_count, out_type, Moves::pieces);
  auto receiving = make<ReceiveTransfer>(Request::Life::once, comm);
  receiving->begin(in, in_count, in_type, from.peer, from.tag);
  auto sending = make<SendTransfer>(Request::Life::once, comm);
  sending->begin(std::move(outgoing), to.peer, to.tag, runtime::SendMode::standard);
  give<Request>(Ref<Request>::adopt(new Pair(std::move(sending), std::move(receiving))), request);
}

void send_receive_replace_start(void* buffer, Count count, MPI_Datatype type, Half to, Half from, MPI_Comm handle,
                                MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to.peer, to.tag);
  check_source(comm, from.peer, from.tag);
  Outgoing outgoing(buffer, count, type);
  outgoing.own();
  auto receiving = make<ReceiveTransfer>(Request::Life::once, comm);
  receiving->begin(buffer, count, type, from.peer, from.tag);
  auto sending = make<SendTransfer>(Request::Life::once, comm);
  sending->begin(std::move(outgoing), to.peer, to.tag, runtime::SendMode::standard);
  give<Request>(Ref<Request>::adopt(new Pair(std::move(sending), std::move(receiving))), request);
}

}  // namespace atl::mpi
