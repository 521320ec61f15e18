// SPDX-License-Identifier: Apache-2.0
// Digests of elements that the PEs of an SPMD session give by pointers, for the check whether all give the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/array/command.hpp"
#include "atoll/array/operations.hpp"
#include "atoll/array/whereabouts.hpp"

namespace atl::array {

/// A digest of the elements to which an operation's arguments point, where every PE of an SPMD session has them.
template <auto operation>
struct PointedElements {
  static std::uint64_t digest(const auto&...) { return 0; }
};
template <>
struct PointedElements<&from_buffer> {
  static std::uint64_t digest(DType dtype, const Shape& shape, DriverOnly<const void*> values) {
    const std::size_t bytes = static_cast<std::size_t>(shape.size()) * size_of(dtype);
    return digest_of({static_cast<const std::byte*>(values.value), bytes}, {});
  }
};
}  // namespace atl::array
