// SPDX-License-Identifier: Apache-2.0
// Rounds of messages without content that the network carries out by itself, where libfabric's provider has triggered work
// (FI_QUEUE_WORK: cxi, sockets): a barrier, or any schedule that is only about who has come, without the host's help.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "atoll/base/ids.hpp"

namespace atl::fabric {

class Job;

/// Whether the job's network has it. Alike on all PEs.
bool has_deferred_work(const Job& job);

class DeferredRounds {
 public:
  static constexpr unsigned most_rounds = 20;
  /// What partners must know, copied as it is.
  //
  // | offset | bytes | field         | valid when                                    |
  // |--------|-------|---------------|-----------------------------------------------|
  // |   0    |  64   | address       | the first address_bytes                       |
  // |  64    |   4   | address_bytes | 0: this PE has no such network after all      |
  // |  68    |   4   | zero          |                                               |
  // |  72    | 160   | base          | of each round's word, as the network counts   |
  // | 232    | 160   | key           | likewise                                      |
  struct Card {
    std::array<std::byte, 64> address{};
    std::uint32_t address_bytes = 0;
    std::uint32_t zero = 0;
    std::array<std::uint64_t, most_rounds> base{};
    std::array<std::uint64_t, most_rounds> key{};
  };
  static_assert(sizeof(Card) == 392);

  virtual ~DeferredRounds() = default;
  virtual Card card() const = 0;
  /// `partners[r]`: who gets the message of round r; one for each round.
  virtual void connect(std::span<const Card> partners) = 0;
  /// The message of round 0 leaves, and that of each round when those of the rounds before have come here. One at a time.
  virtual void start() = 0;
  /// Whether those of all rounds have come. Does not block, and is not needed for anything to go on.
  virtual bool is_done() = 0;
};

/// Throws SetupError.
std::unique_ptr<DeferredRounds> open_deferred_rounds(Job& job, PeId self, unsigned rounds);

}  // namespace atl::fabric
