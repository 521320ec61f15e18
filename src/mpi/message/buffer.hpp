// SPDX-License-Identifier: Apache-2.0
// A program's buffer as consecutive bytes: itself where its datatype allows, else a packed copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "datatype/pack.hpp"
#include "type/type.hpp"

namespace atl::mpi {

using Count = MPI_Count;

namespace detail {
inline const datatype::Type& checked(Count count, MPI_Datatype type) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "a count of {}", count);
  // Of nothing no type need be given.
  if (count == 0 && type == MPI_DATATYPE_NULL) [[unlikely]] return need_type(MPI_BYTE);
  return need_committed_type(type);
}
}  // namespace detail

/// What is sent. Of a buffer in one piece: a view of it; else a copy, taken at once.
class Outgoing {
 public:
  Outgoing() = default;
  Outgoing(const void* buffer, Count count, MPI_Datatype handle) {
    datatype::Region region = detail::checked(count, handle).region(count);
    bytes_ = static_cast<std::size_t>(region.size());
    if (region.contiguous()) [[likely]] {
      data_ = static_cast<const std::byte*>(buffer) + region.layout->offset;
      return;
    }
    copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    datatype::pack(region, buffer, 0, region.size(), copy_.get());
    data_ = copy_.get();
  }
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::span<const std::byte> span() const { return {data_, bytes_}; }
  /// Makes it independent of the program's buffer.
  void own() {
    if (copy_) return;
    copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    if (bytes_ != 0) std::memcpy(copy_.get(), data_, bytes_);
    data_ = copy_.get();
  }

 private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

/// Where a message goes. land() puts what has arrived in its place.
class Incoming {
 public:
  Incoming() = default;
  Incoming(void* buffer, Count count, MPI_Datatype handle) {
    datatype::Region region = detail::checked(count, handle).region(count);
    bytes_ = static_cast<std::size_t>(region.size());
    if (region.contiguous()) [[likely]] {
      data_ = static_cast<std::byte*>(buffer) + region.layout->offset;
      return;
    }
    type_ = find<TypeObject>(handle)->type();
    buffer_ = buffer;
    count_ = count;
    copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    data_ = copy_.get();
  }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::span<std::byte> span() const { return {data_, bytes_}; }
  /// Whether data() is the program's own memory.
  bool straight() const { return copy_ == nullptr; }
  /// Packs what the program's buffer holds now.
  void take() {
    if (copy_) datatype::pack(type_->region(count_), buffer_, 0, static_cast<Count>(bytes_), copy_.get());
  }
  void land(std::size_t bytes) {
    if (copy_) datatype::unpack(type_->region(count_), buffer_, 0, static_cast<Count>(bytes < bytes_ ? bytes : bytes_), copy_.get());
  }
  void land() { land(bytes_); }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
  datatype::TypePtr type_;  // of a copy: it may be freed before the message comes
  void* buffer_ = nullptr;
  Count count_ = 0;
};

}  // namespace atl::mpi
