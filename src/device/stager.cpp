// SPDX-License-Identifier: Apache-2.0
#include "atoll/device/stager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/device/device_error.hpp"

namespace atl::device {
namespace {

constexpr unsigned disable_timing = 2;
// Flags of a stream that synchronizes with the legacy default stream.
constexpr unsigned blocking_stream = 0;
const auto per_thread_stream = reinterpret_cast<Stream>(std::uintptr_t{2});
constexpr std::size_t longest_pitch = INT32_MAX;

std::string name_of(const Driver& driver, Result result) {
  const char* name = nullptr;
  if (driver.get_error_name(result, &name) != success || name == nullptr) return fmt::format("result {}", result);
  return fmt::format("{} ({})", name, result);
}

Address address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// The calling thread's current context, until the end of the scope.
class Current {
 public:
  Current(const Driver& driver, Context context) : driver_(driver), result_(driver.context_push(context)) {}
  ~Current() {
    if (result_ == success) (void)driver_.context_pop(nullptr);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  Result result() const { return result_; }

 private:
  const Driver& driver_;
  Result result_;
};

}  // namespace

Pointer describe(const Driver& driver, const void* address) {
  enum Attribute : int { context = 1, memory_type = 2, is_managed = 8, ordinal = 9 };
  constexpr unsigned device_memory = 2;
  std::array<int, 4> attributes{memory_type, is_managed, ordinal, context};
  unsigned type = 0, managed = 0;
  Pointer pointer;
  std::array<void*, 4> data{&type, &managed, &pointer.device, &pointer.context};
  const Result result = driver.pointer_get_attributes(4, attributes.data(), data.data(), address_of(address));
  if (result != success || type != device_memory) return {};
  pointer.kind = managed != 0 ? Kind::managed : Kind::device;
  return pointer;
}

/// Streams and events of a context.
struct Stager::Lane {
  Context context = nullptr;
  std::array<Stream, 2> streams{};
  std::size_t turn = 0;
  Event order = nullptr;                // recorded after the program's work
  std::array<Event, chunks> events{};  // recorded after the last copy from or to each chunk
  Stream stream() const { return streams[turn]; }
};

Stager::Stager(const Driver& driver, std::span<std::byte> ring) : driver_(driver), ring_(ring) {
  ATOLL_EXPECT(ring.size() >= ring_bytes);
  constexpr unsigned portable = 1;  // pinned for all contexts
  check(driver_.host_register(ring_.data(), ring_.size(), portable), "cuMemHostRegister");
}

Stager::~Stager() {
  std::lock_guard lock(mutex_);
  for (auto& lane : lanes_) {
    Current current(driver_, lane->context);
    if (current.result() != success) continue;  // the program has destroyed the context with its streams and events
    for (Stream stream : lane->streams) {
      (void)driver_.stream_synchronize(stream);
      (void)driver_.stream_destroy(stream);
    }
    for (Event event : lane->events) (void)driver_.event_destroy(event);
    (void)driver_.event_destroy(lane->order);
  }
  (void)driver_.host_unregister(ring_.data());
}

void Stager::check(Result result, const char* call) {
  if (result == success) [[likely]]
    return;
  const std::string text = fmt::format(
      "cannot prepare copies of cuda:device memory ({}: {}). Is the context of the memory alive, and is "
      "there memory left on the host and the device?",
      call, name_of(driver_, result));
  if (result == out_of_memory) throw MemoryError(text);
  throw DeviceError(text);
}

Context Stager::context_of(const Pointer& pointer) {
  if (pointer.context != nullptr) return pointer.context;
  const auto device = static_cast<std::size_t>(std::max(pointer.device, 0));
  if (primary_.size() <= device) primary_.resize(device + 1);
  if (primary_[device] == nullptr)
    check(driver_.primary_context_retain(&primary_[device], pointer.device), "cuDevicePrimaryCtxRetain");
  return primary_[device];
}

Stager::Lane& Stager::lane_of(const Pointer& pointer) {
  const Context context = context_of(pointer);
  for (auto& lane : lanes_)
    if (lane->context == context) return *lane;
  Current current(driver_, context);
  check(current.result(), "cuCtxPushCurrent");
  auto lane = std::make_unique<Lane>();
  lane->context = context;
  for (Stream& stream : lane->streams) check(driver_.stream_create(&stream, blocking_stream), "cuStreamCreate");
  for (Event& event : lane->events) check(driver_.event_create(&event, disable_timing), "cuEventCreate");
  check(driver_.event_create(&lane->order, disable_timing), "cuEventCreate");
  return *lanes_.emplace_back(std::move(lane));
}

void Stager::release_chunk(std::size_t chunk) {
  Lane* lane = std::exchange(busy_[chunk], nullptr);
  if (lane != nullptr) (void)driver_.event_synchronize(lane->events[chunk]);  // settle() reports what failed
}

void Stager::abandon(Lane& lane) {
  for (Stream stream : lane.streams) (void)driver_.stream_synchronize(stream);
  for (Lane*& busy : busy_)
    if (busy == &lane) busy = nullptr;
  std::erase_if(lanes_, [&](const auto& one) { return one.get() == &lane; });
}

void Stager::settle(const Pointer& pointer) {
  std::lock_guard lock(mutex_);
  Lane& lane = lane_of(pointer);
  Current current(driver_, lane.context);
  check(current.result(), "cuCtxPushCurrent");
  Result first = success;
  for (Stream stream : lane.streams)
    if (Result result = driver_.stream_synchronize(stream); first == success) first = result;
  for (Lane*& busy : busy_)
    if (busy == &lane) busy = nullptr;
  if (first != success) abandon(lane);
  check(first, "cuStreamSynchronize");
}

// ---- transfers

Stager::Transfer::Transfer(Stager& stager, const Pointer& pointer)
    : stager_(stager), lock_(stager.mutex_), pointer_(pointer), lane_(&stager.lane_of(pointer)) {
  const Driver& driver = stager_.driver_;
  stager_.check(driver.context_push(lane_->context), "cuCtxPushCurrent");
  entered_ = true;
  try {
    stager_.check(driver.event_record(lane_->order, per_thread_stream), "cuEventRecord");
    for (Stream stream : lane_->streams)
      stager_.check(driver.stream_wait_event(stream, lane_->order, 0), "cuStreamWaitEvent");
    stager_.release_chunk(stager_.chunk_);
  } catch (...) {
    (void)driver.context_pop(nullptr);
    throw;
  }
}

Stager::Transfer::~Transfer() {
  if (entered_) (void)stager_.driver_.context_pop(nullptr);
}

void Stager::Transfer::check(Result result, const char* call, Address at, std::size_t bytes) {
  if (result == success) [[likely]]
    return;
  stager_.abandon(*lane_);
  throw DeviceError(fmt::format(
      "cannot copy {} bytes of cuda:device memory at {:#x} of device {} ({}: {}). Has the memory been freed, or has an "
      "earlier kernel failed?",
      bytes, at, pointer_.device, call, name_of(stager_.driver_, result)));
}

std::byte* Stager::Transfer::room() const { return stager_.ring_.data() + stager_.chunk_ * chunk_bytes + fill_; }

void Stager::Transfer::next_chunk() {
  const std::size_t chunk = stager_.chunk_;
  check(stager_.driver_.event_record(lane_->events[chunk], lane_->stream()), "cuEventRecord", 0, fill_);
  stager_.busy_[chunk] = lane_;
  stager_.chunk_ = (chunk + 1) % chunks;
  lane_->turn ^= 1;
  fill_ = 0;
}

std::size_t Stager::Transfer::rows_now(std::size_t stride, std::size_t count, std::size_t bytes) const {
  if (stride < bytes || stride > longest_pitch) return 1;
  return std::min(count, (chunk_bytes - fill_) / bytes);
}

void Stager::Reader::block(const std::byte* from, std::size_t bytes) {
  while (bytes != 0) {
    const std::size_t now = std::min(bytes, chunk_bytes - fill_);
    check(stager_.driver_.copy_async(address_of(room()), address_of(from), now, lane_->stream()), "cuMemcpyAsync",
          address_of(from), now);
    fill_ += now, from += now, bytes -= now;
    if (fill_ == chunk_bytes) close_chunk();
  }
}

void Stager::Reader::rows(const std::byte* from, std::ptrdiff_t stride, std::size_t count, std::size_t bytes) {
  const auto pitch = static_cast<std::size_t>(stride);
  while (count != 0) {
    std::size_t now = bytes > chunk_bytes || stride < 0 ? 1 : rows_now(pitch, count, bytes);
    if (now == 0) {
      close_chunk();
      continue;
    }
    if (now == 1) {
      block(from, bytes);
    } else {
      RowsCopy copy;
      copy.from = address_of(from), copy.from_pitch = pitch;
      copy.to = address_of(room()), copy.to_pitch = bytes;
      copy.width = bytes, copy.height = now;
      check(stager_.driver_.copy_rows_async(&copy, lane_->stream()), "cuMemcpy2DAsync", copy.from, now * bytes);
      fill_ += now * bytes;
      if (fill_ == chunk_bytes) close_chunk();
    }
    from += static_cast<std::ptrdiff_t>(now) * stride, count -= now;
  }
}

void Stager::Reader::close_chunk() {
  pending_[(first_ + count_++) % chunks] = {stager_.chunk_, fill_};
  next_chunk();
  // One chunk is filled while the processor copies another.
  if (count_ == chunks - 1) take_oldest();
  stager_.release_chunk(stager_.chunk_);
}

void Stager::Reader::take_oldest() {
  const auto [chunk, bytes] = pending_[first_];
  first_ = (first_ + 1) % chunks, --count_;
  stager_.busy_[chunk] = nullptr;
  check(stager_.driver_.event_synchronize(lane_->events[chunk]), "cuEventSynchronize", 0, bytes);
  std::memcpy(to_, stager_.ring_.data() + chunk * chunk_bytes, bytes);
  to_ += bytes;
}

void Stager::Reader::finish() {
  if (fill_ != 0) close_chunk();
  while (count_ != 0) take_oldest();
}

void Stager::Writer::block(std::byte* to, const std::byte* from, std::size_t bytes) {
  while (bytes != 0) {
    const std::size_t now = std::min(bytes, chunk_bytes - fill_);
    std::memcpy(room(), from, now);
    check(stager_.driver_.copy_async(address_of(to), address_of(room()), now, lane_->stream()), "cuMemcpyAsync",
          address_of(to), now);
    fill_ += now, from += now, to += now, bytes -= now;
    if (fill_ == chunk_bytes) finish();
  }
}

void Stager::Writer::rows(std::byte* to, std::ptrdiff_t stride, const std::byte* from, std::size_t count,
                          std::size_t bytes) {
  const auto pitch = static_cast<std::size_t>(stride);
  while (count != 0) {
    std::size_t now = bytes > chunk_bytes || stride < 0 ? 1 : rows_now(pitch, count, bytes);
    if (now == 0) {
      finish();
      continue;
    }
    if (now == 1) {
      block(to, from, bytes);
    } else {
      RowsCopy copy;
      std::memcpy(room(), from, now * bytes);
      copy.from = address_of(room()), copy.from_pitch = bytes;
      copy.to = address_of(to), copy.to_pitch = pitch;
      copy.width = bytes, copy.height = now;
      check(stager_.driver_.copy_rows_async(&copy, lane_->stream()), "cuMemcpy2DAsync", copy.to, now * bytes);
      fill_ += now * bytes;
      if (fill_ == chunk_bytes) finish();
    }
    to += static_cast<std::ptrdiff_t>(now) * stride, from += now * bytes, count -= now;
  }
}

void Stager::Writer::finish() {
  if (fill_ == 0) return;
  next_chunk();
  stager_.release_chunk(stager_.chunk_);
}

}  // namespace atl::device
