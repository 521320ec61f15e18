// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_split_type: the part of a communicator to which this rank belongs, by hardware or by process sets.
#pragma once

#include <cstdint>
#include <string_view>

#include "comm/comm.hpp"

namespace atl::mpi {

inline constexpr std::string_view resource_key = "mpi_hw_resource_type", set_key = "mpi_pset_name";

/// The colour for MPI_Comm_split; MPI_UNDEFINED when this rank is in no part. Collective for MPI_COMM_TYPE_HW_UNGUIDED,
/// which adds the kind of the shared resource to `hints`. Throws Failure for an unknown type.
std::int64_t color_by_type(Comm& comm, int type, Info::Entries& hints);

}  // namespace atl::mpi
