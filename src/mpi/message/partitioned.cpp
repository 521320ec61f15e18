// SPDX-License-Identifier: Apache-2.0
#include "message/partitioned.hpp"

#include <atomic>
#include <vector>

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "datatype/checked.hpp"
#include "message/transfer.hpp"
#include "request/background.hpp"

namespace atl::mpi {
namespace {

// Requests of both sides match in the order of their creation, whatever the order of their starts. The sender then
// announces the channel number of its messages.
std::uint64_t bits_of(const Comm& comm, int tag) { return comm.bits(tag, Talk::partitioned); }

// The announcement of a channel number. An incomplete one that is freed completes in the background.
class Introduction : public Request {
 public:
  explicit Introduction(Comm& comm) : Request(Life::once), comm_(comm) {}
  void send(int to, int tag, std::uint32_t channel) {
    channel_ = channel;
    pending_ = library().matcher().send(comm_->pe_of(to), bits_of(*comm_, tag), std::as_bytes(std::span(&channel_, 1)));
    done_ = pending_.empty();
  }
  void receive(int from, int tag) {
    pending_ = library().matcher().receive({.source = comm_->pe_of(from), .tag = bits_of(*comm_, tag)},
                                           std::as_writable_bytes(std::span(&channel_, 1)));
  }
  bool poll() override {
    if (done_) return true;
    auto outcome = library().matcher().test(pending_);
    if (!outcome) return false;
    outcome_ = *outcome;
    return done_ = true;
  }
  void result(MPI_Status* status) override { fill_empty(status); }
  const runtime::Outcome& outcome() const { return outcome_; }
  std::uint32_t channel() const { return channel_; }
  static void let_go(Ref<Introduction> one) {
    if (!one || one->poll()) return;
    (void)library().matcher().cancel(one->pending_);
    finish_in_background(*one.leak());
  }

 private:
  Ref<Comm> comm_;
  std::uint32_t channel_ = 0;
  runtime::Request pending_;
  runtime::Outcome outcome_;
  bool done_ = false;
};

void check_partitions(int partitions, Count count, MPI_Datatype type) {
  ATOLL_MPI_REQUIRE(partitions > 0, MPI_ERR_ARG, "a message of {} partitions", partitions);
  detail::checked(count, type).validate_count(datatype::checked_multiply(count, partitions));
}

// The thread that makes the last partition ready sends all partitions as one message.
class PartitionedSend : public Transfer {
 public:
  PartitionedSend(Comm& comm, const void* buffer, int partitions, Count count, MPI_Datatype type, int to, int tag)
      : Transfer(Life::persistent, comm),
        buffer_(buffer),
        count_(count),
        type_(need<TypeObject>(type)),
        to_(to),
        channel_(comm.next_channel()),
        ready_(static_cast<std::size_t>(partitions)) {
    if (to == MPI_PROC_NULL || comm.revoked() || comm.is_dead(to)) return;
    auto words = make<Introduction>(comm);
    words->send(to, tag, channel_);
    if (!words->poll()) finish_in_background(*words.leak());
  }

  void start() override {
    activate();
    outcome_ = {};
    done_ = false;
    sent_.store(false, std::memory_order_relaxed);
    for (auto& flag : ready_) flag.store(false, std::memory_order_relaxed);
    left_.store(static_cast<int>(ready_.size()), std::memory_order_release);
  }
  void ready(int partition) override {
    ATOLL_MPI_REQUIRE(active(), MPI_ERR_REQUEST, "a partition of a send that has not been started");
    ATOLL_MPI_REQUIRE(partition >= 0 && static_cast<std::size_t>(partition) < ready_.size(), MPI_ERR_ARG,
                      "partition {} of {}", partition, ready_.size());
    bool before = ready_[static_cast<std::size_t>(partition)].exchange(true);
    ATOLL_MPI_REQUIRE(!before, MPI_ERR_ARG, "partition {} is ready already", partition);
    // Acquire and release: the sending thread sees the writes of all others; partner: itself.
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (to_ != MPI_PROC_NULL) {
      data_ =
          Outgoing(buffer_, datatype::checked_multiply(count_, static_cast<Count>(ready_.size())), handle_of(*type_));
      pending_ = library().matcher().send(comm_->pe_of(to_), comm_->partitioned_bits(channel_), data_.span(),
                                          runtime::SendMode::standard, data_.label());
    }
    sent_.store(true, std::memory_order_release);  // publishes pending_; partner: poll()
    library().one_sided().notify(library().pe());
  }
  bool poll() override {
    if (!sent_.load(std::memory_order_acquire)) {  // partner: ready()
      library().progress().progress();
      return false;
    }
    return Transfer::poll();
  }
  void wait() override {
    library().progress().wait([this] { return poll(); });
  }
  void result(MPI_Status* status) override { fill_empty(status); }
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void operator delete(void* memory) { ::operator delete(memory); }

