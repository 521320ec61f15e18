// SPDX-License-Identifier: Apache-2.0
// Operations for which a peer has no room yet: descriptors, in the order of their calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/remote_path.hpp"
#include "outstanding.hpp"

namespace atl::fabric::ofi {

/// Counts of the operations that have been sent to a PE. Path::settled() tells whether they are complete.
struct Sent {
  std::uint32_t pe;
  std::uint32_t operations;
  bool putting;
  std::uint32_t put;
};

/// An atomic operation on a word of a peer.
struct Atomic {
  AtomicOp op = AtomicOp::set;
  std::uint8_t width = 8;
  HeapOffset at{0};
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
};

/// A non-blocking operation that has not been handed to the network, or only in part.
struct QueuedOperation {
  enum class Kind : std::uint8_t { put, put_signal, get, update, atomic };
  Kind kind;
  bool asked = false;               ///< get: `before` is valid
  HeapOffset at{0};                 ///< put, put_signal, get: place at the peer
  const std::byte* from = nullptr;  ///< put, put_signal
  std::byte* to = nullptr;          ///< get, atomic
  std::size_t bytes = 0;            ///< put, put_signal, get
  std::size_t done = 0;             ///< of these, handed to the network
  Atomic atomic{};                  ///< put_signal, update, atomic
  Sent before{};                    ///< get: data to the peer that it must not overtake
  Tracked* tracked = nullptr;       ///< put, get: not null when the caller has asked for its completion

  std::size_t left() const { return bytes - done; }
  HeapOffset next() const { return HeapOffset(at.value() + done); }
};

struct Backlog {
  std::deque<QueuedOperation> waiting;
  std::uint64_t started = 0;   // operations that have left the queue
  std::uint64_t stuck_at = 0;  // progress of the peer when a call last gave up waiting for it; 0: none has

  /// The number of the last operation in the queue.
  std::uint64_t last() const { return started + waiting.size(); }
};

}  // namespace atl::fabric::ofi
