// SPDX-License-Identifier: Apache-2.0
// Global and static variables that peers can reach. The pages of .data and .bss move into the PE's segment and are
// mapped back where they were: every address stays what it is, wherever the loader put the program.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

class Context;

/// Variables of one program or library: [begin, begin + bytes) of this process is the segment's part from `at` on.
/// The same region has the same size and the same `at` on every PE; where it begins may differ.
struct StaticRegion {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  HeapOffset at;
};

/// Whole pages of: the executable, and the shared libraries that the application brings along. Not of system
/// libraries (libc, libstdc++, whatever lies in the system's folders) nor of this library: their state is no symmetric
/// object, and threads of theirs may change it while it moves. Libraries loaded later stay private. Of .bss, only pages
/// that have been used are copied.
///
/// A process's global data exists once, so a process has at most one of these at a time. Children from fork() get
/// private copies of their own (not those from a bare clone system call). Nothing may change global data while it is
/// constructed or destroyed: other threads of the process must leave it alone.
class StaticData {
 public:
  /// What ContextOptions::static_bytes has to be.
  static std::size_t bytes_needed();
  /// Collective, over a Context of a `shm` job. Throws ValueError, on all PEs, when the PEs' programs differ in size.
  explicit StaticData(Context& context);
  /// Private pages again, with what is in the variables now. Not collective: call barrier() first where peers may still
  /// use them.
  ~StaticData();
  StaticData(const StaticData&) = delete;
  StaticData& operator=(const StaticData&) = delete;

  /// Executable first, then libraries in the order they were loaded.
  std::span<const StaticRegion> regions() const { return regions_; }

 private:
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();
  std::byte* copy_of(const StaticRegion& region) const;
  void make_private();

  Context& context_;
  std::vector<StaticRegion> regions_;
  std::mutex forking_;
  std::vector<std::byte*> copies_;  // while forking: one for each region
};

}  // namespace atl::runtime
