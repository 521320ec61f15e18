// SPDX-License-Identifier: Apache-2.0
#include "io/view.hpp"

#include <algorithm>

#include "datatype/wire.hpp"

namespace atl::mpi::io {

Count Stream::bytes_below(Count offset) const {
  offset -= displacement;
  if (contiguous()) return std::max(offset - layout->offset, Count{0});
  return datatype::bytes_below(*layout, extent, offset);
}

Run StreamRuns::next(Count most) {
  Run run{cursor_.here().offset, 0};
  while (run.bytes < most && cursor_.here().bytes > 0 && cursor_.here().offset == run.offset + run.bytes) {
    Count bytes = std::min(most - run.bytes, cursor_.here().bytes);
    run.bytes += bytes;
    cursor_.advance(bytes);
  }
  run.offset += displacement_;
  return run;
}

}  // namespace atl::mpi::io
