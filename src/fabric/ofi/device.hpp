// SPDX-License-Identifier: Apache-2.0
// One process's endpoint of libfabric: what is opened, registered and posted, without a protocol. Not thread-safe.
#pragma once

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/memory.hpp"
#include "atoll/fabric/message.hpp"
#include "library.hpp"
#include "note.hpp"
#include "outstanding.hpp"
#include "posted.hpp"
#include "registration.hpp"
#include "spares.hpp"
#include "tcp/provider.hpp"
#include "wire.hpp"

namespace atl::fabric::ofi {

/// What a completion points to.
struct Operation {
  fi_context2 context;  // first: the provider's
  enum class Kind : std::uint8_t { receive, send, transfer, put, fetch };
  Kind kind;
  std::uint32_t peer = 0;        ///< PE; all but receive
  std::byte* buffer = nullptr;   ///< all but transfer
  std::byte* spare = nullptr;    ///< send: what else it sends from, given back with it
  Pending* pending = nullptr;    ///< transfer, fetch, and a send that somebody waits for
  std::uint32_t number = 0;      ///< put, fetch: of what was sent to that PE
  std::uint32_t bytes = 0;       ///< of a transfer, put or fetch, and of a send that is waited for
  std::byte* to = nullptr;       ///< fetch: where to; null: it is not wanted any more
  Registrations::Loan loan;      ///< transfer or send from or to private memory, on networks that must know it
};

/// What the network tells, as it tells it: `op_context` is an Operation's, of a receive of `len` bytes. If `flags` has
/// FI_REMOTE_WRITE, a peer has written into the segment instead, and `data` says where its header is (note.hpp).
using Completion = fi_cq_data_entry;
/// Among its `flags`: the operation failed, and `data` is the error.
inline constexpr std::uint64_t operation_failed = std::uint64_t{1} << 63;
/// Likewise: what came from a peer was not what it has sent. `data` is the PE, `len` the error.
inline constexpr std::uint64_t peer_failed = std::uint64_t{1} << 62;

/// Where a peer's memory is, as the network counts.
struct RemoteMemory {
  fi_addr_t address = FI_ADDR_UNSPEC;
  std::uint32_t tag = 0;
  bool reachable = false;
  bool has_slots = false;
  std::uint64_t base = 0;
  std::uint64_t key = 0;
  std::uint64_t slots_base = 0;
  std::uint64_t slots_key = 0;
  std::size_t longest_message = 0;
};

class Device {
 public:
  /// Opens the provider on that interface, as that endpoint of the job, and lets the network reach `segment`, in a job
  /// of `npes` PEs. Throws SetupError.
  Device(Info info, const tcp::Identity& identity, std::byte* segment, std::size_t segment_bytes, std::uint32_t npes);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Card card() const;
  /// What headers to this process carry: another process may have had the address before, and still be sent to.
  std::uint32_t tag() const { return tag_; }
  /// FI_ADDR_UNSPEC: the address is of a kind that the provider here cannot use.
  fi_addr_t add_peer(const Card& card);

  /// Posts the receives that may be: the first after the peers were added, others when there is nothing better to do.
  void replenish() {
    if (posted_receives_.size() < filling_receives_ + wanted_receives_ && !idle_receives_.empty()) post_receives();
  }
  /// The peer that messages come from: the same as the last, or another.
  enum class From { same, another };
  /// So much came into a receive: how many are to be posted.
  void note_receive(std::size_t bytes, From from) {
    if (bytes >= long_message || from == From::another || posted_receives_.size() == 0) [[unlikely]]
      want_receives(bytes, from);
  }
  /// It has been looked at and may be posted again: is, when few are left, as a provider that has none to put a message
  /// into holds up the whole connection.
  void give_back_receive(Operation& operation) {
    idle_receives_.push_back(&operation);
    if (posted_receives_.size() < filling_receives_ + (wanted_receives_ + 1) / 2) post_receives();
  }
  /// Posts more, where long messages of one peer had one to themselves: none is left when that peer breaks off within
  /// one.
  void expect_several();
  // What follows returns 0, -FI_EAGAIN when there is no room just now, or another error of libfabric.

