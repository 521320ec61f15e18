// SPDX-License-Identifier: Apache-2.0
#include "atoll/device/staging.hpp"

namespace atl::device {

std::optional<Pointer> Staging::find(const void* address) {
  const Driver* loaded = driver();
  if (loaded == nullptr) return std::nullopt;
  const Pointer pointer = describe(*loaded, address);
  return pointer.kind == Kind::device ? std::optional(pointer) : std::nullopt;
}

Stager& Staging::stager() {
  std::lock_guard lock(mutex_);
  if (stager_) return *stager_;
  if (ring_ == nullptr) ring_ = allocate_(Stager::ring_bytes);
  stager_ = std::make_unique<Stager>(*driver(), std::span(static_cast<std::byte*>(ring_), Stager::ring_bytes));
  return *stager_;
}

void Staging::read(void* to, const Pointer& pointer, const void* from, std::size_t bytes) {
  Stager::Reader reader(stager(), pointer, static_cast<std::byte*>(to));
  reader.block(static_cast<const std::byte*>(from), bytes);
  reader.finish();
}

void Staging::write(const Pointer& pointer, void* to, const void* from, std::size_t bytes) {
  {
    Stager::Writer writer(stager(), pointer);
    writer.block(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
    writer.finish();
  }
  stager().settle(pointer);
}

void Staging::end() {
  std::lock_guard lock(mutex_);
  stager_.reset();
  if (ring_ != nullptr) release_(ring_);
  ring_ = nullptr;
}

}  // namespace atl::device
