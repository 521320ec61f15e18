// SPDX-License-Identifier: Apache-2.0
// Memory of the fake driver: allocations of all kinds, their attributes, and handles for other processes.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "fake.hpp"

namespace fake {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t memory_bytes = std::size_t{1} << 30;  // of each device

struct Memory {
  std::mutex mutex;
  std::map<std::uintptr_t, std::shared_ptr<Block>> blocks;      // by start
  std::multimap<std::size_t, std::uintptr_t> free_ranges;       // addresses are used again at once
  std::map<CUmemGenericAllocationHandle, std::pair<int, std::size_t>> created;  // file and size
  std::size_t used[2] = {};
  std::uint64_t next_id = 1;
};
Memory& memory() {
  static auto& all = *new Memory;
  return all;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

std::uintptr_t take_range(std::size_t bytes) {
  auto found = memory().free_ranges.find(bytes);
  if (found != memory().free_ranges.end()) {
    const std::uintptr_t start = found->second;
    memory().free_ranges.erase(found);
    return start;
  }
  void* range = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(range);
}

void give_range(std::uintptr_t start, std::size_t bytes) {
  ::mmap(reinterpret_cast<void*>(start), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
  memory().free_ranges.emplace(bytes, start);
}

int make_file(std::size_t bytes) {
  const int file = ::memfd_create("fake-gpu", MFD_CLOEXEC);
  if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return ::close(file), -1;
  return file;
}

// A new block ends when the last copy that uses it does.
std::shared_ptr<Block> make_block() {
  return {new Block, [](Block* block) {
            if (block->alias != nullptr && block->is_device()) ::munmap(block->alias, block->bytes);
            if (block->file >= 0) ::close(block->file);
            delete block;
          }};
}

// Maps a file where programs and the driver see it.
CUresult show(Block& block) {
  const int hidden = PROT_NONE;
  if (::mmap(reinterpret_cast<void*>(block.start), block.bytes, hidden, MAP_SHARED | MAP_FIXED, block.file, 0) ==
      MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void* alias = ::mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, block.file, 0);
  if (alias == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  block.alias = static_cast<std::byte*>(alias);
  return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* address, std::size_t bytes, Kind kind) {
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  std::lock_guard lock(memory().mutex);
  auto block = make_block();
  block->bytes = whole_pages(bytes);
  block->kind = kind;
  block->context = current();
  block->device = device_of(current());
  if (memory().used[block->device] + block->bytes > memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  block->id = memory().next_id++;
  block->file = make_file(block->bytes);
  block->start = take_range(block->bytes);
  if (block->file < 0 || block->start == 0 || show(*block) != CUDA_SUCCESS) return CUDA_ERROR_OUT_OF_MEMORY;
  // Memory is never zero by itself.
  std::memset(block->alias, 0xA5, block->bytes);
  memory().used[block->device] += block->bytes;
  memory().blocks[block->start] = block;
  *address = block->start;
  return CUDA_SUCCESS;
}

std::shared_ptr<Block> take_block(std::uintptr_t start) {
  std::lock_guard lock(memory().mutex);
  auto node = memory().blocks.extract(start);
  if (node.empty()) return nullptr;
  std::shared_ptr<Block> block = node.mapped();
  if (block->is_device()) {
    if (block->kind != Kind::imported) memory().used[block->device] -= block->bytes;
    if (block->kind == Kind::virtual_memory)
      ::mmap(reinterpret_cast<void*>(start), block->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    else give_range(block->start, block->bytes);
  }
  return block;
}

std::shared_ptr<Block> block_at(std::uintptr_t address) {
  std::lock_guard lock(memory().mutex);
  auto after = memory().blocks.upper_bound(address);
  if (after == memory().blocks.begin()) return nullptr;
  const std::shared_ptr<Block>& block = std::prev(after)->second;
  return address < block->start + block->bytes ? block : nullptr;
}

CUresult add_host(void* address, std::size_t bytes, Kind kind) {
  std::lock_guard lock(memory().mutex);
  auto block = make_block();
  block->start = reinterpret_cast<std::uintptr_t>(address);
  block->bytes = bytes;
  block->kind = kind;
  block->context = current();
  block->device = current() == nullptr ? 0 : device_of(current());
  block->id = memory().next_id++;
  block->alias = static_cast<std::byte*>(address);
  memory().blocks[block->start] = block;
  return CUDA_SUCCESS;
}

template <class T>
void put(void* into, T value) {
  std::memcpy(into, &value, sizeof value);
}

}  // namespace

CUresult find_range(std::uintptr_t address, std::size_t bytes, Range& range) {
  range.block = block_at(address);
  if (!range.block) {
    range.at = reinterpret_cast<std::byte*>(address);
    return CUDA_SUCCESS;
  }
  if (range.block->is_device() && !is_alive(range.block->context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  const std::size_t offset = address - range.block->start;
  if (bytes > range.block->bytes - offset) return CUDA_ERROR_INVALID_VALUE;
  range.at = range.block->alias + offset;
  return CUDA_SUCCESS;
}

}  // namespace fake

using namespace fake;

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  ENTER();
  return allocate(address, bytes, Kind::device);
}

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream) {
  ENTER();
  return allocate(address, bytes, Kind::pool);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  ENTER();
  std::shared_ptr<Block> block = block_at(address);
  if (!block || block->start != address) return CUDA_ERROR_INVALID_VALUE;
  synchronize_context(block->context);
  take_block(address);
  if (block->kind == Kind::managed) ::munmap(block->alias, block->bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) { return cuMemFree_v2(address); }

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned) {
  ENTER();
  void* made = ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<std::uintptr_t>(made);
  return add_host(made, whole_pages(bytes), Kind::managed);
}

CUresult cuMemAllocHost_v2(void** address, size_t bytes) {
  ENTER();
  *address = std::aligned_alloc(page, whole_pages(bytes));
  return *address == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : add_host(*address, whole_pages(bytes), Kind::pinned);
}

CUresult cuMemFreeHost(void* address) {
  ENTER();
  if (!take_block(reinterpret_cast<std::uintptr_t>(address))) return CUDA_ERROR_INVALID_VALUE;
  std::free(address);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* address, size_t bytes, unsigned) {
  ENTER();
  return add_host(address, bytes, Kind::pinned);
}

CUresult cuMemHostUnregister(void* address) {
  ENTER();
  return take_block(reinterpret_cast<std::uintptr_t>(address)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  ENTER();
  std::lock_guard lock(memory().mutex);
  *address = take_range(whole_pages(bytes));
  return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  ENTER();
  std::lock_guard lock(memory().mutex);
  give_range(address, whole_pages(bytes));
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const void*, unsigned long long) {
  ENTER();
  std::lock_guard lock(memory().mutex);
  const int file = make_file(whole_pages(bytes));
  if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = static_cast<CUmemGenericAllocationHandle>(file) + 1;
  memory().created[*handle] = {file, whole_pages(bytes)};
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  ENTER();
  std::lock_guard lock(memory().mutex);
  auto node = memory().created.extract(handle);
  if (node.empty()) return CUDA_ERROR_INVALID_VALUE;
  ::close(node.mapped().first);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t, CUmemGenericAllocationHandle handle, unsigned long long) {
  ENTER();
  std::lock_guard lock(memory().mutex);
  auto found = memory().created.find(handle);
  if (found == memory().created.end() || found->second.second != whole_pages(bytes)) return CUDA_ERROR_INVALID_VALUE;
  auto block = make_block();
  block->start = address;
  block->bytes = whole_pages(bytes);
  block->kind = Kind::virtual_memory;  // of no context
  block->device = current() == nullptr ? 0 : device_of(current());
  block->id = memory().next_id++;
  block->file = ::dup(found->second.first);
  if (CUresult result = show(*block); result != CUDA_SUCCESS) return result;
  memory().used[block->device] += block->bytes;
  memory().blocks[block->start] = block;
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t) {
  ENTER();
  return take_block(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttributes(unsigned count, int* attributes, void** data, CUdeviceptr address) {
  ENTER();
  const std::shared_ptr<Block> block = block_at(address);
  const bool of_context = block && block->kind != Kind::virtual_memory && block->kind != Kind::pool;
  for (unsigned i = 0; i < count; ++i) switch (attributes[i]) {
      case 1: put<CUcontext>(data[i], of_context ? block->context : nullptr); break;
      case 2: put<unsigned>(data[i], !block ? 0 : block->kind == Kind::pinned ? 1 : 2); break;
      case 7: put<unsigned long long>(data[i], block ? block->id : 0); break;
      case 8: put<unsigned>(data[i], block && block->kind == Kind::managed); break;
      case 9: put<int>(data[i], block ? block->device : -2); break;
      case 11: put<CUdeviceptr>(data[i], block ? block->start : 0); break;
      case 12: put<std::size_t>(data[i], block ? block->bytes : 0); break;
      default: return CUDA_ERROR_INVALID_VALUE;
    }
  return CUDA_SUCCESS;
}

// ---- other processes

namespace {
struct IpcHandle {
  std::uint64_t pid, file, bytes, device;
};
static_assert(sizeof(IpcHandle) <= sizeof(CUipcMemHandle));

bool refuses_ipc() {
  const char* allowed = std::getenv("FAKE_CUDA_IPC");
  return allowed != nullptr && std::strcmp(allowed, "0") == 0;
}
}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  ENTER();
  if (refuses_ipc()) return CUDA_ERROR_NOT_SUPPORTED;
  const std::shared_ptr<Block> block = block_at(address);
  if (!block || block->kind != Kind::device) return CUDA_ERROR_INVALID_VALUE;  // as real ones refuse pools
  const IpcHandle made{static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(block->file), block->bytes,
                       static_cast<std::uint64_t>(block->device)};
  *handle = {};
  std::memcpy(handle, &made, sizeof made);
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned) {
  ENTER();
  IpcHandle of;
  std::memcpy(&of, &handle, sizeof of);
  if (refuses_ipc()) return CUDA_ERROR_NOT_SUPPORTED;
  if (of.pid == static_cast<std::uint64_t>(::getpid())) return CUDA_ERROR_INVALID_CONTEXT;  // as real ones do
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%llu/fd/%llu", static_cast<unsigned long long>(of.pid),
                static_cast<unsigned long long>(of.file));
  std::lock_guard lock(memory().mutex);
  auto block = make_block();
  block->bytes = of.bytes;
  block->kind = Kind::imported;
  block->context = current();
  block->device = static_cast<int>(of.device);
  block->id = memory().next_id++;
  block->file = ::open(path, O_RDWR | O_CLOEXEC);
  block->start = take_range(block->bytes);
  if (block->file < 0 || block->start == 0 || show(*block) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_HANDLE;
  memory().blocks[block->start] = block;
  *address = block->start;
  return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  ENTER();
  return take_block(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
