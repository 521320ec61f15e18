// SPDX-License-Identifier: Apache-2.0
// Recognizes buffers in device memory, and copies between them and host memory. All uses of device memory by the
// library go through these functions.
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

/// Whether the address is in device memory, which the processor must not access. Costs two loads in a program without a
/// driver.
inline bool is_on_device(const void* address) { return device::may_be_loaded() && detail::is_on_device(address); }
/// Whether the region is in device memory; with absolute addresses (MPI_BOTTOM): whether any of its pieces is.
inline bool is_on_device(const Region& region, const void* base) {
  return device::may_be_loaded() && detail::is_on_device(region, base);
}

/// datatype::pack() for a region in device memory. Throws DeviceError when the driver fails.
void pack(const Region& region, const void* base, Count from, Count to, void* packed);
/// datatype::unpack() for a region in device memory. Complete after settle().
void unpack(const Region& region, void* base, Count from, Count to, const void* packed);
/// Waits until all bytes unpacked to the device context of the region have arrived.
void settle(const Region& region, const void* base);

/// Copy consecutive bytes from and to device memory. Complete on return.
void read(void* to, const void* from, std::size_t bytes);
void write(void* to, const void* from, std::size_t bytes);

}  // namespace atl::mpi::staging
