// SPDX-License-Identifier: Apache-2.0
#include "message/buffered.hpp"

#include <deque>
#include <mutex>

#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"
#include "message/transfer.hpp"
#include "request/background.hpp"

namespace atl::mpi {
namespace {

// Messages are copied into the library's own memory; the size of the attached buffer only limits their number.
class Room : public Attached {
 public:
  Room(void* buffer, Count size) : buffer_(buffer), size_(size) {}
  void* buffer() const { return buffer_; }
  Count size() const { return size_; }

  void send(Comm& comm, Outgoing data, int to, int tag) {
    std::lock_guard lock(mutex_);
    forget_some();
    const Count bytes = static_cast<Count>(data.bytes()) + MPI_BSEND_OVERHEAD;
    if (!has_room(bytes)) forget_all();
    ATOLL_MPI_REQUIRE(
        has_room(bytes), MPI_ERR_BUFFER,
        "the attached buffer of {} bytes has no room: {} are in use, and {} are needed (with MPI_BSEND_OVERHEAD)",
        size_, used_, bytes);
    data.own();
    auto transfer = make<SendTransfer>(Request::Life::once, comm);
    transfer->begin(std::move(data), to, tag, runtime::SendMode::standard);
    if (transfer->poll()) return;
    messages_.push_back({std::move(transfer), bytes});
    used_ += bytes;
  }
  /// Drops all sent messages. Returns whether none is pending.
  bool flushed() {
    std::lock_guard lock(mutex_);
    while (!messages_.empty() && forget_first()) {}
    return messages_.empty();
  }

 private:
  struct Message {
    Ref<SendTransfer> transfer;
    Count bytes;
  };
  bool has_room(Count bytes) const { return buffer_ == MPI_BUFFER_AUTOMATIC || used_ + bytes <= size_; }
  // Drops the first message if it has been sent.
  bool forget_first() {
    if (!messages_.front().transfer->poll()) return false;
    used_ -= messages_.front().bytes;
    messages_.pop_front();
    return true;
  }
  // Drops at least as many sent messages as a new one needs, oldest first, because messages to one rank are sent in
  // order. An unsent message moves to the end, so that it does not block others.
  void forget_some() {
    constexpr int looks = 2;
    for (int look = 0; look < looks && !messages_.empty(); ++look) {
      if (forget_first()) continue;
      messages_.push_back(std::move(messages_.front()));
      messages_.pop_front();
    }
  }
  void forget_all() {
    std::erase_if(messages_, [this](Message& message) {
      if (!message.transfer->poll()) return false;
      used_ -= message.bytes;
      return true;
    });
  }
  void* buffer_;
  Count size_;
  std::mutex mutex_;
  std::deque<Message> messages_;
  Count used_ = 0;
};

Room* room_of(const std::unique_ptr<Attached>& where) { return static_cast<Room*>(where.get()); }

class Flushed : public Waiting {
 public:
  explicit Flushed(std::unique_ptr<Attached>& where) : where_(where) {}
  bool ready() override { return room_of(where_) == nullptr || room_of(where_)->flushed(); }

 private:
  std::unique_ptr<Attached>& where_;
};

Flow flush(std::unique_ptr<Attached>& where) {
  Flushed flushed(where);
  co_await flushed;
}

}  // namespace

std::unique_ptr<Attached>& process_buffer() {
  static auto& buffer = *new std::unique_ptr<Attached>;
  return buffer;
}

void send_buffered(Comm& comm, Outgoing data, int to, int tag) {
  // The buffer of the communicator, else that of its session, else that of the process.
  bool of_session = comm.session_buffer && *comm.session_buffer;
  Room* room = room_of(comm.attached ? comm.attached : of_session ? *comm.session_buffer : process_buffer());
  ATOLL_MPI_REQUIRE(room != nullptr, MPI_ERR_BUFFER, "a buffered send without a buffer: call MPI_Buffer_attach first");
  room->send(comm, std::move(data), to, tag);
}

void buffer_attach(std::unique_ptr<Attached>& where, void* buffer, Count size) {
  ATOLL_MPI_REQUIRE(where == nullptr, MPI_ERR_BUFFER, "a buffer is attached already: detach it first");
  ATOLL_MPI_REQUIRE(size >= 0, MPI_ERR_ARG, "a buffer of {} bytes", size);
  where = std::make_unique<Room>(buffer, size);
}

void buffer_detach(std::unique_ptr<Attached>& where, void* address, Count* size) {
  Room* room = room_of(where);
  if (room == nullptr) {
    *static_cast<void**>(address) = nullptr;
    *size = 0;
    return;
  }
  buffer_flush(where);
  *static_cast<void**>(address) = room->buffer();
  *size = room->size();
  where.reset();
}

void buffer_flush(std::unique_ptr<Attached>& where) {
  if (Room* room = room_of(where)) library().progress().wait([&] { return room->flushed(); });
}

void buffer_flush_start(std::unique_ptr<Attached>& where, MPI_Request* request) { start(flush(where), request); }

}  // namespace atl::mpi
