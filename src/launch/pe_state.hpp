// SPDX-License-Identifier: Apache-2.0
// What the launcher of a job over several hosts knows of one PE.
#pragma once

#include <cstdint>

namespace atl::runtime {

struct PeState {
  std::uint32_t host = 0;
  std::uint32_t pid = 0;
  bool joined = false;
  bool ended = false;
  bool finalized = false;
  bool dead = false;  ///< and the others have been told that they go on without it, or it is a guest that is not wanted
  int wait_status = 0;
  bool follows = false;  ///< its host knew of the failure of another PE when it ended

  bool is_gone() const { return ended || dead; }
};

}  // namespace atl::runtime
