// SPDX-License-Identifier: Apache-2.0
// Buffers in a device's memory: found, and copied from and to the host. All that the library does with such memory
// goes through here.
#pragma once

#include <cstddef>

#include "atoll/device/driver.hpp"
#include "datatype/pack.hpp"

namespace atl::mpi::staging {

using datatype::Count;
using datatype::Region;

namespace detail {
bool is_on_device(const void* address);
bool is_on_device(const Region& region, const void* base);
}  // namespace detail

/// Whether the memory is a device's, which the processor may not touch. In a program without a driver: two loads.
inline bool is_on_device(const void* address) { return device::may_be_loaded() && detail::is_on_device(address); }
/// The same of a region: of any of its pieces, when they lie at absolute addresses (MPI_BOTTOM).
inline bool is_on_device(const Region& region, const void* base) {
  return device::may_be_loaded() && detail::is_on_device(region, base);
}

/// As datatype::pack(), of a region that is_on_device(). DeviceError when the driver fails.
void pack(const Region& region, const void* base, Count from, Count to, void* packed);
/// As datatype::unpack(). The device has the bytes after settle().
void unpack(const Region& region, void* base, Count from, Count to, const void* packed);
/// All that was unpacked to the region's context is there.
void settle(const Region& region, const void* base);

/// Of consecutive bytes.
void read(void* to, const void* from, std::size_t bytes);
void write(void* to, const void* from, std::size_t bytes);

}  // namespace atl::mpi::staging
