// SPDX-License-Identifier: Apache-2.0
// One libfabric endpoint of a process: opens, registers and posts, without a protocol. Not thread-safe.
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

/// An operation of the network, to which its completion points.
struct Operation {
  fi_context2 context;  // must be the first member: the provider's data
  enum class Kind : std::uint8_t { receive, send, transfer, put, fetch };
  Kind kind;
  std::uint32_t peer = 0;        ///< PE; for all kinds except receive
  std::byte* buffer = nullptr;   ///< for all kinds except transfer
  std::byte* spare = nullptr;    ///< send: a second buffer that it sends from, returned with it
  Pending* pending = nullptr;    ///< for transfer, fetch, and a send for which a caller waits
  std::uint32_t number = 0;      ///< put, fetch: number in the sequence of data sent to the PE
  std::uint32_t bytes = 0;       ///< size of a transfer, put, fetch, or send for which a caller waits
  std::byte* to = nullptr;       ///< fetch: destination; null when the result is no longer wanted
  Registrations::Loan loan;      ///< registration of private memory, on networks that require it
};

/// A completion in libfabric's form: `op_context` points to the Operation, and `len` is the size of a receive. With
/// FI_REMOTE_WRITE in `flags`, a peer has written into the segment instead, and `data` locates its header (note.hpp).
using Completion = fi_cq_data_entry;
/// Flag of a completion: the operation failed, and `data` is the error.
inline constexpr std::uint64_t operation_failed = std::uint64_t{1} << 63;
/// Flag of a completion: data of a peer was corrupt. `data` is the PE, `len` the error.
inline constexpr std::uint64_t peer_failed = std::uint64_t{1} << 62;

