// SPDX-License-Identifier: Apache-2.0
// Data representations of files: those of the standard, and those that programs register.
#pragma once

#include <string>
#include <string_view>

#include "datatype/node.hpp"
#include "mpi.h"

namespace atl::mpi::io {

using datatype::Count;

/// A data representation. There is one object per name, which lives as long as the process.
struct Representation {
  enum class Kind { native, internal, external32, registered };
  Kind kind = Kind::native;
  std::string name = "native";
  // Functions of a registered representation; null means no conversion.
  MPI_Datarep_conversion_function *read = nullptr, *write = nullptr;
  MPI_Datarep_conversion_function_c *read_large = nullptr, *write_large = nullptr;
  MPI_Datarep_extent_function* extent = nullptr;
  void* extra = nullptr;

  bool converts(bool writes) const {
    return kind == Kind::external32 ||
           (writes ? write != nullptr || write_large != nullptr : read != nullptr || read_large != nullptr);
  }
  /// Bytes of an element in the file.
  Count size_of(MPI_Datatype type) const;
  /// Converts `count` elements between the program's memory and `file`.
  void convert(bool writes, void* memory, MPI_Datatype type, Count count, void* file) const;
};

/// The representation of this name, or null.
const Representation* find_representation(std::string_view name);

}  // namespace atl::mpi::io

namespace atl::mpi {

void register_datarep(const char* name, MPI_Datarep_conversion_function* read, MPI_Datarep_conversion_function* write,
                      MPI_Datarep_extent_function* extent, void* extra);
void register_datarep(const char* name, MPI_Datarep_conversion_function_c* read,
                      MPI_Datarep_conversion_function_c* write, MPI_Datarep_extent_function* extent, void* extra);

}  // namespace atl::mpi
