// SPDX-License-Identifier: Apache-2.0
// The data representation external32: big endian, fixed sizes, IEEE quadruple for long double.
#pragma once

#include "datatype/type.hpp"

namespace atl::mpi::datatype {

/// Packs `count` elements into count * type.external_size() bytes at `packed`. Returns false when an integer did not
/// fit its external size; then its low bytes are stored.
bool pack_external32(const Type& type, Count count, const void* base, void* packed);
bool unpack_external32(const Type& type, Count count, void* base, const void* packed);

}  // namespace atl::mpi::datatype