/// Network address and keys of a peer's memory.
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
  /// Opens the provider on an interface as endpoint `identity` of a job of `npes` PEs, and registers `segment` for
  /// remote access. Throws SetupError.
  Device(Info info, const tcp::Identity& identity, std::byte* segment, std::size_t segment_bytes, std::uint32_t npes);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Card card() const;
  /// The tag that headers to this process must carry: messages to an earlier process with the same address have
  /// another.
  std::uint32_t tag() const { return tag_; }
  /// Adds a peer. Returns FI_ADDR_UNSPEC when this provider cannot use the kind of address.
  fi_addr_t add_peer(const Card& card);

  /// Posts receives: the first ones after the peers were added, others when the caller is idle.
  void replenish() {
    if (posted_receives_.size() < filling_receives_ + wanted_receives_ && !idle_receives_.empty()) post_receives();
  }
  /// Whether a message came from the same peer as the previous one.
  enum class From { same, another };
  /// Adapts the number of posted receives to the size and source of a message.
  void note_receive(std::size_t bytes, From from) {
    if (bytes >= long_message || from == From::another || posted_receives_.size() == 0) [[unlikely]]
      want_receives(bytes, from);
  }
  /// Returns a processed receive. It is posted again when few are left, because a provider without a posted receive
  /// stalls the whole connection.
  void give_back_receive(Operation& operation) {
    idle_receives_.push_back(&operation);
    if (posted_receives_.size() < filling_receives_ + (wanted_receives_ + 1) / 2) post_receives();
  }
  /// Posts more receives after long messages of a single peer used one alone: if that peer fails within a message, none
  /// would be left.
  void expect_several();
  // The following functions return 0, -FI_EAGAIN when there is no room, or another error of libfabric.

  /// Sends up to inject_bytes() without a completion.
  int inject(const void* message, std::size_t bytes, fi_addr_t to) {
    return static_cast<int>(::fi_inject(endpoint_.get(), message, bytes, to));
  }
  /// A send buffer; null when all are in use.
  Operation* take_send() {
    if (free_sends_.empty()) return nullptr;
    Operation* taken = free_sends_.back();
    free_sends_.pop_back();
    return taken;
  }
  std::size_t free_sends() const { return free_sends_.size(); }
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
  /// Sends the header in the operation's buffer, followed by `parts`. Complete when both may be reused.
  int send_in_place(Operation& operation, const MessageParts& parts, fi_addr_t to);
  bool sends_in_place() const { return sends_in_place_; }
  /// Greatest size of an active message that this endpoint receives.
  std::size_t longest_message() const { return longest_message_; }
  /// Spare buffers of the size of receives, to send from or to replace a receive's buffer.
  Spares& spares() { return spares_; }
  enum class Until { reusable, delivered };
  /// One write to or read of the peer's memory, of at most most_transfer() bytes. The peer gets a non-zero note with
  /// its completion.
  int write(const void* from, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset, Until until,
            Operation& operation, std::uint64_t note = 0);
  int read(void* to, std::size_t bytes, const RemoteMemory& from, std::uint64_t offset, Operation& operation);
  /// Writes to the peer's memory, and the header in the operation's buffer to a slot of the peer. Complete when both
  /// may be reused; the peer gets the slot with its completion.
  int write_with_header(Operation& operation, const void* from, std::size_t bytes, const RemoteMemory& to,
                        std::uint64_t offset, std::uint32_t slot);
  /// Whether a write can carry a note.
  bool has_notes() const { return has_notes_; }
  std::size_t slots() const { return slot_count_; }
  std::span<const std::byte> header_in(std::uint64_t slot) const { return std::as_bytes(std::span(&slots_[slot], 1)); }
  /// Writes the operation's buffer to the peer's memory and notifies its process.
  int put(Operation& operation, std::size_t bytes, const RemoteMemory& to, std::uint64_t offset, Until until,
          std::uint64_t note = 0);
  /// Reads from the peer's memory into the operation's buffer.
  int fetch(Operation& operation, std::size_t bytes, const RemoteMemory& from, std::uint64_t offset);
  Operation& take_transfer();
  /// The caller's memory becomes invalid: operations counted in such a count complete as before, but no longer access
  /// that memory. They count in `instead` unless it is null. libfabric's own providers cannot cancel operations, so for
  /// them only copies from our buffers stop.
  void release(const std::function<bool(const Pending*)>& is_such, Pending* instead);
  void give_back_transfer(Operation& operation) {
    operation.pending = nullptr;
    operation.loan.reset();
    free_transfers_.push_back(&operation);
  }

  /// Makes progress and returns new completions, valid until the next call.
  std::span<const Completion> completions() {
    auto got = ::fi_cq_read(completions_.get(), finished_.data(), finished_.size());
    if (got > 0) [[likely]]
      return {finished_.data(), static_cast<std::size_t>(got)};
    return got == -FI_EAGAIN ? std::span<const Completion>() : take_failure(got);
  }
  /// Notes a filled receive. A peer that stops within a message keeps its buffer, for which other peers must not wait.
  void note_filled(const Operation& operation) { filling_receives_ = posted_receives_.remove(&operation); }
  /// File descriptors, one of which becomes readable when there may be completions. Valid after may_block() returned
  /// true.
  std::span<const int> descriptors() const { return descriptors_; }
  bool may_block();

  std::size_t inject_bytes() const { return inject_bytes_; }
  std::size_t most_transfer() const { return most_transfer_; }
  /// Whether a send of tens of kilobytes from `from` would be slow behind `before` bytes and the provider's header.
  bool is_slow_behind(std::size_t before, std::uint64_t from) const;
  /// Size of the next read() when `done` of `bytes` have been requested.
  std::size_t next_read(const RemoteMemory& from, std::uint64_t offset, std::size_t done, std::size_t bytes) const;
  /// Whether writes arrive in order, and before later messages.
  bool writes_in_order() const { return writes_in_order_; }
  /// Whether reads see earlier writes.
  bool reads_behind_writes() const { return (info_->tx_attr->msg_order & FI_ORDER_RAW) != 0; }
  /// Whether a put can notify the target process.
  bool tells() const { return tell_ != 0; }
  /// Whether the network may read (FI_WRITE) or write (FI_READ) this local memory, for operations that start while
  /// `loan` lives.
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
  std::uint64_t tell_ = 0;  // flag of a write that notifies the other process
  Owned<fid_mr> segment_region_, slots_region_, buffers_region_;
  std::vector<int> descriptors_;
  // Cached properties of the provider.
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
  std::size_t filling_receives_ = 0;  // number of first receives that are partly filled
  std::size_t wanted_receives_ = 0;  // number of further receives to be posted
  std::vector<std::unique_ptr<Operation>> transfers_;
  Owned<fid_ep> endpoint_;  // last member, destroyed first, because it uses all of the above
};

}  // namespace atl::fabric::ofi
