// SPDX-License-Identifier: Apache-2.0
// Access to PEs of other nodes, whose memory is not mapped: a network, or a replacement in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "atoll/base/ids.hpp"
#include "atoll/base/status.hpp"
#include "atoll/fabric/inbox.hpp"

namespace atl::fabric {

enum class AtomicOp : std::uint8_t { fetch, set, add, bit_and, bit_or, bit_xor, swap, compare_swap };

/// Performs an atomic on a word of this process's memory by a processor atomic, acquire-release. `width` is 4 or 8;
/// operands and the returned old value are bit patterns.
std::uint64_t apply_atomic(AtomicOp op, unsigned width, std::byte* word, std::uint64_t operand, std::uint64_t expected);

/// A notification about the job between its nodes.
struct News {
  enum class Kind : std::uint32_t { failed, exit, shutdown };
  Kind kind = Kind::failed;
  PeId pe{0};               ///< failed: the PE
  std::int32_t pid = 0;     ///< failed: its pid, 0 when unknown
  std::int32_t status = 0;  ///< failed: as from waitpid; exit: the job's exit status
  std::string text = {};    ///< failed: the cause
};

/// One per process. Thread-safe. The caller has checked all ranges.
///
/// Order: puts, updates, messages and posts of one thread to one PE arrive in that order, with one exception: a put may
/// arrive before earlier puts and updates, unless a fence() is in between. Atomics on words of a PE are performed by
/// processor atomics of its node, so they are atomic with those of PEs that map the word.
class RemotePath {
 public:
  virtual ~RemotePath() = default;

  /// Source completion: `from` may be reused on return. 1, 2, 4 and 8 aligned bytes are written atomically. Wakes the
  /// PE.
  virtual void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) = 0;
  /// `from` must not change until quiet().
  virtual void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) = 0;
  /// put(), then an update of the 64-bit word `signal`, which becomes visible after the data.
  virtual void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                          std::uint64_t value, AtomicOp how) = 0;
  /// put_signal() with AtomicOp::set for protocols that detect arrival themselves: quiet() does not wait for it.
  virtual void deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                       std::uint64_t value) {
    put_signal(pe, to, from, bytes, signal, value, AtomicOp::set);
  }
  /// Complete on return.
  virtual void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) = 0;
  /// Complete in quiet().
  virtual void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) = 0;
  /// Returns the old value. Widths and values as in apply_atomic().
  virtual std::uint64_t atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                               std::uint64_t expected) = 0;
  /// A non-fetching atomic: complete in quiet().
  virtual void update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) = 0;
  /// Greatest size of one try_send; at least message_bytes.
  virtual std::size_t longest_message() const = 0;
  /// Sends to the PE's inbox. Returns try_again when the PE has no room. Long parts are sent without a copy: the call
  /// returns when they may be reused, which does not depend on the PE's program.
  virtual Status try_send(PeId pe, MessageLabel label, const MessageParts& parts) = 0;
  /// The inbox of this process's PE; null when messages are put into the PE's ring.
  virtual Inbox* inbox() { return nullptr; }
  /// Sends up to message_bytes to the PE's listener (Job::listen), which runs without any call of the PE.
  virtual void post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) = 0;
  /// Wakes the PE if it sleeps.
  virtual void ring(PeId pe) = 0;
  /// Earlier puts and updates arrive before later ones.
  virtual void fence() = 0;
  /// Returns when all puts, updates and gets of this process are complete.
  virtual void quiet() = 0;
  /// Processes arrivals; returns whether there were any. Does not block. The consumer of the inbox may pass a taker,
  /// which receives messages directly while the inbox is empty.
  virtual bool progress(const Inbox::Taker* taker) = 0;
  /// The thread that made progress is about to stop: from now on the agent must notice arrivals at once. Does not
  /// block.
  virtual void stop_polling() {}
  /// Sends news to Job::hear() of all other nodes. Best effort, bounded in time.
  virtual void tell(const News& news) noexcept = 0;
  /// Whether the PE has left the job without failure; further data for it is dropped.
  virtual bool has_left(PeId pe) = 0;
};

}  // namespace atl::fabric
