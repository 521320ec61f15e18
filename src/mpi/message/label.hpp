// SPDX-License-Identifier: Apache-2.0
// What checked programs say of their messages, and how both sides are compared.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/runtime/matching.hpp"
#include "comm/comm.hpp"
#include "datatype/type.hpp"

namespace atl::mpi {

/// Of which elements a message is. Never 0, which is a message of which nothing is known.
//
// | bits    | what                                                            |
// |---------|-----------------------------------------------------------------|
// |  0 … 15 | constant of the predefined type that all elements are of, or 0  |
// | 16 … 62 | low bits of the signature's hash                                |
// |   63    | 1                                                               |
std::uint64_t label_of(const datatype::Type& type, datatype::Count count);

/// Failure when a message is of other elements than those that it is received as, in so much room: it names both sides.
/// Of different predefined types, but for those that hold the same; where elements differ among themselves, and the
/// message is as long as the room, of another order. MPI_PACKED goes with everything.
void check_label(const Comm& comm, const runtime::Envelope& message, std::uint64_t expected, std::size_t room);

}  // namespace atl::mpi