  /// Sends up to inject_bytes() and forgets about it.
  int inject(const void* message, std::size_t bytes, fi_addr_t to) {
    return static_cast<int>(::fi_inject(endpoint_.get(), message, bytes, to));
  }
  /// A buffer to send from, null when all are under way.
  Operation* take_send() {
    if (free_sends_.empty()) return nullptr;
    Operation* taken = free_sends_.back();
    free_sends_.pop_back();
    return taken;
  }
  void give_back_send(Operation& operation) {
    operation.kind = Operation::Kind::send;
    operation.pending = nullptr;
    operation.bytes = 0;
    operation.loan.reset();
    if (operation.spare != nullptr) spares_.give_back(std::exchange(operation.spare, nullptr));
    free_sends_.push_back(&operation);
  }
  int send(Operation& operation, std::size_t bytes, fi_addr_t to) {
    const std::byte* from = operation.spare != nullptr ? operation.spare : operation.buffer;
    return static_cast<int>(::fi_send(endpoint_.get(), from, bytes, buffers_descriptor(), to, &operation.context));
  }
  /// A header, which is in the operation's buffer, and what follows it. Complete when all may be reused.
  int send_in_place(Operation& operation, const MessageParts& parts, fi_addr_t to);
  bool sends_in_place() const { return sends_in_place_; }
  /// Longest active message that it can receive.
  std::size_t longest_message() const { return longest_message_; }
  /// Buffers as long as those of receives, to send from or to take a receive's place.
  Spares& spares() { return spares_; }
  enum class Until { reusable, delivered };
  /// One write or read of the peer's memory, at most most_transfer() long. The peer finds the note, if it is not 0,
  /// among its completions.
  int write(const void* from, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset, Until until,
            Operation& operation, std::uint64_t note = 0);
  int read(void* to, std::size_t bytes, const RemoteMemory& from, std::uint64_t offset, Operation& operation);
  /// Writes to the peer's memory, and the header, which is in the operation's buffer, into a slot. Complete when all
  /// may be reused, and the peer finds the slot among its completions.
  int write_with_header(Operation& operation, const void* from, std::size_t bytes, const RemoteMemory& to,
                        std::uint64_t offset, std::uint32_t slot);
  /// Whether a write can bring a note.
  bool has_notes() const { return has_notes_; }
  std::size_t slots() const { return slot_count_; }
  std::span<const std::byte> header_in(std::uint64_t slot) const { return std::as_bytes(std::span(&slots_[slot], 1)); }
  /// Writes the operation's buffer to the peer's memory, whose process is told.
  int put(Operation& operation, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset, Until until,
          std::uint64_t note = 0);
  /// Reads into the operation's buffer.
  int fetch(Operation& operation, std::size_t bytes, const RemoteMemory& from, std::uint64_t offset);
  Operation& take_transfer();
  /// The caller's memory goes: what `pending` counts completes as before and counts in `instead`, but does not touch
  /// that memory any more. Of libfabric's own providers only the copies from our buffers stop: what they have been
  /// given they cannot give back.
  void release(const Pending& pending, Pending& instead);
  void give_back_transfer(Operation& operation) {
    operation.pending = nullptr;
    operation.loan.reset();
    free_transfers_.push_back(&operation);
  }

  /// What has finished since, until the next call. Also what makes progress.
  std::span<const Completion> completions() {
    auto got = ::fi_cq_read(completions_.get(), finished_.data(), finished_.size());
    if (got > 0) [[likely]]
      return {finished_.data(), static_cast<std::size_t>(got)};
    return got == -FI_EAGAIN ? std::span<const Completion>() : take_failure(got);
  }
  /// A receive among these. A peer that stops within a message keeps its buffer: other peers must not wait for that.
  void note_filled(const Operation& operation) { filling_receives_ = posted_receives_.remove(&operation); }
  /// One of them becomes readable when there may be completions. Only after may_block() said so.
  std::span<const int> descriptors() const { return descriptors_; }
  bool may_block();

