// SPDX-License-Identifier: Apache-2.0
// The way to PEs of other nodes, whose memory is not mapped: a network, or in tests something that behaves like one.
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

/// Carries an atomic out on a word of this process's memory, with a processor atomic, acquire-release. `width` is 4 or
/// 8; operands and the old value, which it returns, are bit patterns.
std::uint64_t apply_atomic(AtomicOp op, unsigned width, std::byte* word, std::uint64_t operand, std::uint64_t expected);

/// What the nodes of a job tell one another about it.
struct News {
  enum class Kind : std::uint32_t { failed, exit, shutdown };
  Kind kind = Kind::failed;
  PeId pe{0};               ///< failed: whose
  std::int32_t pid = 0;     ///< failed: of its process, 0: not known
  std::int32_t status = 0;  ///< failed: as from waitpid; exit: the job's
  std::string text = {};    ///< failed: the cause
};

/// One per process. Thread-safe. Ranges have been checked by the caller.
///
/// Order: what one thread puts, updates, sends and posts to one PE arrives there in that order, with one exception: a
/// put may arrive before the puts and updates ahead of it, unless a fence() lies between. All atomics on words of a PE
/// are carried out by processor atomics of its node, so they are atomic with those of PEs that map the word.
class RemotePath {
 public:
  virtual ~RemotePath() = default;

  /// Source completion: `from` may be reused on return. 1, 2, 4 and 8 aligned bytes arrive at once. Wakes the PE.
  virtual void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) = 0;
  /// `from` must stay as it is until quiet().
  virtual void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) = 0;
  /// put() and then, when that can be seen, an update of the 64-bit word `signal`.
  virtual void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                          std::uint64_t value, AtomicOp how) = 0;
  /// put_signal() that sets, of a protocol that learns by itself when it has arrived: quiet() does not wait for it.
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
  /// Most bytes of one try_send: at least message_bytes.
  virtual std::size_t longest_message() const = 0;
  /// To the PE's inbox, from this process's. try_again: the PE takes no more just now. Long parts go from where they
  /// lie: it returns when they may be reused, which does not depend on what the PE's program does.
  virtual Status try_send(PeId pe, MessageLabel label, const MessageParts& parts) = 0;
  /// What came for this process's PE. Null: it is in the PE's message ring.
  virtual Inbox* inbox() { return nullptr; }
  /// To the PE's listener (Job::listen), which is called without the PE's help. Up to message_bytes.
  virtual void post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) = 0;
  /// Wakes the PE if it sleeps.
  virtual void ring(PeId pe) = 0;
  /// Puts and updates before arrive before those after.
  virtual void fence() = 0;
  /// Returns when all that this process has put, updated and got is complete.
  virtual void quiet() = 0;
  /// Takes what has arrived; returns whether there was anything. Does not block. The thread that takes messages out of
  /// the inbox may give a taker, which is called with one that comes behind no other.
  virtual bool progress(const Inbox::Taker* taker) = 0;
  /// The thread that made progress stops: the agent must notice at once what comes. Does not block.
  virtual void stop_polling() {}
  /// To all other nodes of the job, whose Job::hear() gets it. Best effort, bounded in time.
  virtual void tell(const News& news) noexcept = 0;
  /// Whether the PE has left the job in good order: what is sent there from then on is dropped.
  virtual bool has_left(PeId pe) = 0;
};

}  // namespace atl::fabric
