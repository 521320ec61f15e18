// SPDX-License-Identifier: Apache-2.0
// Representation external32: big endian, sizes fixed, IEEE quadruple for long double.
#pragma once

#include "datatype/type.hpp"

namespace atl::mpi::datatype {

/// `count` elements to `packed`, count * type.external_size() bytes. False when an integer did not fit its external
/// size: its low bits are there.
bool pack_external32(const Type& type, Count count, const void* base, void* packed);
bool unpack_external32(const Type& type, Count count, void* base, const void* packed);

}  // namespace atl::mpi::datatype
