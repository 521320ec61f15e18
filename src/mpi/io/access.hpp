// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions that read and write files.
#pragma once

#include <cstdint>

#include "mpi.h"

namespace atl::mpi {

/// Where an access begins, counted in etypes.
enum class Place : std::uint8_t { given, own_pointer, shared_pointer };
/// Which other ranks take part.
enum class Partners : std::uint8_t { none, all, in_order };

struct Way {
  bool writes;
  Place place;
  Partners partners = Partners::none;
};

// MPI_File_<verb><suffix>
inline constexpr Way read_at{false, Place::given}, write_at{true, Place::given};
inline constexpr Way read_at_all{false, Place::given, Partners::all}, write_at_all{true, Place::given, Partners::all};
inline constexpr Way read_own{false, Place::own_pointer}, write_own{true, Place::own_pointer};
inline constexpr Way read_all{false, Place::own_pointer, Partners::all},
    write_all{true, Place::own_pointer, Partners::all};
inline constexpr Way read_shared{false, Place::shared_pointer}, write_shared{true, Place::shared_pointer};
inline constexpr Way read_ordered{false, Place::shared_pointer, Partners::in_order},
    write_ordered{true, Place::shared_pointer, Partners::in_order};

/// `offset` is used with Place::given only. Data to be written is not changed.
void file_access(Way way, MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype,
                 MPI_Status* status);
void file_start(Way way, MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype,
                MPI_Request* request);
void file_begin(Way way, MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype datatype);
void file_end(Way way, MPI_File file, const void* buffer, MPI_Status* status);

}  // namespace atl::mpi
