// SPDX-License-Identifier: Apache-2.0
#include "setup.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "environment.hpp"

namespace atl::shmem {
namespace {

// Serialises initialisation and exit; counts the init calls that finalize has not matched yet.
std::mutex mutex;
int depth = 0;
bool implicit = false;  // start_pes was called, which finalizes at exit
pid_t owner = 0;        // a forked child has nothing to finalize

void enter(Call call, int level) {
  std::lock_guard lock(mutex);
  if (depth++ > 0) return;
  owner = ::getpid();
  config::validate_environment();
  detail::instance = new Library(level);
  if (detail::instance->pe().value() == 0) print_start_up();
}

void leave() {
  std::lock_guard lock(mutex);
  if (depth > 1) {
    detail::instance->one_sided().quiet();
    detail::instance->world().barrier();
    --depth;
    return;
  }
  detail::instance->leave();
  delete std::exchange(detail::instance, nullptr);
  depth = 0;
}

void finalize_at_exit() {
  if (detail::instance == nullptr || ::getpid() != owner || detail::instance->job().exit_requested()) return;
  try {
    leave();
  } catch (...) { fail_by_exception(Call{"exit"}); }
}

}  // namespace

// All functions are thread-safe, so every thread level costs the same. Only the provided level is stored.
void init(Call call) { enter(call, SHMEM_THREAD_MULTIPLE); }

int init_thread(Call call, int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE)
    fail(call, "argument 'requested': {} is not a thread level", requested);
  enter(call, requested);
  *provided = detail::instance->thread_level();
  return 0;
}

// A superfluous finalize is undefined behaviour in the standard. Bale's programs call it after --help, and other
// implementations ignore it.
void finalize(Call call) {
  if (detail::instance == nullptr && config::choice(config::Variable::shmem_check) == 0) return;
  (void)library(call);
  leave();
}

void global_exit(Call call, int status) {
  library(call).job().request_exit(status);
  // Flushes the program's output buffers; without a library nothing else has to end.
  std::exit(status);
}

void query_initialized(Call, int* initialized) { *initialized = detail::instance != nullptr; }

// The standard allows this call at any time.
void query_thread(Call, int* provided) {
  *provided = detail::instance == nullptr ? SHMEM_THREAD_SINGLE : detail::instance->thread_level();
}

int my_pe(Call call) { return static_cast<int>(library(call).pe().value()); }

int n_pes(Call call) { return static_cast<int>(library(call).npes()); }

int pe_accessible(Call call, int pe) { return pe >= 0 && static_cast<std::uint32_t>(pe) < library(call).npes(); }

int addr_accessible(Call call, const void* address, int pe) {
  return pe_accessible(call, pe) != 0 && library(call).addresses().offset_of(address, 1).has_value();
}

void* pointer_to(Call call, const void* address, int pe) {
  Library& here = library(call);
  if (pe_accessible(call, pe) == 0) {
    if (here.checking()) fail(call, "argument 'pe': there is no PE {}: the job has PEs 0 to {}", pe, here.npes() - 1);
    return nullptr;
  }
  auto at = here.addresses().offset_of(address, 1);
  if (!at) return nullptr;
  if (static_cast<std::uint32_t>(pe) == here.pe().value()) return const_cast<void*>(address);
  return here.one_sided().peer_pointer(PeId(static_cast<std::uint32_t>(pe)), *at);
}

void info_get_version(Call, int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void info_get_name(Call, char* name) { std::strncpy(name, SHMEM_VENDOR_STRING, SHMEM_MAX_NAME_LEN); }

}  // namespace atl::shmem

extern "C" void shmemx_start_pes_v1(int) try {
  using namespace atl::shmem;
  {
    std::lock_guard lock(mutex);
    if (depth > 0) return;
  }
  init(Call{"start_pes"});
  if (!std::exchange(implicit, true)) std::atexit(finalize_at_exit);
} catch (...) { atl::shmem::fail_by_exception(atl::shmem::Call{"start_pes"}); }
