// SPDX-License-Identifier: Apache-2.0
// Memory of the program that an access reads or writes, as one contiguous span: itself where it is contiguous, else a
// packed copy.
#pragma once

#include <cstddef>
#include <span>

#include "core/staging.hpp"
#include "message/packed.hpp"
#include "type/plain.hpp"
#include "type/type.hpp"

namespace atl::mpi::win {

/// Memory that is read.
class Source {
 public:
  /// Throws Failure when copies of all operations would exceed the PE's memory limit.
  Source(const datatype::Region& region, const void* base) : size_(static_cast<std::size_t>(region.size())) {
    detail::check_buffer(region, base);
    const bool is_staged = staging::is_on_device(region, base);
    if (!is_staged && region.contiguous()) {
      data_ = static_cast<const std::byte*>(base) + region.layout->offset;
      return;
    }
    copy_ = pack_room(size_);
    if (is_staged) staging::pack(region, base, 0, region.size(), copy_.get());
    else datatype::pack(region, base, 0, region.size(), copy_.get());
    data_ = copy_.get();
  }
  const std::byte* data() const { return data_; }
  std::span<const std::byte> span() const { return {data_, size_}; }
  bool is_copy() const { return copy_ != nullptr; }

 private:
  Packed copy_;
  const std::byte* data_;
  std::size_t size_;
};

/// Memory that is written: finish() unpacks the copy into it. The region's layout must exist until then.
class Sink {
 public:
  /// Throws Failure when copies of all operations would exceed the PE's memory limit.
  Sink(const datatype::Region& region, void* base)
      : region_(region), base_(base), is_staged_(staging::is_on_device(region, base)) {
    detail::check_buffer(region, base);
    if (region.contiguous() && !is_staged_) data_ = static_cast<std::byte*>(base) + region.layout->offset;
    else data_ = (copy_ = pack_room(static_cast<std::size_t>(region.size()))).get();
  }
  std::byte* data() const { return data_; }
  std::size_t size() const { return static_cast<std::size_t>(region_.size()); }
  void finish() const {
    if (is_staged_) {
      staging::unpack(region_, base_, 0, region_.size(), copy_.get());
      staging::settle(region_, base_);
    } else if (copy_) {
      datatype::unpack(region_, base_, 0, region_.size(), copy_.get());
    }
  }

 private:
  datatype::Region region_;
  void* base_;
  bool is_staged_;
  Packed copy_;
  std::byte* data_;
};

}  // namespace atl::mpi::win
