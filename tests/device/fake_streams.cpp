// SPDX-License-Identifier: Apache-2.0
// Contexts, streams, events and copies of the fake driver.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "fake.hpp"

namespace fake {

/// Work in order, carried out by a thread of its own. Each piece waits for what it follows on other streams.
struct Stream {
  struct Mark {
    std::shared_ptr<Stream> stream;
    std::uint64_t number = 0;
  };
  struct Piece {
    std::vector<Mark> follows;
    std::function<void()> work;
  };
  CUcontext context = nullptr;
  bool blocking = true;  ///< waits for the legacy default stream, and the other way round
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Piece> pieces;
  std::uint64_t given = 0, done = 0;
  std::minstd_rand random;
  std::thread thread;
  bool ended = false;
};

}  // namespace fake

struct CUctx_st {
  int device = 0;
  std::atomic<bool> alive{true};
  std::shared_ptr<fake::Stream> legacy;
  std::vector<std::shared_ptr<fake::Stream>> blocking;
};
struct CUstream_st {
  std::shared_ptr<fake::Stream> stream;
};
struct CUevent_st {
  fake::Stream::Mark mark;
};

namespace fake {
namespace {

constexpr int devices = 2;

struct State {
  std::mutex mutex;
  bool initialized = false;
  CUcontext primary[devices] = {};
  std::map<std::string, unsigned long long> calls;
  std::minstd_rand seeds{1};
  std::string failing;
  unsigned long long failing_call = 0;
  CUresult failing_result = CUDA_ERROR_LAUNCH_FAILED;

