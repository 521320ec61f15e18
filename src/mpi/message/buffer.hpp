// SPDX-License-Identifier: Apache-2.0
// A program's buffer as consecutive bytes: itself where its datatype allows, else a packed copy.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>

#include "atoll/messaging/matching.hpp"
#include "core/library.hpp"
#include "core/staging.hpp"
#include "core/watch.hpp"
#include "datatype/pack.hpp"
#include "message/label.hpp"
#include "message/packed.hpp"
#include "type/type.hpp"

namespace atl::mpi {

using Count = MPI_Count;

namespace detail {
/// Longer messages take a rendezvous: the library's matcher has the default.
inline constexpr std::size_t longest_eager = runtime::MatcherOptions{}.eager_bytes;

inline const datatype::Type& checked(Count count, MPI_Datatype type) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "a count of {}", count);
  // Of nothing no type need be given.
  if (count == 0 && type == MPI_DATATYPE_NULL) [[unlikely]]
    return need_type(MPI_BYTE);
  return need_committed_type(type);
}
}  // namespace detail

/// Whether a call moves pieces of a message by itself, or needs it in a row.
enum class Moves { rows, pieces };

/// What is sent. Of a buffer in one piece: a view of it; else a copy, taken at once.
class Outgoing {
 public:
  Outgoing() = default;
  /// Moves::pieces: of a message, whose receiver reads a copy where it is.
  Outgoing(const void* buffer, Count count, MPI_Datatype handle, Moves moves = Moves::rows) {
    const datatype::Type& type = detail::checked(count, handle);
    datatype::Region region = type.region(count);
    bytes_ = static_cast<std::size_t>(region.size());
    if (device::may_be_loaded()) [[unlikely]]
      if (look_closer(type, region, buffer, moves)) return;
    if (region.contiguous()) [[likely]] {
      data_ = static_cast<const std::byte*>(buffer) + region.layout->offset;
      detail::check_buffer(data_, bytes_);
      return;
    }
    detail::check_buffer(region, buffer);
    make_room(moves);
    datatype::pack(region, buffer, 0, region.size(), copy_.get());
  }
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::span<const std::byte> span() const { return {data_, bytes_}; }
  /// Whether data() is the program's own memory.
  bool straight() const { return copy_ == nullptr; }
  /// Of a message: what checks compare; else 0.
  std::uint64_t label() const { return label_; }
  /// Makes it independent of the program's buffer.
  void own() {
    if (copy_) return;
    copy_ = pack_room(bytes_);
    if (bytes_ != 0) std::memcpy(copy_.get(), data_, bytes_);
    data_ = copy_.get();
  }

 private:
  void make_room(Moves moves) {
    copy_ = moves == Moves::pieces && bytes_ > detail::longest_eager ? pack_room_in_heap(bytes_) : pack_room(bytes_);
    data_ = copy_.get();
  }
  /// Where programs are checked, or a GPU's driver is loaded. True: the buffer is a device's, and has been copied.
  bool look_closer(const datatype::Type& type, const datatype::Region& region, const void* buffer, Moves moves);
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t label_ = 0;
  Packed copy_;
};

/// Where a message goes. land() puts what has arrived in its place.
class Incoming final : public runtime::Scatter {
 public:
  Incoming() = default;
  /// Moves::pieces: there is no row, but what comes is put into its places: see target().
  Incoming(void* buffer, Count count, MPI_Datatype handle, Moves moves = Moves::rows) {
    set(buffer, count, handle, moves);
  }
  /// Of one that is nothing yet, or was used before.
  void set(void* buffer, Count count, MPI_Datatype handle, Moves moves = Moves::rows) {
    const datatype::Type& type = detail::checked(count, handle);
    datatype::Region region = type.region(count);
    bytes_ = static_cast<std::size_t>(region.size());
    if (type_) [[unlikely]]
      type_.reset(), copy_.reset(), error_ = nullptr, is_staged_ = false;
    bool staged = false;
    if (device::may_be_loaded()) [[unlikely]]
      staged = look_closer(type, region, buffer);
    if (!staged && region.contiguous()) [[likely]] {
      data_ = static_cast<std::byte*>(buffer) + region.layout->offset;
      detail::check_buffer(data_, bytes_);
      return;
    }
    detail::check_buffer(region, buffer);
    type_ = find<TypeObject>(handle)->type();
    buffer_ = buffer;
    count_ = count;
    data_ = nullptr;
    if (moves == Moves::pieces) return;
    copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    data_ = copy_.get();
  }
  /// Of a receive, while this stays where it is.
  runtime::Target target() const {
    return type_ && !copy_ ? runtime::Target(*this, bytes_) : runtime::Target(data_, bytes_);
  }
  void put(std::uint64_t from, std::uint64_t to, const std::byte* data) const override {
    if (is_staged_) [[unlikely]]
      return put_staged(from, to, data);
    datatype::unpack(type_->region(count_), buffer_, static_cast<Count>(from), static_cast<Count>(to), data);
  }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::span<std::byte> span() const { return {data_, bytes_}; }
  std::uint64_t label() const { return label_; }
  /// Whether data() is the program's own memory.
  bool straight() const { return copy_ == nullptr; }
  /// Packs what the program's buffer holds now.
  void take();
  /// DeviceError when the buffer is a device's, and the driver fails.
  void land(std::size_t bytes) {
    if (type_) [[unlikely]]
      land_apart(bytes);
  }
  void land() { land(bytes_); }
  /// The same, and check() throws.
  void land_before_check(std::size_t bytes) noexcept {
    if (type_) [[unlikely]]
      land_apart_before_check(bytes);
  }
  void check() const {
    if (error_) [[unlikely]]
      std::rethrow_exception(error_);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint64_t label_ = 0;
  std::unique_ptr<std::byte[]> copy_;
  datatype::TypePtr type_;  // of a copy: it may be freed before the message comes
  void* buffer_ = nullptr;
  Count count_ = 0;
  bool is_staged_ = false;            // the buffer is a device's
  mutable std::exception_ptr error_;  // of its driver

  /// As Outgoing's. True: the buffer is a device's.
  bool look_closer(const datatype::Type& type, const datatype::Region& region, const void* buffer);
  void put_staged(std::uint64_t from, std::uint64_t to, const std::byte* data) const;
  void land_apart(std::size_t bytes);
  void land_apart_before_check(std::size_t bytes) noexcept;
};

}  // namespace atl::mpi
