// SPDX-License-Identifier: Apache-2.0
// Report of a file's statistics when it is closed: a table, and lines of JSON.
#pragma once

namespace atl::mpi {
class File;
}

namespace atl::mpi::io {

/// Whether ATOLL_MPIIO_STATS enables statistics.
bool statistics_wanted();
/// Writes this rank's line next to the path in ATOLL_MPIIO_STATS, so that it exists if the job ends before the file is
/// closed.
void keep(const File& file);
/// Collective. Rank 0 writes the report to the path in ATOLL_MPIIO_STATS.
void report(File& file);

}  // namespace atl::mpi::io
