// SPDX-License-Identifier: Apache-2.0
// Initialisation, exit and queries.
#pragma once

#include "library.hpp"

namespace atl::shmem {

void init(Call call);
int init_thread(Call call, int requested, int* provided);
void finalize(Call call);
[[noreturn]] void global_exit(Call call, int status);
void query_initialized(Call call, int* initialized);
void query_thread(Call call, int* provided);
int my_pe(Call call);
int n_pes(Call call);
int pe_accessible(Call call, int pe);
int addr_accessible(Call call, const void* address, int pe);
void* pointer_to(Call call, const void* address, int pe);
void info_get_version(Call call, int* major, int* minor);
void info_get_name(Call call, char* name);
inline void pcontrol(Call, int) {}
/// The cache of a coherent machine needs no instructions.
template <class... Ignored>
void cache_control(Call, Ignored...) {}

}  // namespace atl::shmem
