// SPDX-License-Identifier: Apache-2.0
#include "core/name.hpp"

#include <string>

namespace atl::mpi {

void get_name(std::string_view name, char* to, int* length) {
  ATOLL_MPI_REQUIRE(to != nullptr && length != nullptr, MPI_ERR_ARG, "no place for the name");
  to[name.copy(to, MPI_MAX_OBJECT_NAME - 1)] = 0;
  *length = static_cast<int>(std::char_traits<char>::length(to));
}

void get_name(Object& object, char* to, int* length) { get_name(*object.name(), to, length); }

void set_name(Object& object, const char* name) {
  ATOLL_MPI_REQUIRE(name != nullptr, MPI_ERR_ARG, "no name");
  *object.name() = std::string_view(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
}

}  // namespace atl::mpi
