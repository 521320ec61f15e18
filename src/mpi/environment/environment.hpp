// SPDX-License-Identifier: Apache-2.0
// The environment chapter: initialisation, finalisation, clock, memory, names.
#pragma once

#include "atoll/base/clock.hpp"
#include "mpi.h"

namespace atl::mpi {

/// Registers a function that MPI_Init calls at its end, when MPI_COMM_WORLD exists. For higher folders; call it before
/// MPI_Init.
void at_beginning(void (*begin)());

void init(int required, int* provided);
/// Calls `look` after the attributes of MPI_COMM_SELF are deleted, and with them the handles of libraries, and before
/// everything else ends.
void finalize(void (*look)() = nullptr);
void initialized(int* flag);
void finalized(int* flag);
void is_thread_main(int* flag);
[[noreturn]] void abort(MPI_Comm comm, int code);
void alloc_mem(MPI_Aint size, MPI_Info info, void* place);
void free_mem(void* base);
void library_version(char* text, int* length);
void processor_name(char* text, int* length);
void hw_resource_info(MPI_Info* info);
inline double wtime() { return static_cast<double>(now_ns()) * 1e-9; }

// The ABI chapter.
void abi_info(MPI_Info* info);
void abi_fortran_info(MPI_Info* info);
void abi_set_fortran_info(MPI_Info info);
void abi_set_fortran_booleans(int size, void* yes, void* no);
void abi_get_fortran_booleans(int size, void* yes, void* no, int* is_set);

}  // namespace atl::mpi
