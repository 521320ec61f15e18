// SPDX-License-Identifier: Apache-2.0
// Reductions by predefined operations of predefined types, made once and kept.
#pragma once

#include "atoll/coll/collectives.hpp"
#include "mpi.h"

namespace atl::mpi {

/// Null: one of both is the program's own, or the standard has no such reduction; check_operation() says why. Lives for
/// ever.
const coll::Reduction* known_reduction(MPI_Op op, MPI_Datatype type);

}  // namespace atl::mpi
