// SPDX-License-Identifier: Apache-2.0
// A stored distributed array as one PE sees it: the global type and shape, and its own rows in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "atoll/array/dtype.hpp"
#include "atoll/array/shape.hpp"

namespace atl::array {

/// The bytes of one PE's rows. Owned memory goes back to the heap; shared memory keeps its owner (a NumPy array) alive.
struct Storage {
  std::byte* data = nullptr;
  std::shared_ptr<void> owner;
  /// NumPy sees this memory too, so in-place changes must happen in it.
  bool exported = false;
};

/// Immutable but for the elements; the elements change only through the assigning operations.
struct ArrayData {
  DType dtype{};
  Shape shape;
  Distribution distribution;
  std::uint32_t pe = 0;
  Storage storage;
  /// The name of the array in commands to workers; 0 where there are none.
  std::uint64_t id = 0;
  std::shared_ptr<void> id_guard;
  /// Of a driver: it was on PE 0 alone and is on all PEs now.
  bool was_alone = false;

  /// Takes over the memory of the same elements elsewhere. Under the session's lock.
  void move_to(ArrayData& other) {
    shape = other.shape;
    distribution = other.distribution;
    storage = std::move(other.storage);
    id = std::exchange(other.id, 0);
    id_guard = std::move(other.id_guard);
  }

  std::int64_t first_row() const { return distribution.begin(pe); }
  std::int64_t local_rows() const { return distribution.count(pe); }
  std::int64_t local_size() const { return local_rows() * shape.row_size(); }
  std::int64_t first_index() const { return first_row() * shape.row_size(); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(shape.row_size()) * size_of(dtype); }
  std::size_t local_bytes() const { return static_cast<std::size_t>(local_rows()) * row_bytes(); }
  std::byte* bytes() const { return storage.data; }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(storage.data);
  }
};

using Array = std::shared_ptr<ArrayData>;

}  // namespace atl::array
