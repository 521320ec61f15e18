// SPDX-License-Identifier: Apache-2.0
// Barrier and exchange for set-up. Collectives proper are a layer above.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"

namespace atl::runtime {

class OneSided;
class Progress;

class Meeting {
 public:
  Meeting(OneSided& one_sided, Progress& progress) : one_sided_(one_sided), progress_(progress) {}
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// Collective. Throws PeFailedError when a PE dies.
  void barrier();
  /// Collective. The value that each PE gave, by PE.
  std::vector<std::uint64_t> exchange(std::uint64_t value);

 protected:
  /// For a PE that joins while its peers are at this barrier.
  void begin_meetings_at(std::uint32_t epoch) { barrier_epoch_ = epoch; }

 private:
  enum class Kind { plain, with_values };
  void meet(Kind kind);
  void open_barrier(std::uint32_t epoch);
  void hand_values(std::uint32_t to_node, std::uint32_t count);
  void meet_nodes(std::uint32_t epoch, Kind kind, Deadline deadline, double limit_seconds);
  [[noreturn]] void throw_absent(double limit_seconds) const;

  OneSided& one_sided_;
  Progress& progress_;
  std::uint32_t barrier_epoch_ = 0;
};

}  // namespace atl::runtime
