// SPDX-License-Identifier: Apache-2.0
// Start-up output requested by the standard's environment variables.
#pragma once

namespace atl::shmem {

/// Prints the output of SHMEM_VERSION and SHMEM_INFO on standard output.
void print_start_up();

}  // namespace atl::shmem
