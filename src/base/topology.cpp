// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/topology.hpp"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"

namespace atl {
namespace {

std::uint64_t read_number(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : std::numeric_limits<std::uint64_t>::max();  // absent, or "max"
}

std::uint64_t meminfo_bytes(std::string_view wanted) {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kib = 0;
  while (file >> key >> kib && std::getline(file, unit))
    if (key == wanted) return kib * 1024;
  return 0;
}

// Memory of the node, and what of it is free: from the kernel's files, or without /proc from a system call, which knows
// nothing of the page cache and so tells less than is available.
struct NodeMemory {
  std::uint64_t total_bytes = 0, available_bytes = 0;
};

NodeMemory memory_without_proc() {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) return {std::uint64_t{1} << 30, std::uint64_t{1} << 28};
  return {std::uint64_t{info.totalram} * info.mem_unit, (std::uint64_t{info.freeram} + info.bufferram) * info.mem_unit};
}

std::uint64_t total_memory_bytes() {
  const std::uint64_t total = meminfo_bytes("MemTotal:");
  return total != 0 ? total : memory_without_proc().total_bytes;
}

std::vector<unsigned> members(hwloc_const_bitmap_t set) {
  std::vector<unsigned> list;
  for (int id = hwloc_bitmap_first(set); id >= 0; id = hwloc_bitmap_next(set, id))
    list.push_back(static_cast<unsigned>(id));
  return list;
}

}  // namespace

Topology read_topology() {
  Topology found;
  hwloc_topology_t handle = nullptr;
  hwloc_topology_init(&handle);
  const bool loaded = hwloc_topology_load(handle) == 0;  // else it holds nothing

  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  const bool made_up = loaded && hwloc_topology_is_thissystem(handle) == 0;
  auto may_use = [&](unsigned core) { return made_up || (core < CPU_SETSIZE && CPU_ISSET(core, &allowed)); };

  for (int i = 0; i < hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_CORE); ++i) {
    auto threads = members(hwloc_get_obj_by_type(handle, HWLOC_OBJ_CORE, static_cast<unsigned>(i))->cpuset);
    auto usable = std::find_if(threads.begin(), threads.end(), may_use);
    if (usable != threads.end()) found.cores.push_back(*usable);
  }
  if (found.cores.empty() && !made_up)
    for (unsigned core = 0; core < CPU_SETSIZE; ++core)
      if (may_use(core)) found.cores.push_back(core);

  for (int i = 0; i < hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_NUMANODE); ++i) {
    hwloc_obj_t node = hwloc_get_obj_by_type(handle, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
    NumaDomain domain;
    domain.memory_bytes = node->attr->numanode.local_memory;
    for (unsigned core : members(node->cpuset))
      if (may_use(core)) domain.cores.push_back(core);
    if (!domain.cores.empty()) found.numa.push_back(std::move(domain));
  }
  for (int i = 0; i < hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_PACKAGE); ++i) {
    std::vector<unsigned> cores;
    for (unsigned core : members(hwloc_get_obj_by_type(handle, HWLOC_OBJ_PACKAGE, static_cast<unsigned>(i))->cpuset))
      if (may_use(core)) cores.push_back(core);
    if (!cores.empty()) found.sockets.push_back(std::move(cores));
  }
  if (hwloc_obj_t l2 = hwloc_get_obj_by_type(handle, HWLOC_OBJ_L2CACHE, 0)) found.l2_bytes = l2->attr->cache.size;
  if (hwloc_obj_t package = hwloc_get_obj_by_type(handle, HWLOC_OBJ_PACKAGE, 0))
    if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel")) found.processor = model;
  hwloc_topology_destroy(handle);

  found.memory_bytes = std::min(total_memory_bytes(), read_number("/sys/fs/cgroup/memory.max"));
  return found;
}

const Topology& topology() {
  static const Topology found = read_topology();
  return found;
}

std::vector<Resource> bound_resources() {
  struct Kind {
    std::string_view name;
    hwloc_obj_type_t type;
  };
  constexpr Kind kinds[] = {{"Machine", HWLOC_OBJ_MACHINE},   {"Package", HWLOC_OBJ_PACKAGE},
                            {"NUMANode", HWLOC_OBJ_NUMANODE}, {"L3Cache", HWLOC_OBJ_L3CACHE},
                            {"L2Cache", HWLOC_OBJ_L2CACHE},   {"L1Cache", HWLOC_OBJ_L1CACHE},
                            {"Core", HWLOC_OBJ_CORE},         {"PU", HWLOC_OBJ_PU}};
  hwloc_topology_t handle = nullptr;
  hwloc_topology_init(&handle);
  const bool loaded = hwloc_topology_load(handle) == 0;
  hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  // Of a machine that is made up for hwloc the processors of this one say nothing.
  const bool known = loaded && hwloc_topology_is_thissystem(handle) != 0 &&
                     hwloc_get_cpubind(handle, bound, HWLOC_CPUBIND_THREAD) == 0 && hwloc_bitmap_iszero(bound) == 0;
  if (known) hwloc_bitmap_and(bound, bound, hwloc_topology_get_topology_cpuset(handle));
  std::vector<Resource> found;
  for (const Kind& kind : kinds) {
    Resource resource{kind.name};
    const int count = loaded ? hwloc_get_nbobjs_by_type(handle, kind.type) : 0;
    resource.exists = count > 0;
    for (int i = 0; known && i < count && resource.instance < 0; ++i) {
      hwloc_obj_t object = hwloc_get_obj_by_type(handle, kind.type, static_cast<unsigned>(i));
      if (object->cpuset != nullptr && hwloc_bitmap_isincluded(bound, object->cpuset) != 0) resource.instance = i;
    }
    found.push_back(resource);
  }
  hwloc_bitmap_free(bound);
  hwloc_topology_destroy(handle);
  return found;
}

std::uint64_t available_memory_bytes() {
  std::uint64_t available = meminfo_bytes("MemAvailable:");
  if (available == 0) available = memory_without_proc().available_bytes;
  std::uint64_t limit = read_number("/sys/fs/cgroup/memory.max");
  std::uint64_t used = read_number("/sys/fs/cgroup/memory.current");
  if (limit != std::numeric_limits<std::uint64_t>::max() && used <= limit)
    available = std::min(available, limit - used);
  return available;
}

std::string_view name_of(SimdLevel level) {
  constexpr std::string_view names[] = {"baseline", "sse4", "avx2", "avx512", "neon"};
  return names[static_cast<std::size_t>(level)];
}

SimdLevel processor_simd_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return SimdLevel::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return SimdLevel::avx2;
  return SimdLevel::sse4;
#elif defined(__aarch64__)
  return SimdLevel::neon;
#else
  return SimdLevel::baseline;
#endif
}

SimdLevel simd_level() {
  const SimdLevel best = processor_simd_level();
  const int choice = config::choice(config::Variable::simd);  // auto, then from the least on
  if (choice == 0) return best;
  const auto wanted = static_cast<SimdLevel>(choice);
  ATOLL_VALIDATE((wanted == SimdLevel::neon) == (best == SimdLevel::neon), ValueError,
                 "ATOLL_SIMD={} is of another kind of processor: the best that this one has is {}", name_of(wanted),
                 name_of(best));
  return std::min(best, wanted);
}

void bind_thread(const std::vector<unsigned>& cores) {
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned core : cores) CPU_SET(core, &set);
  if (int error = pthread_setaffinity_np(pthread_self(), sizeof(set), &set); error != 0)
    log(LogLevel::warning, "cannot bind to core {}: the thread runs unbound", cores.front());
}

}  // namespace atl
