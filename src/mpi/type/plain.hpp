// SPDX-License-Identifier: Apache-2.0
// Properties of predefined types that their constants encode, for fast paths.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/predefined.hpp"
#include "mpi.h"

namespace atl::mpi {

namespace detail {
inline constexpr std::size_t type_constants = 0x300;
struct PlainSizes {
  std::uint8_t of[type_constants] = {};
  PlainSizes() {
    for (const datatype::Predefined& one : datatype::predefined())
      if (one.number != datatype::Number::pair) of[one.handle] = one.size;
  }
};
inline const PlainSizes plain_sizes;
}  // namespace detail

/// Bytes of an element of a contiguous predefined type; 0 for pair types and derived types.
inline std::size_t plain_size(MPI_Datatype type) {
  const auto constant = reinterpret_cast<std::uintptr_t>(type);
  return constant < detail::type_constants ? detail::plain_sizes.of[constant] : 0;
}

}  // namespace atl::mpi
