// SPDX-License-Identifier: Apache-2.0
// Rows chosen by data, in jobs of several nodes: requests are grouped by the PE that holds the rows, which fetches its
// group in one piece. So the number of messages depends on PEs and bytes, not on rows, and what a PE must hold at a
// time is bounded however uneven the requests are.
#pragma once

#include <optional>

#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/ops/blocks.hpp"

namespace atl::array {

/// This PE's requests for rows of one array, within reach of all PEs.
class Routing {
 public:
  /// Collective. Every index is in range. With `values` (all PEs or none), the i-th request brings row i of them along,
  /// of the array's row size.
  Routing(Engine& engine, const OpenBlocks& holders, const std::int64_t* indices, std::size_t count,
          std::optional<const std::byte*> values = {});

  /// To one PE: numbers of rows, counted from the holder's first, and where in the list of indices each was. In the
  /// order of the indices.
  struct Group {
    std::size_t count;
    const std::int64_t* rows;
    const std::int64_t* positions;
  };
  Group group(std::uint32_t pe) const {
    return {starts_[pe + 1] - starts_[pe], rows_.data() + starts_[pe], positions_.data() + starts_[pe]};
  }
  std::size_t start(std::uint32_t pe) const { return starts_[pe]; }
  const std::int64_t* positions() const { return positions_.data(); }

  /// A part of what a PE asked this one for, for the duration of a call.
  struct Requests {
    std::uint32_t pe;
    std::size_t slot;  // of the first, in the PE's list
    std::size_t count;
    const std::int64_t* rows;
    const std::byte* values;
  };
  /// Calls `visit` for all requests to this PE, of PE 0 first, of each PE in the order it made them.
  template <class Visit>
  void for_all_requests(Visit&& visit) {
    for (std::uint32_t pe = 0; pe < engine_.npes(); ++pe) {
      if (!row_reach_.maps(pe)) {
        fetch(pe, visit);
        continue;
      }
      deliver(visit);
      const auto* rows = reinterpret_cast<const std::int64_t*>(row_reach_.mapped(pe)) + asked_[pe].start;
      const std::byte* values = values_.size() == 0 ? nullptr : value_reach_.mapped(pe) + asked_[pe].start * row_bytes_;
      if (asked_[pe].count > 0) visit(Requests{pe, asked_[pe].start, asked_[pe].count, rows, values});
    }
    deliver(visit);
  }
  /// The same for requests of other nodes only, each PE beginning with another peer.
  template <class Visit>
  void for_far_requests(Visit&& visit) {
    for (std::uint32_t step = 1; step < engine_.npes(); ++step) {
      const std::uint32_t pe = (engine_.pe() + step) % engine_.npes();
      if (!row_reach_.maps(pe)) fetch(pe, visit);
    }
    deliver(visit);
  }

 private:
  struct Asked {
    std::uint64_t start, count;
  };

  void group_by_holder(const Distribution& distribution, const std::int64_t* indices, std::size_t count);
  /// Starts to fetch a PE's requests, as many at a time as fit; deliver() hands out what has been started.
  template <class Visit>
  void fetch(std::uint32_t pe, Visit& visit) {
    for (std::size_t done = 0; done < asked_[pe].count;) {
      if (used_ == room_) deliver(visit);
      const std::size_t some = std::min<std::size_t>(asked_[pe].count - done, room_ - used_);
      start_fetch(pe, asked_[pe].start + done, some);
      done += some;
    }
  }
  void start_fetch(std::uint32_t pe, std::size_t slot, std::size_t count);
  template <class Visit>
  void deliver(Visit& visit) {
    if (under_way_.empty()) return;
    row_reach_.complete();
    for (const Requests& requests : under_way_) visit(requests);
    under_way_.clear();
    used_ = 0;
  }

  Engine& engine_;
  std::size_t row_bytes_;
  Buffer<std::int64_t> rows_, positions_;
  Buffer<std::byte> values_;
  std::vector<std::size_t> starts_;
  Reach row_reach_, value_reach_;
  std::vector<Asked> asked_;  // by each PE, of this one
  // Staging: `room_` numbers of rows, then as many rows.
  std::int64_t* staged_rows_;
  std::byte* staged_values_;
  std::size_t room_;
  std::size_t used_ = 0;
  std::vector<Requests> under_way_;
};

/// to[i] = row indices[i] of an open array, wherever it lies. Collective; every index is in range.
void gather_over_nodes(Engine& engine, const OpenBlocks& from, const std::int64_t* indices, std::size_t count,
                       std::byte* to);

}  // namespace atl::array
