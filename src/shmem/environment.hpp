// SPDX-License-Identifier: Apache-2.0
// What the environment variables of the standard ask for at start.
#pragma once

namespace atl::shmem {

/// What SHMEM_VERSION and SHMEM_INFO ask for, on standard output.
void print_start_up();

}  // namespace atl::shmem