  State() {
    if (const char* seed = std::getenv("FAKE_CUDA_SEED")) seeds.seed(static_cast<unsigned>(std::atol(seed)));
    const char* fail = std::getenv("FAKE_CUDA_FAIL");  // function:call:result
    if (fail == nullptr) return;
    const std::string text(fail);
    const std::size_t first = text.find(':'), second = text.find(':', first + 1);
    failing = text.substr(0, first);
    failing_call = std::stoull(text.substr(first + 1));
    if (second != std::string::npos) failing_result = std::stoi(text.substr(second + 1));
  }
};
State& state() {
  static auto& all = *new State;
  return all;
}

thread_local std::vector<CUcontext> stack;
thread_local std::map<CUcontext, std::shared_ptr<Stream>> own_streams;

void carry_out(std::shared_ptr<Stream> stream) {
  std::unique_lock lock(stream->mutex);
  for (;;) {
    stream->changed.wait(lock, [&] { return !stream->pieces.empty() || stream->ended; });
    if (stream->pieces.empty()) return;
    Stream::Piece piece = std::move(stream->pieces.front());
    stream->pieces.pop_front();
    const unsigned delay_us = stream->random() % 4 == 0 ? stream->random() % 200 : 0;
    lock.unlock();
    for (const Stream::Mark& mark : piece.follows) {
      std::unique_lock other(mark.stream->mutex);
      mark.stream->changed.wait(other, [&] { return mark.stream->done >= mark.number; });
    }
    if (delay_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
    if (piece.work) piece.work();
    piece = {};
    lock.lock();
    ++stream->done;
    stream->changed.notify_all();
  }
}

std::shared_ptr<Stream> make_stream(CUcontext context, bool blocking) {
  auto stream = std::make_shared<Stream>();
  stream->context = context;
  stream->blocking = blocking;
  stream->random.seed(state().seeds());
  stream->thread = std::thread(carry_out, stream);
  stream->thread.detach();
  if (blocking && context->legacy) context->blocking.push_back(stream);
  return stream;
}

CUcontext make_context(int device) {
  auto context = new CUctx_st;  // never freed: tests use contexts that are gone
  context->device = device;
  context->legacy = make_stream(context, true);
  return context;
}

Stream::Mark last_of(const std::shared_ptr<Stream>& stream) {
  std::lock_guard lock(stream->mutex);
  return {stream, stream->given};
}

void wait_for(const Stream::Mark& mark) {
  std::unique_lock lock(mark.stream->mutex);
  mark.stream->changed.wait(lock, [&] { return mark.stream->done >= mark.number; });
}

void end(const std::shared_ptr<Stream>& stream) {
  std::lock_guard lock(stream->mutex);
  stream->ended = true;
  stream->changed.notify_all();
}

CUresult enqueue_after(const std::shared_ptr<Stream>& stream, std::vector<Stream::Mark> follows,
                       std::function<void()> work) {
  if (!is_alive(stream->context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  {
    std::lock_guard lock(state().mutex);
    if (stream == stream->context->legacy) {
      for (const auto& other : stream->context->blocking) follows.push_back(last_of(other));
    } else if (stream->blocking) {
      follows.push_back(last_of(stream->context->legacy));
    }
  }
  std::lock_guard lock(stream->mutex);
  stream->pieces.push_back({std::move(follows), std::move(work)});
  ++stream->given;
  stream->changed.notify_all();
  return CUDA_SUCCESS;
}

struct Ends {
  Range to, from;
};
CUresult find_ends(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, Ends& ends) {
  if (CUresult wrong = find_range(to, bytes, ends.to); wrong != CUDA_SUCCESS) return wrong;
  return find_range(from, bytes, ends.from);
}

CUresult copy_async(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream handle) {
  const auto stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  Ends ends;
  if (CUresult wrong = find_ends(to, from, bytes, ends); wrong != CUDA_SUCCESS) return wrong;
  return enqueue(stream, [ends, bytes] { std::memcpy(ends.to.at, ends.from.at, bytes); });
}

// As real ones: memory that is not pinned is read at once, and is on its way to the device when the call returns.
CUresult copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  const auto stream = stream_of(nullptr);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  Ends ends;
  if (CUresult wrong = find_ends(to, from, bytes, ends); wrong != CUDA_SUCCESS) return wrong;
  if (!ends.from.block && ends.to.block && ends.to.block->is_device()) {
    auto staged = std::make_shared<std::vector<std::byte>>(ends.from.at, ends.from.at + bytes);
    return enqueue(stream, [ends, staged] { std::memcpy(ends.to.at, staged->data(), staged->size()); });
  }
  const CUresult result = enqueue(stream, [ends, bytes] { std::memcpy(ends.to.at, ends.from.at, bytes); });
  if (result == CUDA_SUCCESS) synchronize(stream);
  return result;
}

}  // namespace

CUresult enter(const char* function) {
  std::lock_guard lock(state().mutex);
  const unsigned long long call = ++state().calls[function];
  if (function == state().failing && call == state().failing_call) return state().failing_result;
  return state().initialized || std::strcmp(function, "cuInit") == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

bool is_alive(CUcontext context) { return context == nullptr || context->alive; }
CUcontext current() { return stack.empty() ? nullptr : stack.back(); }
int device_of(CUcontext context) { return context->device; }

std::shared_ptr<Stream> stream_of(CUstream handle) {
  if (handle != nullptr && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) return handle->stream;
  const CUcontext context = current();
  if (context == nullptr) return nullptr;
  if (handle != CU_STREAM_PER_THREAD) return context->legacy;
  std::lock_guard lock(state().mutex);
  auto& own = own_streams[context];
  if (!own) own = make_stream(context, true);
  return own;
}

CUresult enqueue(const std::shared_ptr<Stream>& stream, std::function<void()> work) {
  return enqueue_after(stream, {}, std::move(work));
}

void synchronize(const std::shared_ptr<Stream>& stream) { wait_for(last_of(stream)); }

void synchronize_context(CUcontext context) {
  if (context == nullptr) return;
  std::vector<std::shared_ptr<Stream>> streams;
  {
    std::lock_guard lock(state().mutex);
    streams = context->blocking;
    streams.push_back(context->legacy);
  }
  for (const auto& stream : streams) synchronize(stream);
}

}  // namespace fake

using namespace fake;

unsigned long long fakeCalls(const char* function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}

CUresult cuInit(unsigned) {
  ENTER();
  std::lock_guard lock(state().mutex);
  state().initialized = true;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case CUDA_SUCCESS: *name = "CUDA_SUCCESS"; return CUDA_SUCCESS;
    case CUDA_ERROR_INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; return CUDA_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return CUDA_SUCCESS;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return CUDA_SUCCESS;
    case CUDA_ERROR_CONTEXT_IS_DESTROYED: *name = "CUDA_ERROR_CONTEXT_IS_DESTROYED"; return CUDA_SUCCESS;
    case CUDA_ERROR_LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuDeviceGetCount(int* count) {
  ENTER();
  *count = devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  ENTER();
  *device = ordinal;
  return ordinal >= 0 && ordinal < devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  ENTER();
  if (device < 0 || device >= devices) return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(state().mutex);
  CUcontext& primary = state().primary[device];
  if (primary == nullptr) primary = make_context(device);
  *context = primary;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  ENTER();
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  ENTER();
  if (device < 0 || device >= devices) return CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(state().mutex);
  *context = make_context(device);
  stack.push_back(*context);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  ENTER();
  synchronize_context(context);
  context->alive = false;
  std::erase(stack, context);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  ENTER();
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  ENTER();
  *context = current();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  stack.push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  ENTER();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  ENTER();
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  synchronize_context(current());
  return CUDA_SUCCESS;
}

// ---- copies

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  ENTER();
  return copy(to, from, bytes);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  ENTER();
  return copy(to, reinterpret_cast<std::uintptr_t>(from), bytes);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  ENTER();
  return copy(reinterpret_cast<std::uintptr_t>(to), from, bytes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER();
  return copy_async(to, from, bytes, stream);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  ENTER();
  return copy_async(to, reinterpret_cast<std::uintptr_t>(from), bytes, stream);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* rows, CUstream handle) {
  ENTER();
  const auto stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  const CUDA_MEMCPY2D copy = *rows;
  if (copy.srcMemoryType != 4 || copy.dstMemoryType != 4 || copy.srcPitch < copy.WidthInBytes ||
      copy.dstPitch < copy.WidthInBytes || copy.Height == 0)
    return CUDA_ERROR_INVALID_VALUE;
  Range to, from;
  const std::size_t before = copy.Height - 1;
  if (CUresult wrong = find_range(copy.dstDevice, before * copy.dstPitch + copy.WidthInBytes, to); wrong != 0)
    return wrong;
  if (CUresult wrong = find_range(copy.srcDevice, before * copy.srcPitch + copy.WidthInBytes, from); wrong != 0)
    return wrong;
  return enqueue(stream, [copy, to, from] {
    for (std::size_t row = 0; row < copy.Height; ++row)
      std::memcpy(to.at + row * copy.dstPitch, from.at + row * copy.srcPitch, copy.WidthInBytes);
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream handle) {
  ENTER();
  const auto stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  Range range;
  if (CUresult wrong = find_range(to, bytes, range); wrong != CUDA_SUCCESS) return wrong;
  return enqueue(stream, [range, value, bytes] { std::memset(range.at, value, bytes); });
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t bytes) {
  return cuMemsetD8Async(to, value, bytes, nullptr);
}

// ---- streams and events

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  ENTER();
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard lock(state().mutex);
  *stream = new CUstream_st{make_stream(current(), (flags & CU_STREAM_NON_BLOCKING) == 0)};
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  ENTER();
  std::lock_guard lock(state().mutex);
  std::erase(handle->stream->context->blocking, handle->stream);
  end(handle->stream);
  delete handle;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  ENTER();
  const auto stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  if (!is_alive(stream->context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  synchronize(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  ENTER();
  const auto stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  if (!event->mark.stream) return CUDA_SUCCESS;
  return enqueue_after(stream, {event->mark}, {});
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  ENTER();
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  ENTER();
  delete event;
  return CUDA_SUCCESS;
}

// An event stands for all work of its stream so far: also, on the legacy stream, for that of the blocking ones.
CUresult cuEventRecord(CUevent event, CUstream handle) {
  ENTER();
  const auto stream = stream_of(handle);
  if (!stream) return CUDA_ERROR_INVALID_CONTEXT;
  if (CUresult wrong = enqueue(stream, {}); wrong != CUDA_SUCCESS) return wrong;
  event->mark = last_of(stream);
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  ENTER();
  if (event->mark.stream) wait_for(event->mark);
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  ENTER();
  if (!event->mark.stream) return CUDA_SUCCESS;
  std::lock_guard lock(event->mark.stream->mutex);
  return event->mark.stream->done >= event->mark.number ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
