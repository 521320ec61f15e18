// SPDX-License-Identifier: Apache-2.0
// One-sided access to every PE's rows of an array while an operation runs.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Opens an array's blocks for reading or writing by all PEs. Collective at both ends: the constructor exchanges where
/// the blocks lie, `close` waits until nobody uses them any more. With one PE both are free.
class OpenBlocks {
 public:
  OpenBlocks(Engine& engine, const ArrayData& array)
      : engine_(engine),
        distribution_(array.distribution),
        row_bytes_(array.row_bytes()),
        pointers_(engine.peer_blocks(array.bytes())) {}
  OpenBlocks(const OpenBlocks&) = delete;
  OpenBlocks& operator=(const OpenBlocks&) = delete;

  void close() { engine_.barrier(); }

  /// Address of a global row, on whichever PE it lies.
  std::byte* row(std::int64_t index) const {
    std::uint32_t pe = distribution_.owner(index);
    return pointers_[pe] + static_cast<std::size_t>(index - distribution_.begin(pe)) * row_bytes_;
  }
  std::byte* block(std::uint32_t pe) const { return pointers_[pe]; }
  const std::vector<std::byte*>& pointers() const { return pointers_; }
  const Distribution& distribution() const { return distribution_; }

  /// Calls `visit(begin, end, address of begin)` for the pieces of rows [begin, end) that lie on one PE each, to read them.
  template <class Visit>
  void read_pieces(std::int64_t begin, std::int64_t end, Visit&& visit) const {
    for_pieces(begin, end, visit, &Engine::count_got);
  }
  /// The same, to write them.
  template <class Visit>
  void write_pieces(std::int64_t begin, std::int64_t end, Visit&& visit) const {
    for_pieces(begin, end, visit, &Engine::count_put);
  }

 private:
  template <class Visit>
  void for_pieces(std::int64_t begin, std::int64_t end, Visit& visit, void (Engine::*count)(std::size_t)) const {
    while (begin < end) {
      const std::uint32_t owner = distribution_.owner(begin);
      const std::int64_t stop = std::min(end, distribution_.end(owner));
      if (owner != engine_.pe()) (engine_.*count)(static_cast<std::size_t>(stop - begin) * row_bytes_);
      visit(begin, stop, row(begin));
      begin = stop;
    }
  }

  Engine& engine_;
  Distribution distribution_;
  std::size_t row_bytes_;
  std::vector<std::byte*> pointers_;
};

}  // namespace atl::array
