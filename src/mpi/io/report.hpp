// SPDX-License-Identifier: Apache-2.0
// What the statistics of a file come to when it is closed: a table, and lines of JSON.
#pragma once

namespace atl::mpi {
class File;
}

namespace atl::mpi::io {

/// Whether ATOLL_MPIIO_STATS asks for them.
bool statistics_wanted();
/// Writes this rank's line beside where ATOLL_MPIIO_STATS says, so that it is there should the job end before the file
/// is closed.
void keep(const File& file);
/// Collective. The first member writes them where ATOLL_MPIIO_STATS says.
void report(File& file);

}  // namespace atl::mpi::io
