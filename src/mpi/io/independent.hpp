// SPDX-License-Identifier: Apache-2.0
// Independent reads and writes of the runs of a stream: directly, or sieved (one large access that covers many small
// runs).
#pragma once

#include "io/hints.hpp"
#include "io/posix.hpp"
#include "io/statistics.hpp"
#include "io/view.hpp"

namespace atl::mpi::io {

/// The file data that an access needs.
struct Device {
  int fd;
  const Hints& hints;
  /// Whether writes may be sieved (read the surrounding bytes and write them back), because no other process writes.
  bool may_rewrite;
  Statistics& statistics;
};

/// Reads stream bytes [at, at + region.size()) into the region at `base`. Fewer bytes mean end of file.
Moved read_stream(const Device& device, const Stream& stream, Count at, const Region& region, void* base);
/// Writes the region at `base` to these stream bytes.
Moved write_stream(const Device& device, const Stream& stream, Count at, const Region& region, const void* base);

}  // namespace atl::mpi::io
