// SPDX-License-Identifier: Apache-2.0
#include "io/view.hpp"

#include <algorithm>

#include "core/failure.hpp"
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

void check_order(const datatype::Type& type, bool written) {
  ATOLL_MPI_REQUIRE(type.true_lb() >= 0 && type.extent() >= 0, MPI_ERR_IO,
                    "an etype or filetype reaches below its displacement");
  Count begin = 0, end = 0;
  datatype::Cursor cursor(type.region(1));
  for (Count left = type.size(); left > 0;) {
    Run run = cursor.here();
    run.bytes = std::min(run.bytes, left);
    ATOLL_MPI_REQUIRE(run.offset >= begin, MPI_ERR_IO,
                      "the displacements of an etype or filetype go back from {} to {}", begin, run.offset);
    ATOLL_MPI_REQUIRE(!written || run.offset >= end, MPI_ERR_IO,
                      "an etype or filetype has byte {} twice, which is for files that are only read", run.offset);
    begin = run.offset;
    end = run.offset + run.bytes;
    left -= run.bytes;
    cursor.advance(run.bytes);
  }
}

}  // namespace atl::mpi::io
