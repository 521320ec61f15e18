// SPDX-License-Identifier: Apache-2.0
// Memory at receivers of other nodes for long messages, above the network's message limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/message.hpp"

namespace atl::runtime {

class FailureDetector;
class Heap;
class OneSided;

/// The sender requests memory in the receiver's heap, puts the payload there, and announces it by a short message.
/// Memory is granted without the receiver's program. Part of the Messenger. Thread-safe.
class Landing {
 public:
  Landing(OneSided& one_sided, Heap& heap, FailureDetector& failures)
      : one_sided_(one_sided), heap_(heap), failures_(failures) {}

  // ---- the sender ------------------------------------------------------------------------------------------------

  /// Requests memory. Returns the number of the request, for take().
  std::uint64_t request(PeId pe, std::size_t bytes);
  /// The memory, once it is granted. Throws MemoryError when the receiver has none, Error when it has left the job.
  std::optional<HeapOffset> take(PeId pe, std::uint64_t id, std::size_t bytes);
  void fill(PeId pe, HeapOffset room, const fabric::MessageParts& parts);

  // ---- the receiver ----------------------------------------------------------------------------------------------

  /// A payload of so many bytes is handled, and its memory released.
  void note_handled(std::uint64_t bytes);
  /// `block` is of this PE's heap: the last copy of the result releases it.
  std::shared_ptr<std::byte> own(std::byte* block);

  void hear_request(PeId source, std::span<const std::byte> payload);
  void hear_answer(PeId source, std::span<const std::byte> payload);

 private:
  struct Request {
    PeId pe{0};
    std::uint64_t id;
    std::uint64_t bytes;
  };
  void grant();

  OneSided& one_sided_;
  Heap& heap_;
  FailureDetector& failures_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::optional<HeapOffset>> rooms_;  // requested by this PE; with what was granted
  std::uint64_t next_room_ = 1;
  std::deque<Request> requests_;  // of peers, not granted yet
  std::uint64_t bytes_ = 0;  // granted, and not handled yet
};

}  // namespace atl::runtime
