// SPDX-License-Identifier: Apache-2.0
// File hints: info keys of MPI and ROMIO.
#pragma once

#include <string>

#include "core/info.hpp"
#include "datatype/node.hpp"

namespace atl::mpi::io {

using datatype::Count;

enum class Choice { automatic, enable, disable };

struct Hints {
  Choice collective_read = Choice::automatic, collective_write = Choice::automatic;  ///< romio_cb_read, romio_cb_write
  Choice sieve_read = Choice::automatic, sieve_write = Choice::automatic;  ///< romio_ds_read, romio_ds_write
  Count collective_buffer = 16 << 20;  ///< cb_buffer_size: bytes an aggregator moves at once
  int aggregators = 0;  ///< cb_nodes; 0: chosen by the library
  Count read_buffer = 4 << 20, write_buffer = 512 << 10;  ///< ind_rd_buffer_size, ind_wr_buffer_size
  Count striping_unit = 0;  ///< 0: the file system's block
  int permissions = 0666;  ///< file_perm: octal, before the umask
  bool statistics = false;  ///< atoll_statistics
  Info::Entries assertions;  ///< of memory kinds
  Info::Entries others;  ///< known keys without effect on POSIX file systems

  /// Takes the known keys of `entries`; other keys, and invalid values, are ignored.
  void take(const Info::Entries& entries);
  /// All hints in use, for MPI_File_get_info.
  Info::Entries entries() const;
};

}  // namespace atl::mpi::io
