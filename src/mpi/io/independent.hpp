// SPDX-License-Identifier: Apache-2.0
// One rank's own reads and writes of the runs of a stream: directly, or sieved (one large access around many small
// ones).
#pragma once

#include "io/hints.hpp"
#include "io/posix.hpp"
#include "io/statistics.hpp"
#include "io/view.hpp"

namespace atl::mpi::io {

/// What an access needs of a file.
struct Device {
  int fd;
  const Hints& hints;
  /// Whether writes may read the bytes around them and write them back (sieving): no other process writes meanwhile.
  bool may_rewrite;
  Statistics& statistics;
};

/// Stream bytes [at, at + region.size()) into the region at `base`. Fewer bytes: the file ends.
Moved read_stream(const Device& device, const Stream& stream, Count at, const Region& region, void* base);
/// And the other way round.
Moved write_stream(const Device& device, const Stream& stream, Count at, const Region& region, const void* base);

}  // namespace atl::mpi::io
