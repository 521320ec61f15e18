// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_split_type: which part of a communicator this rank belongs to, by the hardware or by process sets.
#pragma once

#include <cstdint>
#include <string_view>

#include "comm/comm.hpp"

namespace atl::mpi {

inline constexpr std::string_view resource_key = "mpi_hw_resource_type", set_key = "mpi_pset_name";

/// The color for a split; MPI_UNDEFINED: this rank is in no part. Collective for MPI_COMM_TYPE_HW_UNGUIDED, which adds
/// to the hints what the parts share. Failure when there is no such type.
std::int64_t color_by_type(Comm& comm, int type, Info::Entries& hints);

}  // namespace atl::mpi
