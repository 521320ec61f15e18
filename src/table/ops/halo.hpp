// SPDX-License-Identifier: Apache-2.0
// Rows of other PEs beside a PE's own.
#pragma once

#include <memory>

#include "atoll/array/ops/blocks.hpp"

namespace atl::table {

/// Reads rows of an array, or of none. Collective at construction and close.
class Halo {
 public:
  Halo(array::Engine& engine, array::Array array) : engine_(engine), array_(std::move(array)) {
    if (array_ != nullptr) blocks_ = std::make_unique<array::OpenBlocks>(engine, *array_);
  }
  void close() {
    if (blocks_ != nullptr) blocks_->close();
  }

  /// Rows [begin, end), here until the next call; null of no array. Rows of this PE alone are used where they lie.
  template <class T>
  const T* rows(std::int64_t begin, std::int64_t end) {
    if (array_ == nullptr) return nullptr;
    if (begin >= array_->first_row() && end <= array_->first_row() + array_->local_rows())
      return array_->template data<T>() + (begin - array_->first_row());
    copy_ = Buffer<std::byte>(engine_.memory(), static_cast<std::size_t>(end - begin) * sizeof(T));
    blocks_->read_rows(begin, end, copy_.data());
    return reinterpret_cast<const T*>(copy_.data());
  }

 private:
  array::Engine& engine_;
  array::Array array_;
  std::unique_ptr<array::OpenBlocks> blocks_;
  Buffer<std::byte> copy_;
};

}  // namespace atl::table
