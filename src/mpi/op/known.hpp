// SPDX-License-Identifier: Apache-2.0
// Cache of reductions for predefined operations on predefined types.
#pragma once

#include "atoll/coll/collectives.hpp"
#include "mpi.h"

namespace atl::mpi {

/// The reduction, which lives as long as the process. Null when operation or type is not predefined, or the standard
/// does not allow the combination; check_operation() reports why.
const coll::Reduction* known_reduction(MPI_Op op, MPI_Datatype type);

}  // namespace atl::mpi
