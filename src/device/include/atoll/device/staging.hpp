// SPDX-License-Identifier: Apache-2.0
// Buffers of a door's callers that may lie in a device's memory.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "atoll/device/stager.hpp"

namespace atl::device {

/// A Stager that is made at the first copy, and ends with its door. Thread-safe.
class Staging {
 public:
  /// Where the ring lies: memory of the PE's segment.
  using Allocate = void* (*)(std::size_t bytes);
  using Release = void (*)(void* memory);
  Staging(Allocate allocate, Release release) : allocate_(allocate), release_(release) {}

  /// None: the processor may use it.
  static std::optional<Pointer> find(const void* address);
  /// Made on demand: while there is a driver.
  Stager& stager();
  /// Between consecutive memory of the host and the device, complete on return. DeviceError when the driver fails.
  void read(void* to, const Pointer& pointer, const void* from, std::size_t bytes);
  void write(const Pointer& pointer, void* to, const void* from, std::size_t bytes);
  /// Before the segment ends.
  void end();

 private:
  Allocate allocate_;
  Release release_;
  std::mutex mutex_;
  void* ring_ = nullptr;
  std::unique_ptr<Stager> stager_;
};

}  // namespace atl::device
