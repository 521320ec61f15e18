// SPDX-License-Identifier: Apache-2.0
// Names of objects.
#pragma once

#include <string_view>

#include "core/object.hpp"

namespace atl::mpi {

/// `to` has room for MPI_MAX_OBJECT_NAME characters.
void get_name(std::string_view name, char* to, int* length);
void get_name(Object& object, char* to, int* length);
/// Truncates names that are too long.
void set_name(Object& object, const char* name);

}  // namespace atl::mpi
