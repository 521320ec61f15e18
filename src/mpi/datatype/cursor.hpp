// SPDX-License-Identifier: Apache-2.0
// The runs of a region one after the other, in packed order, from any packed byte on.
#pragma once

#include <vector>

#include "datatype/pack.hpp"

namespace atl::mpi::datatype {

/// Consecutive bytes of memory, relative to the region's base.
struct Run {
  Count offset = 0;
  Count bytes = 0;
};

/// Cost of a step: amortised constant, whatever the nesting. Goes on after the last element of the region as if there
/// were more of them: its user knows where to stop (a file's view has no end).
class Cursor {
 public:
  explicit Cursor(const Region& region, Count at = 0) : region_(region) { seek(at); }
  /// To packed byte `at`.
  void seek(Count at);
  /// What is left of the current run; none for a layout without bytes.
  const Run& here() const { return run_; }
  /// At most here().bytes.
  void advance(Count bytes) {
    run_.offset += bytes;
    run_.bytes -= bytes;
    if (run_.bytes == 0) next();
  }

 private:
  struct Frame {
    const Node* node;
    Count base;        // of the node
    Count index;       // of a repeat or in an entry's
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
