// SPDX-License-Identifier: Apache-2.0
// Finds out whether a caller's buffer is in device memory, and copies from and to it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "atoll/device/stager.hpp"

namespace atl::device {

/// A Stager that is created at the first copy. Thread-safe.
class Staging {
 public:
  /// Allocates and releases the ring of pinned chunks, in the segment of the PE.
  using Allocate = void* (*)(std::size_t bytes);
  using Release = void (*)(void* memory);
  Staging(Allocate allocate, Release release) : allocate_(allocate), release_(release) {}

  /// The device memory at the address; nullopt: the processor may access it.
  static std::optional<Pointer> find(const void* address);
  /// Creates the Stager if needed. Requires a driver.
  Stager& stager();
  /// Copy consecutive bytes from and to device memory. Complete on return. Throw DeviceError when the driver fails.
  void read(void* to, const Pointer& pointer, const void* from, std::size_t bytes);
  void write(const Pointer& pointer, void* to, const void* from, std::size_t bytes);
  /// Releases the ring. Called before the segment is unmapped.
  void end();

 private:
  Allocate allocate_;
  Release release_;
  std::mutex mutex_;
  void* ring_ = nullptr;
  std::unique_ptr<Stager> stager_;
};

}  // namespace atl::device
