// SPDX-License-Identifier: Apache-2.0
// A driver of two GPUs that there are not. Device memory is a file in memory, mapped twice: without access where
// programs see it, so that each access of the host is a fault, and a second time for the driver. Copies are carried
// out later, by a thread per stream, after delays that follow from FAKE_CUDA_SEED. FAKE_CUDA_FAIL=function:n:result
// fails the nth call of a function; FAKE_CUDA_IPC=0 refuses handles for other processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cuda.h"

namespace fake {

enum class Kind { device, pool, virtual_memory, pinned, managed, imported };

/// Memory that the driver knows.
struct Block {
  std::uintptr_t start = 0;  ///< as programs see it
  std::size_t bytes = 0;
  Kind kind = Kind::device;
  int device = 0;
  CUcontext context = nullptr;
  int file = -1;             ///< of device memory
  std::byte* alias = nullptr;  ///< the same memory for the driver
  std::uint64_t id = 0;
  bool is_device() const { return kind != Kind::pinned && kind != Kind::managed; }
};

/// What an address range is: of the driver's memory, or the host's own.
struct Range {
  std::shared_ptr<Block> block;  ///< held while a copy is under way
  std::byte* at = nullptr;       ///< for the driver
};
/// CUDA_ERROR_INVALID_VALUE when only a part of it belongs to a block, CUDA_ERROR_CONTEXT_IS_DESTROYED when its context
/// is gone.
CUresult find_range(std::uintptr_t address, std::size_t bytes, Range& range);
bool is_alive(CUcontext context);

/// Counts a call, and returns its answer: CUDA_SUCCESS, or the error that was asked for.
CUresult enter(const char* function);

/// The stream of a handle, which may be one of the two predefined ones. Null: none.
struct Stream;
std::shared_ptr<Stream> stream_of(CUstream handle);
CUresult enqueue(const std::shared_ptr<Stream>& stream, std::function<void()> work);
void synchronize(const std::shared_ptr<Stream>& stream);
void synchronize_context(CUcontext context);

CUcontext current();
int device_of(CUcontext context);

}  // namespace fake

#define ENTER() \
  if (CUresult refused_ = fake::enter(__func__); refused_ != CUDA_SUCCESS) return refused_
