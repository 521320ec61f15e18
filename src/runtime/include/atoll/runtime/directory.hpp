// SPDX-License-Identifier: Apache-2.0
// Names of a job, with a text for each, in the system area of PE 0, which stays when PE 0 has left. Not for hot paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

class OneSided;
class Progress;

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

/// Thread-safe.
class Directory {
 public:
  static constexpr std::size_t directory_entries = 64;
  /// The entries, and a word that is 1 + the PE that changes them, or 0.
  static constexpr std::size_t directory_bytes = directory_entries * sizeof(DirectoryEntry) + sizeof(std::uint64_t);
  /// Of names and texts.
  static constexpr std::size_t longest_name = 247;

  /// `at`: offset of directory_bytes zeroed bytes in the segment of PE 0.
  Directory(OneSided& one_sided, Progress& progress, HeapOffset at)
      : one_sided_(one_sided), progress_(progress), directory_(at) {}
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  /// False: the name is taken, or there are directory_entries names already. Of PEs that publish a name at the same
  /// time one gets it. Throws TimeoutError when a PE that is publishing is stopped.
  bool publish(std::string_view name, std::string_view text);
  std::optional<std::string> lookup(std::string_view name);
  /// False: the name does not have this text.
  bool unpublish(std::string_view name, std::string_view text);

 private:
  void lock();
  void unlock();

  OneSided& one_sided_;
  Progress& progress_;
  HeapOffset directory_;
};

}  // namespace atl::runtime
