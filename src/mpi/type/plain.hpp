// SPDX-License-Identifier: Apache-2.0
// What is known of predefined types by their constants alone, for calls that must not take long.
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

/// Bytes of an element, where these lie in one piece; 0 for pairs and all that programs have made.
inline std::size_t plain_size(MPI_Datatype type) {
  const auto constant = reinterpret_cast<std::uintptr_t>(type);
  return constant < detail::type_constants ? detail::plain_sizes.of[constant] : 0;
}

}  // namespace atl::mpi