 private:
  const void* buffer_;
  Count count_;
  Ref<TypeObject> type_;
  int to_;
  std::uint32_t channel_;
  Outgoing data_;
  std::vector<std::atomic<bool>> ready_;
  std::atomic<int> left_{0};
  std::atomic<bool> sent_{false};
};

class PartitionedReceive : public Transfer {
 public:
  PartitionedReceive(Comm& comm, void* buffer, int partitions, Count count, MPI_Datatype type, int from, int tag)
      : Transfer(Life::persistent, comm),
        buffer_(buffer),
        partitions_(partitions),
        count_(count),
        type_(need<TypeObject>(type)),
        from_(from),
        tag_(tag) {
    if (from == MPI_PROC_NULL) return;
    sender_ = make<Introduction>(comm);
    sender_->receive(from, tag);
  }
  ~PartitionedReceive() override {
    if (is_active()) Introduction::let_go(std::move(sender_));
  }

  void start() override {
    activate();
    data_ = Incoming(buffer_, datatype::checked_multiply(count_, partitions_), handle_of(*type_));
    outcome_ = {};
    done_ = from_ == MPI_PROC_NULL;
    posted_ = false;
    if (!done_) (void)is_posted();
  }
  bool poll() override { return done_ || (is_posted() && Transfer::poll()); }
  void wait() override {
    library().progress().wait([this] { return poll(); });
  }
  bool arrived(int partition) override {
    ATOLL_MPI_REQUIRE(partition >= 0 && partition < partitions_, MPI_ERR_ARG, "partition {} of {}", partition,
                      partitions_);
    return !active() || poll();
  }
  void result(MPI_Status* status) override {
    if (from_ == MPI_PROC_NULL) fill_no_process(status);
    else report(*comm_, outcome_, data_, status);
  }
  static void* operator new(std::size_t bytes) { return ::operator new(bytes); }
  static void operator delete(void* memory) { ::operator delete(memory); }

 private:
  // Posts the receive as soon as the sender's channel number is known.
  bool is_posted() {
    if (posted_) return true;
    if (!sender_->poll()) {
      library().progress().note_active();
      library().progress().progress();
      if (!sender_->poll()) return false;
    }
    posted_ = true;
    if (Status status = sender_->outcome().status; status != Status::ok) end_as(status, comm_->pe_of(from_));
    else
      pending_ = library().matcher().receive(
          {.source = comm_->pe_of(from_), .tag = comm_->partitioned_bits(sender_->channel())}, data_.span());
    return true;
  }
  void complete() override {
    outcome_.envelope.tag = static_cast<std::uint64_t>(tag_);
    data_.land_before_check(outcome_.envelope.bytes);
  }
  void* buffer_;
  int partitions_;
  Count count_;
  Ref<TypeObject> type_;
  int from_, tag_;
  Ref<Introduction> sender_;
  bool posted_ = false;
  Incoming data_;
};

}  // namespace

void partitioned_send_init(const void* buffer, int partitions, Count count, MPI_Datatype type, int to, int tag,
                           MPI_Comm handle, MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, to, tag);
  check_partitions(partitions, count, type);
  give<Request>(Ref<Request>::adopt(new PartitionedSend(comm, buffer, partitions, count, type, to, tag)), request);
}

void partitioned_receive_init(void* buffer, int partitions, Count count, MPI_Datatype type, int from, int tag,
                              MPI_Comm handle, MPI_Request* request) {
  Comm& comm = need<Comm>(handle);
  check_target(comm, from, tag);
  check_partitions(partitions, count, type);
  give<Request>(Ref<Request>::adopt(new PartitionedReceive(comm, buffer, partitions, count, type, from, tag)), request);
}

void partition_ready(int first, int last, MPI_Request handle) {
  ATOLL_MPI_REQUIRE(first <= last, MPI_ERR_ARG, "partitions {} to {}", first, last);
  Request& request = need<Request>(handle);
  for (int partition = first; partition <= last; ++partition) request.ready(partition);
}

void partitions_ready(int count, const int* partitions, MPI_Request handle) {
  Request& request = need<Request>(handle);
  for (int i = 0; i < count; ++i) request.ready(partitions[i]);
}

// Null and inactive requests give true: MPI 5.0, 4.2.2.
void partition_arrived(MPI_Request handle, int partition, int* flag) {
  *flag = handle == MPI_REQUEST_NULL || need<Request>(handle).arrived(partition);
}

}  // namespace atl::mpi
