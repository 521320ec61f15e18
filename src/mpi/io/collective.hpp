// SPDX-License-Identifier: Apache-2.0
// Two-phase collective I/O: ranks exchange data with a few aggregators, each of which accesses its own domain of the
// file in large pieces.
#pragma once

#include "flow/flow.hpp"
#include "io/file.hpp"

namespace atl::mpi::io {

/// The part of its stream that a rank accesses, and its memory.
struct Part {
  bool writes;
  Count at;                 ///< first byte of the stream
  datatype::TypePtr type;   ///< keeps the layout alive
  Count count;
  void* base;
  Region region() const { return type->region(count); }
};

/// One collective access by all members of the file's communicator. Sets `moved` when it ends; `moved` and the file
/// must outlive the flow.
Flow access_together(File& file, Part part, Circle circle, Moved& moved);

}  // namespace atl::mpi::io
