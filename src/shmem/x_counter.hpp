// SPDX-License-Identifier: Apache-2.0
// Counters, and operations that start by themselves when a counter has counted far enough.
#pragma once

#include "library.hpp"
#include "shmemx.h"

namespace atl::shmem {

/// Collective over the world: the same counter on all PEs, at 0. Nonzero: there are no more.
int create_counter(Call call, shmemx_counter_t* counter);
/// Collective; nothing may be waiting for it.
void destroy_counter(Call call, shmemx_counter_t counter);
std::uint64_t fetch_counter(Call call, shmemx_counter_t counter);
void set_counter(Call call, shmemx_counter_t counter, std::uint64_t value);
void add_counter(Call call, shmemx_counter_t counter, std::uint64_t value, int pe);
void wait_counter(Call call, shmemx_counter_t counter, std::uint64_t at_least);
int test_counter(Call call, shmemx_counter_t counter, std::uint64_t at_least);
void put_counted(Call call, void* dest, const void* source, std::size_t bytes, shmemx_counter_t counter, int pe);
void get_counted(Call call, void* dest, const void* source, std::size_t bytes, shmemx_counter_t counter, int pe);

/// What starts an operation: this PE's counter reaching a value.
struct Trigger {
  shmemx_counter_t counter;
  std::uint64_t at_least;
};
/// `then`: the target's counter is bumped after the data is there; SHMEMX_COUNTER_INVALID: none.
void put_triggered(Call call, void* dest, const void* source, std::size_t bytes, int pe, shmemx_counter_t then,
                   Trigger trigger);
void add_counter_triggered(Call call, shmemx_counter_t counter, int pe, Trigger trigger);
void set_word_triggered(Call call, std::uint64_t* dest, std::uint64_t value, int pe, Trigger trigger);
void add_word_triggered(Call call, std::uint64_t* dest, std::uint64_t value, int pe, Trigger trigger);

}  // namespace atl::shmem
