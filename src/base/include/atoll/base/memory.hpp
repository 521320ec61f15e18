// SPDX-License-Identifier: Apache-2.0
// The allocator interface of large blocks: kernels take scratch memory without knowing whether it lies in a shared
// segment or in private pages, and touched pages are reused.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include "atoll/base/checked.hpp"
#include "atoll/base/raise.hpp"
#include "atoll/base/units.hpp"

namespace atl {

/// A source of blocks. Every block starts at a multiple of 64 bytes, and at least 64 bytes past its end may
/// be read and written (padding), so that vector kernels need no scalar tail. Thread-safe.
class Memory {
 public:
  virtual ~Memory() = default;
  /// Contents are undefined. Throws MemoryError with the sizes when the block does not fit.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* block) noexcept = 0;
};

/// Plain process memory: for tests and small blocks.
class SystemMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes) override {
    void* block = std::aligned_alloc(64, round_up(checked_add(bytes, std::size_t{128}) - 64, std::size_t{64}));
    if (block == nullptr) raise<MemoryError>("cannot allocate " + format_bytes(bytes));
    return block;
  }
  void release(void* block) noexcept override { std::free(block); }
};

/// `count` elements of a trivial type, owned; released on destruction.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Memory& memory, std::size_t count)
      : memory_(&memory), data_(static_cast<T*>(memory.allocate(checked_multiply(count, sizeof(T))))), size_(count) {}
  Buffer(Buffer&& other) noexcept
      : memory_(other.memory_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) memory_->release(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  Memory* memory_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace atl
