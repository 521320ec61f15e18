// SPDX-License-Identifier: Apache-2.0
// The hardware of the node: cores, NUMA domains, caches, memory, SIMD level (from hwloc and the kernel's files).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

struct NumaDomain {
  std::vector<unsigned> cores;  ///< operating-system processor numbers
  std::uint64_t memory_bytes = 0;
};

struct Topology {
  std::string processor;
  std::vector<unsigned> cores;  ///< that this process may run on, one hardware thread each
  std::vector<NumaDomain> numa;
  std::vector<std::vector<unsigned>> sockets;  ///< processor numbers of each
  std::uint64_t l2_bytes = 0;     ///< per core
  std::uint64_t memory_bytes = 0; ///< of the node, or of the control group if that is less
};

/// Read once; the affinity mask is that of the first call.
const Topology& topology();
/// The current state. All of a machine that is simulated for hwloc (HWLOC_SYNTHETIC, HWLOC_XMLFILE) may be used.
Topology read_topology();

/// A kind of hardware resource, and the one of its kind that this process is bound to.
struct Resource {
  std::string_view kind;     ///< as hwloc calls it: "Package"
  int instance = -1;  ///< its number among its kind in this host; -1: the process may run on several, or there are none
  bool exists = false;  ///< in this host
};
/// For all kinds, from the largest to the smallest, by the processors on which the calling thread may run now.
std::vector<Resource> bound_resources();

/// Bytes that can be allocated now without swapping: MemAvailable, or what the control group leaves.
std::uint64_t available_memory_bytes();

/// Instruction sets that kernels are compiled for: those of x86-64 from the least on, and the one of aarch64. Other
/// processors: baseline.
enum class SimdLevel { baseline, sse4, avx2, avx512, neon };
std::string_view name_of(SimdLevel level);
/// The best the processor has.
SimdLevel processor_simd_level();
/// The best the processor has, and no better than ATOLL_SIMD. ValueError when that is of another kind of processor.
SimdLevel simd_level();

/// Binds the calling thread to these processors. Empty: does nothing. Failure is logged, not thrown.
void bind_thread(const std::vector<unsigned>& cores);

}  // namespace atl
