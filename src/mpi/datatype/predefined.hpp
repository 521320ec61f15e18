// SPDX-License-Identifier: Apache-2.0
// The predefined datatypes of the MPI 5.0 ABI: handles, names, sizes here and in external32.
#pragma once

#include <cstdint>
#include <span>

namespace atl::mpi::datatype {

/// What the bytes of an element mean, for conversion and for reductions.
enum class Number : std::uint8_t { bytes, character, boolean, logical, integer, natural, real, complex, pair };

struct Predefined {
  std::uint16_t handle;  ///< its constant in the ABI
  const char* name;
  std::uint8_t size;
  std::uint8_t external;  ///< size in external32
  Number number;
  // Of pairs: the value's constant, where its int lies, and the extent.
  std::uint16_t value = 0;
  std::uint8_t index_at = 0;
  std::uint8_t extent = 0;
};

/// All, by ascending handle.
std::span<const Predefined> predefined();
/// Null when there is none.
const Predefined* find_predefined(std::uintptr_t handle);

// Constants that code names.
inline constexpr std::uint16_t packed_handle = 0x207, int_handle = 0x209, byte_handle = 0x247;

/// Classes of match_size(), as numbered in the ABI.
enum class TypeClass : int { logical = 191, integer = 192, real = 193, complex = 194 };
/// The Fortran type of that class and size in bytes; null when there is none.
const Predefined* match_size(TypeClass type_class, int size);

/// Value with index: the predefined pair, or null.
const Predefined* find_pair(std::uint16_t value, std::uint16_t index);

/// The type with at least `digits` decimal digits and 10^range; any of the two may be below 0 for "whatever". Null when
/// there is none.
const Predefined* select_real(int digits, int range);
const Predefined* select_complex(int digits, int range);
const Predefined* select_integer(int digits);

}  // namespace atl::mpi::datatype
