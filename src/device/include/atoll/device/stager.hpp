// SPDX-License-Identifier: Apache-2.0
// Copies between a device's memory and the host's, through a ring of pinned memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/device/driver.hpp"

namespace atl::device {

/// The driver has refused or failed a call. The message names call, memory and result.
class DeviceError : public Error {
  using Error::Error;
};

/// What the driver says of an address. `host`: the processor may use it, as it may use managed memory.
enum class Kind { host, managed, device };
struct Pointer {
  Kind kind = Kind::host;
  int device = 0;
  Context context = nullptr;  ///< null: of no context, as pools and mapped memory are
};
Pointer describe(const Driver& driver, const void* address);

/// Moves bytes through chunks of a pinned ring. Chunks alternate between two streams, so that one is copied by the
/// processor while the device copies another. Copies follow all work that the calling thread has given to the default
/// streams of the memory's context, legacy and per-thread. Thread-safe: one transfer at a time.
class Stager {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{512} << 10;
  static constexpr std::size_t chunks = 8;
  static constexpr std::size_t ring_bytes = chunk_bytes * chunks;

  /// `ring` is registered with the driver until the Stager ends. DeviceError when the driver refuses that.
  Stager(const Driver& driver, std::span<std::byte> ring);
  ~Stager();
  Stager(const Stager&) = delete;
  Stager& operator=(const Stager&) = delete;

 private:
  struct Lane;

 public:
  /// One transfer: pieces of device memory, in order, from or to consecutive host memory. Holds the Stager's lock.
  /// After DeviceError nothing is under way.
  class Transfer {
   public:
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

   protected:
    Transfer(Stager& stager, const Pointer& pointer);
    ~Transfer();
    void check(Result result, const char* call, Address at, std::size_t bytes);
    /// The current chunk has no more room: its event follows, and the next chunk of the ring is free.
    void next_chunk();
    /// Rows that one call copies; 0: the chunk has no room for one.
    std::size_t rows_now(std::size_t stride, std::size_t count, std::size_t bytes) const;
    std::byte* room() const;
    Stager& stager_;
    std::lock_guard<std::mutex> lock_;
    Pointer pointer_;
    Lane* lane_ = nullptr;
    bool entered_ = false;
    std::size_t fill_ = 0;
  };

  /// Device to host. What has been added is at its place after finish().
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

  /// Host to device. The host's memory may be reused after each call; the device has it after settle().
  class Writer : public Transfer {
   public:
    Writer(Stager& stager, const Pointer& pointer) : Transfer(stager, pointer) {}
    void block(std::byte* to, const std::byte* from, std::size_t bytes);
    void rows(std::byte* to, std::ptrdiff_t stride, const std::byte* from, std::size_t count, std::size_t bytes);
    void finish();
  };

  /// All that Writers have been given for memory of that context is there.
  void settle(const Pointer& pointer);

 private:
  Lane& lane_of(const Pointer& pointer);
  Context context_of(const Pointer& pointer);
  void check(Result result, const char* call);
  /// Waits until the chunk's last copy is complete.
  void release_chunk(std::size_t chunk);
  /// Ends all copies of the lane, which a driver's error has made unusable: another one takes its place.
  void abandon(Lane& lane);

  const Driver& driver_;
  std::span<std::byte> ring_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Context> primary_;         // by device
  std::array<Lane*, chunks> busy_{};     // whose copies a chunk was last given to
  std::size_t chunk_ = 0;                // the current one
};

}  // namespace atl::device
