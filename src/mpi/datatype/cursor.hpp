// SPDX-License-Identifier: Apache-2.0
// Iterator over the runs of a region in packed order, starting at any packed byte.
#pragma once

#include <vector>

#include "datatype/pack.hpp"

namespace atl::mpi::datatype {

/// Consecutive bytes of memory, relative to the region's base.
struct Run {
  Count offset = 0;
  Count bytes = 0;
};

/// Cost of a step: amortised constant for any nesting. Does not stop after the last element of the region (a file's
/// view has no end): the caller knows where to stop.
class Cursor {
 public:
  explicit Cursor(const Region& region, Count at = 0) : region_(region) { seek(at); }
  /// Moves to packed byte `at`.
  void seek(Count at);
  /// The rest of the current run; empty for a layout without bytes.
  const Run& here() const { return run_; }
  /// Moves on by at most here().bytes.
  void advance(Count bytes) {
    run_.offset += bytes;
    run_.bytes -= bytes;
    if (run_.bytes == 0) next();
  }

 private:
  struct Frame {
    const Node* node;
    Count base;        // address of the node, relative to the region's base
    Count index;       // iteration of a repeat, or of an entry's elements
    std::size_t entry;
  };
  void next();
  void descend(const Node& node, Count base, Count at);

  Region region_;
  Count element_ = 0;
  std::vector<Frame> frames_;
  Run run_;
};

}  // namespace atl::mpi::datatype
