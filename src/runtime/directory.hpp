// SPDX-License-Identifier: Apache-2.0
// Names of a job, in the system area of PE 0, which stays when PE 0 has left.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::runtime {

// | offset | bytes | field | valid when                                                                 |
// |--------|-------|-------|----------------------------------------------------------------------------|
// |   0    |   8   | state | always: 0 free, 1 being written, above: written, another number each time  |
// |   8    |  248  | name  | state is above 1; ends with a zero                                         |
// | 256    |  256  | text  | likewise                                                                   |
struct DirectoryEntry {
  std::uint64_t state;
  char name[248];
  char text[256];
};
static_assert(sizeof(DirectoryEntry) == 512 && offsetof(DirectoryEntry, text) == 256);

}  // namespace atl::runtime
