// SPDX-License-Identifier: Apache-2.0
#include "message/buffer.hpp"

#include <algorithm>

namespace atl::mpi {

bool Outgoing::look_closer(const datatype::Type& type, const datatype::Region& region, const void* buffer,
                           Moves moves) {
  if (checking()) label_ = label_of(type, region.count);
  if (!staging::is_on_device(region, buffer)) return false;
  make_room(moves);
  staging::pack(region, buffer, 0, region.size(), copy_.get());
  return true;
}

bool Incoming::look_closer(const datatype::Type& type, const datatype::Region& region, const void* buffer) {
  if (checking()) label_ = label_of(type, region.count);
  return is_staged_ = staging::is_on_device(region, buffer);
}

void Incoming::take() {
  if (!copy_) return;
  const auto bytes = static_cast<Count>(bytes_);
  if (is_staged_) staging::pack(type_->region(count_), buffer_, 0, bytes, copy_.get());
  else datatype::pack(type_->region(count_), buffer_, 0, bytes, copy_.get());
}

void Incoming::put_staged(std::uint64_t from, std::uint64_t to, const std::byte* data) const {
  try {
    staging::unpack(type_->region(count_), buffer_, static_cast<Count>(from), static_cast<Count>(to), data);
  } catch (...) { error_ = std::current_exception(); }
}

void Incoming::land_apart(std::size_t bytes) {
  const datatype::Region region = type_->region(count_);
  const auto landed = static_cast<Count>(std::min(bytes, bytes_));
  if (!is_staged_) {
    if (copy_) datatype::unpack(region, buffer_, 0, landed, copy_.get());
    return;
  }
  check();
  if (landed == 0) return;
  if (copy_) staging::unpack(region, buffer_, 0, landed, copy_.get());
  staging::settle(region, buffer_);
}

void Incoming::land_apart_before_check(std::size_t bytes) noexcept {
  try {
    land_apart(bytes);
  } catch (...) { error_ = std::current_exception(); }
}

}  // namespace atl::mpi