  std::size_t inject_bytes() const { return inject_bytes_; }
  std::size_t most_transfer() const { return most_transfer_; }
  /// Whether tens of kilobytes there would be slow to send behind so many bytes, besides the provider's header.
  bool is_slow_behind(std::size_t before, std::uint64_t from) const;
  /// How much to read() next, of so many bytes of which so many are asked for.
  std::size_t next_read(const RemoteMemory& from, std::uint64_t offset, std::size_t done, std::size_t bytes) const;
  /// Writes land in order, and before messages sent after them.
  bool writes_in_order() const { return writes_in_order_; }
  /// Reads see what writes before them have put.
  bool reads_behind_writes() const { return (info_->tx_attr->msg_order & FI_ORDER_RAW) != 0; }
  /// Whether the process at the other end of a put can be told.
  bool tells() const { return tell_ != 0; }
  /// Whether the network may read (FI_WRITE) or write (FI_READ) this memory of ours by itself: for operations that
  /// begin while `loan` lives.
  bool lend(const void* memory, std::size_t bytes, std::uint64_t access, Registrations::Loan& loan);
  bool has_rma() const { return segment_region_ != nullptr; }

 private:
  static constexpr std::size_t long_message = 32768;

  bool in_segment(const void* memory, std::size_t bytes) const {
    auto* at = static_cast<const std::byte*>(memory);
    return at >= segment_ && at < segment_ + segment_bytes_ &&
           bytes <= static_cast<std::size_t>(segment_ + segment_bytes_ - at);
  }
  void* local_descriptor(const void* memory, std::size_t bytes, std::uint64_t access, Operation& operation);
  void* buffers_descriptor() const { return buffers_region_ ? ::fi_mr_desc(buffers_region_.get()) : nullptr; }
  int start_write(const void* from, void* descriptor, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset,
                  Until until, Operation& operation, std::uint64_t note);
  std::uint64_t key_of(std::uint64_t kind) const;
  Owned<fid_mr> expose(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key);
  void find_descriptors();
  void open_segment();
  void open_slots(std::uint32_t npes);
  void make_buffers();
  void post_receives();
  void post_receive(Operation& operation);
  void want_receives(std::size_t bytes, From from);
  std::span<const Completion> take_failure(std::int64_t status);

  std::byte* segment_;
  std::size_t segment_bytes_;
  Info info_;
  std::uint32_t tag_;
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> peers_;
  Owned<fid_cq> completions_;
  std::unique_ptr<Header[]> slots_;
  std::size_t slot_count_ = 0;
  bool has_notes_ = false;
  std::uint64_t tell_ = 0;  // flag of a write that tells the other process
  Owned<fid_mr> segment_region_, slots_region_, buffers_region_;
  std::vector<int> descriptors_;
  // Looked up once: what the provider tells lies elsewhere.
  bool local_registration_ = false, sends_in_place_ = false, writes_in_order_ = false, over_sockets_ = false;
  std::size_t inject_bytes_ = 0;
  Registrations registrations_;
  std::size_t most_transfer_ = 0, longest_message_ = 0, receive_bytes_ = 0;
  SystemMemory memory_;
  Buffer<std::byte> buffers_;
  Spares spares_;
  std::vector<Operation> receives_, sends_;
  std::vector<Operation*> idle_receives_, free_sends_, free_transfers_;
  std::array<Completion, 32> finished_;
  Posted posted_receives_;
  std::size_t filling_receives_ = 0;  // the first of these, when one behind them was filled last
  std::size_t wanted_receives_ = 0;  // besides those
  std::vector<std::unique_ptr<Operation>> transfers_;
  Owned<fid_ep> endpoint_;  // last: it goes first, and uses all of the above until then
};

}  // namespace atl::fabric::ofi
