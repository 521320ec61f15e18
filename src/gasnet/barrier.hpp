// SPDX-License-Identifier: Apache-2.0
// The barrier of a team: split-phase, named or anonymous, with several in progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/base/owner.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "failure.hpp"
#include "gasnet.h"

namespace atl::gasnet {

/// The combined name of a barrier, from the members known so far.
struct BarrierName {
  enum class Kind : std::uint8_t { anonymous, named, mismatched };
  Kind kind = Kind::anonymous;
  std::uint32_t value = 0;

  static BarrierName of(int id, int flags);
  /// Combines the names of both sides of a round. Idempotent, so a member's name may arrive repeatedly.
  BarrierName merged_with(BarrierName other) const;
};

/// Dissemination barrier (Hensgen, Finkel and Manber 1988): in round k a member sends its state to the member 2^k ranks
/// ahead; after ⌈log2 n⌉ rounds it has received the state of all. A round is one remote store of 8 bytes. Thread-safe.
///
/// A member in the next barrier waits until all members have begun it, so two sets of words are enough.
class Barrier {
 public:
  static constexpr std::uint32_t most_rounds = 32;
  static constexpr std::size_t area_bytes = 2 * most_rounds * sizeof(std::uint64_t);

  /// `areas`: area_bytes of zeroed memory of each member.
  Barrier(runtime::OneSided& one_sided, std::vector<PeId> members, std::uint32_t rank, std::vector<HeapOffset> areas);

  /// Enters the next barrier. Returns its number.
  std::uint64_t start(BarrierName name);
  /// Advances the barrier as far as possible without waiting.
  void advance() {
    if (busy_.load(std::memory_order_relaxed)) advance_slowly();
  }
  bool is_over(std::uint64_t number) {
    if (done_.load(std::memory_order_acquire) >= number) return true;  // partner: finish()
    advance();
    return done_.load(std::memory_order_acquire) >= number;
  }
  /// Name of the last completed barrier.
  BarrierName result() const { return result_; }

 private:
  // | bits   | field                                      |
  // |--------|--------------------------------------------|
  // |  0–31  | value of the name                          |
  // | 32–33  | kind of the name                           |
  // | 34–63  | number of the barrier, its low 30 bits     |
  static std::uint64_t word_of(std::uint64_t number, BarrierName name);
  void advance_slowly();
  void begin(BarrierName name);
  void tell();
  void finish();
  HeapOffset slot(HeapOffset area) const {
    return HeapOffset(area.value() + ((under_way_ & 1) * most_rounds + round_) * sizeof(std::uint64_t));
  }

  runtime::OneSided& one_sided_;
  std::vector<PeId> members_;
  std::uint32_t rank_;
  std::vector<HeapOffset> areas_;
  std::uint32_t rounds_ = 0;

  Owner owner_;  // guards all following members
  std::deque<BarrierName> waiting_;  // barriers to begin after the present one
  std::uint64_t started_ = 0;
  std::uint64_t under_way_ = 0;  // number of the present barrier; 0: none
  std::uint32_t round_ = 0;
  BarrierName name_, result_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> busy_{false};  // whether a barrier is in progress
};

// ---- of all ranks, as GASNet-1 has it --------------------------------------------------------------------------

void notify(Call call, int id, int flags);
int wait_notified(Call call, int id, int flags);
int try_notified(Call call, int id, int flags);
int barrier(Call call, int id, int flags);
int barrier_result(Call call, int* id);

gex_Event_t barrier_event(Call call, gex_TM_t tm);

}  // namespace atl::gasnet
