// SPDX-License-Identifier: Apache-2.0
// Copies between a device's memory and the host's, through a ring of pinned memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "atoll/device/driver.hpp"

namespace atl::device {

/// Kind of memory at an address, by the driver. The processor may access `host` and `managed` memory.
enum class Kind { host, managed, device };
struct Pointer {
  Kind kind = Kind::host;
  int device = 0;
  Context context = nullptr;  ///< null: memory of no context, as of pools and mappings
};
Pointer describe(const Driver& driver, const void* address);

/// Copies bytes through chunks of a pinned ring. Chunks alternate between two streams: the processor copies one while
/// the device copies the other. Copies start after all work that the calling thread has submitted to the default
/// streams (legacy and per-thread) of the memory's context. Thread-safe: one transfer at a time.
class Stager {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{512} << 10;
  static constexpr std::size_t chunks = 8;
  static constexpr std::size_t ring_bytes = chunk_bytes * chunks;

  /// Registers `ring` with the driver until destruction. Throws DeviceError when the driver refuses.
  Stager(const Driver& driver, std::span<std::byte> ring);
  ~Stager();
  Stager(const Stager&) = delete;
  Stager& operator=(const Stager&) = delete;

 private:
  struct Lane;

 public:
  /// Copies pieces of device memory, in order, from or to consecutive host memory. Holds the Stager's lock. No copy is
  /// in progress after a DeviceError.
  class Transfer {
   public:
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

   protected:
    Transfer(Stager& stager, const Pointer& pointer);
    ~Transfer();
    void check(Result result, const char* call, Address at, std::size_t bytes);
    /// Records the event of the current chunk, which is full, and waits until the next chunk of the ring is free.
    void next_chunk();
    /// Number of rows that the next driver call copies; 0: the current chunk has no room for a row.
    std::size_t rows_now(std::size_t stride, std::size_t count, std::size_t bytes) const;
    std::byte* room() const;
    Stager& stager_;
    std::lock_guard<std::mutex> lock_;
    Pointer pointer_;
    Lane* lane_ = nullptr;
    bool entered_ = false;
    std::size_t fill_ = 0;
  };

  /// Copies from device to host. The bytes are in host memory after finish().
  class Reader : public Transfer {
   public:
    Reader(Stager& stager, const Pointer& pointer, std::byte* to) : Transfer(stager, pointer), to_(to) {}
    void block(const std::byte* from, std::size_t bytes);
    /// `count` rows of `bytes`, one every `stride` bytes.
    void rows(const std::byte* from, std::ptrdiff_t stride, std::size_t count, std::size_t bytes);
    void finish();

   private:
    void close_chunk();
    void take_oldest();
    std::byte* to_;
    std::array<std::pair<std::size_t, std::size_t>, chunks> pending_{};  // chunk and bytes, in order
    std::size_t first_ = 0, count_ = 0;
  };

  /// Copies from host to device. Host memory may be reused after each call; the copies are complete after settle().
  class Writer : public Transfer {
   public:
    Writer(Stager& stager, const Pointer& pointer) : Transfer(stager, pointer) {}
    void block(std::byte* to, const std::byte* from, std::size_t bytes);
    void rows(std::byte* to, std::ptrdiff_t stride, const std::byte* from, std::size_t count, std::size_t bytes);
    void finish();
  };

  /// Waits until all copies by Writers to memory of this context are complete.
  void settle(const Pointer& pointer);

 private:
  Lane& lane_of(const Pointer& pointer);
  Context context_of(const Pointer& pointer);
  void check(Result result, const char* call);
  /// Waits until the chunk's last copy is complete.
  void release_chunk(std::size_t chunk);
  /// Waits for all copies of a lane that a driver's error made unusable, and removes it; lane_of() makes a new one.
  void abandon(Lane& lane);

  const Driver& driver_;
  std::span<std::byte> ring_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Context> primary_;  // by device
  std::array<Lane*, chunks> busy_{};  // lane that used the chunk last
  std::size_t chunk_ = 0;  // the current one
};

}  // namespace atl::device
