// SPDX-License-Identifier: Apache-2.0
// MPI's memory allocation kinds: requested, asserted and reported.
#pragma once

#include <string_view>

#include "atoll/device/driver.hpp"
#include "core/info.hpp"

namespace atl::mpi {

/// Info key of requests and reports: kinds of memory that MPI objects support.
inline constexpr const char* memory_kinds_key = "mpi_memory_alloc_kinds";
/// Info key of a communicator, window or file: the program uses buffers of these kinds only.
inline constexpr const char* asserted_kinds_key = "mpi_assert_memory_alloc_kinds";

/// Reports these kinds, which a session asked for, too, as far as they are supported.
void request_memory_kinds(std::string_view kinds);
/// Adds to the hints in use of an object: the supported kinds, and those that `given` asserts when all are supported.
void add_memory_kinds(Info::Entries& in_use, const Info::Entries& given);

/// Whether buffers may be CUDA's device memory: the program has loaded a driver.
inline bool has_cuda() { return device::driver() != nullptr; }
void query_gpu_support(int type, int* is_supported);

}  // namespace atl::mpi
