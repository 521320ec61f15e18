// SPDX-License-Identifier: Apache-2.0
// Counters, and triggered operations, which start when a counter reaches a threshold.
#pragma once

#include "library.hpp"
#include "shmemx.h"

namespace atl::shmem {

/// Collective over the world. Creates the same counter, with value 0, on all PEs. Returns nonzero when none is left.
int create_counter(Call call, shmemx_counter_t* counter);
/// Collective. No operation may be waiting for the counter.
void destroy_counter(Call call, shmemx_counter_t counter);
std::uint64_t fetch_counter(Call call, shmemx_counter_t counter);
void set_counter(Call call, shmemx_counter_t counter, std::uint64_t value);
void add_counter(Call call, shmemx_counter_t counter, std::uint64_t value, int pe);
void wait_counter(Call call, shmemx_counter_t counter, std::uint64_t at_least);
int test_counter(Call call, shmemx_counter_t counter, std::uint64_t at_least);
void put_counted(Call call, void* dest, const void* source, std::size_t bytes, shmemx_counter_t counter, int pe);
void get_counted(Call call, void* dest, const void* source, std::size_t bytes, shmemx_counter_t counter, int pe);

/// The trigger of an operation: this PE's counter reaches a value.
struct Trigger {
  shmemx_counter_t counter;
  std::uint64_t at_least;
};
/// `then`: counter of the target that is incremented when the data has arrived; SHMEMX_COUNTER_INVALID for none.
void put_triggered(Call call, void* dest, const void* source, std::size_t bytes, int pe, shmemx_counter_t then,
                   Trigger trigger);
void add_counter_triggered(Call call, shmemx_counter_t counter, int pe, Trigger trigger);
void set_word_triggered(Call call, std::uint64_t* dest, std::uint64_t value, int pe, Trigger trigger);
void add_word_triggered(Call call, std::uint64_t* dest, std::uint64_t value, int pe, Trigger trigger);

}  // namespace atl::shmem
