// SPDX-License-Identifier: Apache-2.0
// Which algorithm carries out which collective, by size and number of members; each choice can be forced.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithm/algorithms.hpp"
#include "table.hpp"

namespace atl::coll::detail {

/// Fits six bits (mailbox tags).
enum class Kind : std::uint8_t {
  barrier = 0,
  broadcast,
  reduce,
  allreduce,
  scan,
  exscan,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  count_
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::count_);
std::string_view name_of(Kind kind);
/// Throws ValueError that lists what there is.
Kind kind_named(std::string_view name);
/// By number, as choose() gives it.
std::vector<std::string_view> algorithms_of(Kind kind);
/// Whether its arguments are lists of blocks: its schedules are full of addresses, and not worth keeping.
constexpr bool takes_blocks(Kind kind) {
  return kind == Kind::gatherv || kind == Kind::scatterv || kind == Kind::allgatherv || kind == Kind::alltoallv;
}

/// Whether each member needs data of all others, so that no member completes before the last has called.
constexpr bool waits_for_all(Kind kind) {
  return kind == Kind::allreduce || kind == Kind::allgather || kind == Kind::allgatherv || kind == Kind::alltoall ||
         kind == Kind::alltoallv;
}

/// PEs for each core from which on every round of a collective is dear.
inline constexpr std::uint32_t many_per_core = 4;

class Selection {
 public:
  /// From ATOLL_COLL and ATOLL_COLL_TABLE.
  Selection();
  /// "allreduce=recursive_doubling,broadcast=binomial". Throws ValueError that lists what there is.
  void force(std::string_view choices, std::string_view where);
  bool is_forced(Kind kind) const { return forced_[static_cast<std::size_t>(kind)] != automatic; }
  /// The members are of one node, which has so many PEs and cores. Alike on all.
  void set_sharing(std::uint64_t pes, std::uint64_t cores) {
    in_turns_ = pes > cores;
    crowded_ = pes >= many_per_core * cores;
  }
  /// Number of the algorithm, for write(). Same arguments, same number on every member.
  std::uint8_t choose(Kind kind, const Arguments& arguments, const Placement& placement) const;
  /// Whether the algorithm wants leaders to know the sizes of their members' blocks.
  bool needs_sizes(Kind kind, const Arguments& arguments, const Placement& placement) const;
  /// Digest of the measured table; members whose tables differ must not go on. 0: no table.
  std::uint64_t digest() const { return table_.digest(); }
  static void write(Kind kind, std::uint8_t algorithm, ScheduleBuilder& steps, const Arguments& arguments);
  /// Writes what suits members that are all alike far from one another.
  static void write_level(Kind kind, ScheduleBuilder& steps, const Arguments& arguments);

 private:
  static constexpr std::uint8_t automatic = 255;
  std::array<std::uint8_t, kind_count> forced_;
  bool crowded_ = false, in_turns_ = false;
  TunedTable table_;
};

}  // namespace atl::coll::detail
