// SPDX-License-Identifier: Apache-2.0
// Collective reads and writes in two phases: every rank talks to a few that aggregate, each of which alone touches one
// stretch of the file, in large accesses.
#pragma once

#include "flow/flow.hpp"
#include "io/file.hpp"

namespace atl::mpi::io {

/// What of its stream a rank accesses, and where in its memory.
struct Part {
  bool writes;
  Count at;                 ///< first byte of the stream
  datatype::TypePtr type;   ///< kept for the layout's sake
  Count count;
  void* base;
  Region region() const { return type->region(count); }
};

/// One collective access by all members of the file's communicator. `moved` is set when it ends; it and the file
/// outlive it.
Flow access_together(File& file, Part part, Circle circle, Moved& moved);

}  // namespace atl::mpi::io
