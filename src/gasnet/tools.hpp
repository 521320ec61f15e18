// SPDX-License-Identifier: Apache-2.0
// GASNet tools that are not inline, except the environment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gasnet.h"
#include "gasnet_tools.h"

namespace atl::gasnet {

const char* error_name(int code);
const char* error_text(int code);

gasnett_tick_t ticks();
int sleep_ns(std::uint64_t ns);
int processors();
std::uint64_t memory_bytes();
const char* host_name();
const char* program_name();
std::uint64_t microseconds();

std::uint64_t checksum(const void* data, int bytes);
std::size_t count_zeros(const void* data, std::size_t bytes);
std::size_t copy_and_count_zeros(void* to, const void* from, std::size_t bytes);

void* map_memory(std::uintptr_t bytes);
gasnett_sighandlerfn_t set_signal_handler(int signal, gasnett_sighandlerfn_t handler);
int bind_thread(int rank);
void raise_limits();
void flush_streams();
void close_streams();
[[noreturn]] void end_process(int status);

/// `users`: the client's own back-trace function, or null.
void prepare_backtrace(const gasnett_backtrace_type_t* users);
int print_backtrace(int descriptor);

}  // namespace atl::gasnet
