// SPDX-License-Identifier: Apache-2.0
#include "atoll/device/driver.hpp"

#include <dlfcn.h>

#include <mutex>

#include "atoll/base/log.hpp"

namespace atl::device {
namespace {

// Entries outside the dynamic linker's list: with `endless` as newest, may_be_loaded() is always true; with `end`,
// never.
constinit link_map endless{0, nullptr, nullptr, &endless, nullptr};
constinit link_map end{};

constexpr const char* cuda_library = "libcuda.so.1";

std::mutex mutex;
std::atomic<const Driver*> found{nullptr};
bool always = false;
bool refused = false;  // the loaded library with the driver's name lacks its functions
void* held = nullptr;  // keeps the entry that detail::newest names

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr)
    log(LogLevel::warning, "{} has no {} (it is no driver, or too old). Device memory is not supported", cuda_library,
        name);
  return function != nullptr;
}

const Driver* bind_cuda(void* library) {
  static Driver cuda;
  const bool complete =
      find(library, "cuGetErrorName", cuda.get_error_name) &&
      find(library, "cuPointerGetAttributes", cuda.pointer_get_attributes) &&
      find(library, "cuDevicePrimaryCtxRetain", cuda.primary_context_retain) &&
      find(library, "cuCtxPushCurrent_v2", cuda.context_push) &&
      find(library, "cuCtxPopCurrent_v2", cuda.context_pop) && find(library, "cuStreamCreate", cuda.stream_create) &&
      find(library, "cuStreamDestroy_v2", cuda.stream_destroy) &&
      find(library, "cuStreamSynchronize", cuda.stream_synchronize) &&
      find(library, "cuStreamWaitEvent", cuda.stream_wait_event) && find(library, "cuEventCreate", cuda.event_create) &&
      find(library, "cuEventDestroy_v2", cuda.event_destroy) && find(library, "cuEventRecord", cuda.event_record) &&
      find(library, "cuEventSynchronize", cuda.event_synchronize) && find(library, "cuMemcpyAsync", cuda.copy_async) &&
      find(library, "cuMemcpy2DAsync_v2", cuda.copy_rows_async) &&
      find(library, "cuMemHostRegister_v2", cuda.host_register) &&
      find(library, "cuMemHostUnregister", cuda.host_unregister);
  return complete ? &cuda : nullptr;
}

// The last entry of the dynamic linker's list. dl_iterate_phdr() locks the list during the callback.
const link_map* last_entry() {
  const link_map* last = nullptr;
  ::dl_iterate_phdr(
      [](dl_phdr_info*, std::size_t, void* into) {
        const link_map* at = _r_debug.r_map;
        while (at->l_next != nullptr) at = at->l_next;
        *static_cast<const link_map**>(into) = at;
        return 1;
      },
      &last);
  return last;
}

// A reference to the library of that entry. Null: it was closed, or dlopen() cannot refer to it.
void* hold(const link_map* entry) {
  void* library = ::dlopen(entry->l_name, RTLD_LAZY | RTLD_NOLOAD);
  link_map* of = nullptr;
  if (library != nullptr && ::dlinfo(library, RTLD_DI_LINKMAP, &of) == 0 && of == entry) return library;
  if (library != nullptr) ::dlclose(library);
  return nullptr;
}

// Watches the end of the list. The dynamic linker frees an entry with its library, so the watched library is kept open.
// One that the program closes is therefore unloaded only when the next library has been loaded.
void watch_list() {
  constexpr int attempts = 4;  // a library may be closed between last_entry() and hold()
  for (int i = 0; i < attempts; ++i) {
    const link_map* last = last_entry();
    if (void* library = hold(last)) {
      detail::newest.store(last, std::memory_order_relaxed);
      if (held != nullptr) ::dlclose(held);
      held = library;
      return;
    }
  }
  detail::newest.store(&endless, std::memory_order_relaxed);
}

}  // namespace

namespace detail {
constinit std::atomic<const link_map*> newest{&endless};
}

const Driver* driver() {
  if (const Driver* known = found.load(std::memory_order_acquire)) return known;  // partner: the store below
  if (!may_be_loaded()) return nullptr;
  std::lock_guard lock(mutex);
  if (found.load(std::memory_order_relaxed) != nullptr || refused) return found;
  if (void* library = ::dlopen(cuda_library, RTLD_LAZY | RTLD_NOLOAD)) {
    const Driver* bound = bind_cuda(library);
    refused = bound == nullptr;
    detail::newest.store(refused && !always ? &end : &endless, std::memory_order_relaxed);
    found.store(bound, std::memory_order_release);  // the table; partner: the load above
    return bound;
  }
  if (!always) watch_list();
  return nullptr;
}

void look_always() {
  std::lock_guard lock(mutex);
  always = true;
  detail::newest.store(&endless, std::memory_order_relaxed);
}

}  // namespace atl::device
