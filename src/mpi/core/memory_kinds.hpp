// SPDX-License-Identifier: Apache-2.0
// MPI's memory allocation kinds: what programs ask for, assert, and are told.
#pragma once

#include <string_view>

#include "atoll/device/driver.hpp"
#include "core/info.hpp"

namespace atl::mpi {

/// Of requests and answers: kinds that MPI objects support.
inline constexpr const char* memory_kinds_key = "mpi_memory_alloc_kinds";
/// Of a communicator, window or file: the only kinds that the program's buffers have.
inline constexpr const char* asserted_kinds_key = "mpi_assert_memory_alloc_kinds";

/// Adds the supported ones of these, which a session asks for, to the kinds that are reported.
void request_memory_kinds(std::string_view kinds);
/// Adds to the hints in use of an object: the supported kinds, and those that `given` asserts when all are supported.
void add_memory_kinds(Info::Entries& in_use, const Info::Entries& given);

/// Whether buffers may be CUDA's device memory: the program has loaded a driver.
inline bool has_cuda() { return device::driver() != nullptr; }
void query_gpu_support(int type, int* is_supported);

}  // namespace atl::mpi
