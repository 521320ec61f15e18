// SPDX-License-Identifier: Apache-2.0
// The functions of a GPU driver, found in processes that have loaded the driver themselves.
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace atl::device {

using Result = int;
using Address = std::uint64_t;
using Context = void*;
using Stream = void*;
using Event = void*;

/// Results of driver calls that are handled specially, with CUDA's numbers.
inline constexpr Result success = 0;
inline constexpr Result out_of_memory = 2;
inline constexpr Result not_initialized = 3;

/// Arguments of a copy of rows, laid out as CUDA_MEMCPY2D. The memory type `unified` permits any address.
struct RowsCopy {
  static constexpr int unified = 4;
  std::size_t from_x = 0, from_y = 0;
  int from_type = unified;
  const void* from_host = nullptr;
  Address from = 0;
  void* from_array = nullptr;
  std::size_t from_pitch = 0;
  std::size_t to_x = 0, to_y = 0;
  int to_type = unified;
  void* to_host = nullptr;
  Address to = 0;
  void* to_array = nullptr;
  std::size_t to_pitch = 0;
  std::size_t width = 0, height = 0;
};
static_assert(sizeof(RowsCopy) == 128);

/// Functions of a driver. Names, arguments and constants are those of CUDA's driver, without its prefix.
struct Driver {
  Result (*get_error_name)(Result, const char**) = nullptr;
  Result (*pointer_get_attributes)(unsigned, int*, void**, Address) = nullptr;
  Result (*primary_context_retain)(Context*, int) = nullptr;
  Result (*context_push)(Context) = nullptr;
  Result (*context_pop)(Context*) = nullptr;
  Result (*stream_create)(Stream*, unsigned) = nullptr;
  Result (*stream_destroy)(Stream) = nullptr;
  Result (*stream_synchronize)(Stream) = nullptr;
  Result (*stream_wait_event)(Stream, Event, unsigned) = nullptr;
  Result (*event_create)(Event*, unsigned) = nullptr;
  Result (*event_destroy)(Event) = nullptr;
  Result (*event_record)(Event, Stream) = nullptr;
  Result (*event_synchronize)(Event) = nullptr;
  Result (*copy_async)(Address, Address, std::size_t, Stream) = nullptr;
  Result (*copy_rows_async)(const RowsCopy*, Stream) = nullptr;
  Result (*host_register)(void*, std::size_t, unsigned) = nullptr;
  Result (*host_unregister)(void*) = nullptr;
};

namespace detail {
/// The last library in the dynamic linker's list when driver() last searched, or an entry that is its own successor:
/// then may_be_loaded() is always true.
extern std::atomic<const link_map*> newest;
}  // namespace detail

/// False: the process has loaded no driver, and all addresses are of host memory. True: call driver(). Costs two loads,
/// because every call with a buffer tests it: the entry of the library that was the last one, and its successor in the
/// dynamic linker's list, which is set when the program loads another library.
inline bool may_be_loaded() {
  return __atomic_load_n(&detail::newest.load(std::memory_order_relaxed)->l_next, __ATOMIC_RELAXED) != nullptr;
}

/// The driver that the program has loaded; null: none. Searches again only after the program has loaded a library. A
/// driver that was found stays loaded. Thread-safe.
const Driver* driver();

/// Makes may_be_loaded() true from now on, so that callers with another rare case need no second test.
void look_always();

}  // namespace atl::device
