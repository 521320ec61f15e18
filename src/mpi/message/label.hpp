// SPDX-License-Identifier: Apache-2.0
// Labels of messages for ATOLL_MPI_CHECK: the sender's type signature, which the receiver compares with its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/messaging/matching.hpp"
#include "comm/comm.hpp"
#include "datatype/type.hpp"

namespace atl::mpi {

/// The label of `count` elements of a type. Never 0, which stands for an unknown signature.
//
// | bits    | what                                                            |
// |---------|-----------------------------------------------------------------|
// |  0 … 15 | constant of the predefined type of all elements, or 0 if mixed  |
// | 16 … 62 | low bits of the signature's hash                                |
// |   63    | 1                                                               |
std::uint64_t label_of(const datatype::Type& type, datatype::Count count);

/// Throws Failure, which names both sides, when a message does not match the receive of `room` bytes: its predefined
/// type differs (types with equal contents are compatible), or, for mixed elements and a message of exactly `room`
/// bytes, its sequence differs. MPI_PACKED matches everything.
void check_label(const Comm& comm, const runtime::Envelope& message, std::uint64_t expected, std::size_t room);

}  // namespace atl::mpi
