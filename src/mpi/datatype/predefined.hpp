// SPDX-License-Identifier: Apache-2.0
// The predefined datatypes of the MPI 5.0 ABI: handles, names, native and external32 sizes.
#pragma once

#include <cstdint>
#include <span>

namespace atl::mpi::datatype {

/// Kind of number of an element, for conversion and reductions.
enum class Number : std::uint8_t { bytes, character, boolean, logical, integer, natural, real, complex, pair };

struct Predefined {
  std::uint16_t handle;  ///< its constant in the ABI
  const char* name;
  std::uint8_t size;
  std::uint8_t external;  ///< size in external32
  Number number;
  // For pairs: the constant of the value type, the offset of the int, and the extent.
  std::uint16_t value = 0;
  std::uint8_t index_at = 0;
  std::uint8_t extent = 0;
};

/// All predefined types, by ascending handle.
std::span<const Predefined> predefined();
/// The predefined type of this handle, or null.
const Predefined* find_predefined(std::uintptr_t handle);

// Handles that the code uses by name.
inline constexpr std::uint16_t packed_handle = 0x207, int_handle = 0x209, byte_handle = 0x247;

/// Type classes of match_size(), by their number in the ABI.
enum class TypeClass : int { logical = 191, integer = 192, real = 193, complex = 194 };
/// The Fortran type of this class and size in bytes, or null.
const Predefined* match_size(TypeClass type_class, int size);

/// The predefined pair of these value and index types, or null.
const Predefined* find_pair(std::uint16_t value, std::uint16_t index);

/// The smallest type with at least `digits` decimal digits and exponent range `range`; a negative argument is
/// unspecified. Null when there is none.
const Predefined* select_real(int digits, int range);
const Predefined* select_complex(int digits, int range);
const Predefined* select_integer(int digits);

}  // namespace atl::mpi::datatype
