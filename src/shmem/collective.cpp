// SPDX-License-Identifier: Apache-2.0
#include "collective.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "atoll/runtime/heap.hpp"
#include "atoll/runtime/lock.hpp"
#include "atoll/runtime/one_sided.hpp"

namespace atl::shmem {
namespace {

template <class Word>
void copy_words(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step, std::size_t count) {
  for (; count != 0; --count, to += to_step, from += from_step) {
    Word word;
    std::memcpy(&word, from, sizeof(Word));
    std::memcpy(to, &word, sizeof(Word));
  }
}

// Copies `count` elements of `size` bytes from one stride to another; strides count elements.
void copy_strided(void* to, std::size_t to_stride, const void* from, std::size_t from_stride, std::size_t count,
                  std::size_t size) {
  auto* out = static_cast<std::byte*>(to);
  auto* in = static_cast<const std::byte*>(from);
  if (to_stride == 1 && from_stride == 1) return void(std::memcpy(out, in, count * size));
  switch (size) {
    case 1: return copy_words<std::uint8_t>(out, to_stride, in, from_stride, count);
    case 2: return copy_words<std::uint16_t>(out, 2 * to_stride, in, 2 * from_stride, count);
    case 4: return copy_words<std::uint32_t>(out, 4 * to_stride, in, 4 * from_stride, count);
    case 8: return copy_words<std::uint64_t>(out, 8 * to_stride, in, 8 * from_stride, count);
  }
  for (; count != 0; --count, out += to_stride * size, in += from_stride * size) std::memcpy(out, in, size);
}

// A packed buffer in the segment, which peers access without a further copy.
class Packed {
 public:
  Packed(runtime::Heap& heap, std::size_t bytes) : heap_(heap), block_(heap.allocate(bytes)) {}
  ~Packed() { heap_.release(block_); }
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  void* get() const { return block_; }

 private:
  runtime::Heap& heap_;
  void* block_;
};

runtime::Lock lock_at(Call call, long* lock) {
  Library& here = library(call);
  auto at = here.addresses().offset_of(lock, sizeof(long));
  if (!at) [[unlikely]]
    fail(call, "argument 'lock': {} is not a symmetric address", fmt::ptr(lock));
  return {here.one_sided(), here.progress(), *at};
}

}  // namespace

std::size_t Collective::bytes_of(std::size_t count, std::size_t size) const {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) [[unlikely]]
    fail(call_, "argument 'nelems': {} elements are more than there is memory", count);
  return bytes;
}

void* Collective::place_outside(const char* argument, const void* address, std::size_t bytes) const {
  auto* own = const_cast<void*>(address);
  if (bytes == 0) return own;
  if (auto at = library_.addresses().offset_of(address, bytes)) return library_.one_sided().local_pointer(*at);
  if (library_.checking())
    fail(call_, "argument '{}': {} bytes at {} are not symmetric memory", argument, bytes, address);
  return own;
}

void Collective::check_apart(const void* dest, std::size_t dest_bytes, const void* source,
                             std::size_t source_bytes) const {
  if (!library_.checking() || dest_bytes == 0 || source_bytes == 0) return;
  auto to = reinterpret_cast<std::uintptr_t>(dest), from = reinterpret_cast<std::uintptr_t>(source);
  if (to < from + source_bytes && from < to + dest_bytes) fail(call_, "arguments 'dest' and 'source' overlap");
}

void Collective::compare(std::uint64_t count, int root) {
  struct Arrival {
    char name[48];
    std::uint64_t count;
    std::int64_t root;
  };
  Arrival mine{{}, count, root};
  std::strncpy(mine.name, call_.name, sizeof(mine.name) - 1);
  auto all = communicator_.allgather(mine);
  const Arrival& first = all.front();
  for (std::size_t member = 1; member < all.size(); ++member) {
    const Arrival& other = all[member];
    auto pe = [&](std::size_t of) { return communicator_.pe(static_cast<int>(of)).value(); };
    if (std::strcmp(other.name, first.name) != 0)
      fail(call_, "PE {} has called {} and PE {} {}. Make the same collective calls on all PEs, in the same order",
           pe(0), first.name, pe(member), other.name);
    if (other.count != first.count)
      fail(call_, "argument 'nelems': it is {} on PE {} and {} on PE {}, but has to be one on all PEs", first.count,
           pe(0), other.count, pe(member));
    if (other.root != first.root)
      fail(call_, "argument 'PE_root': it is {} on PE {} and {} on PE {}, but has to be one on all PEs", first.root,
           pe(0), other.root, pe(member));
  }
}

void Collective::refuse_root(int root) const {
  fail(call_, "argument 'PE_root': there is no PE {} among {}", root, communicator_.size());
}

void Collective::broadcast(void* dest, const void* source, std::size_t count, std::size_t size, int root, Root rule) {
  std::size_t bytes = bytes_of(count, size);
  check_root(root);
  agree(count, root);
  void* to = place("dest", dest, bytes);
  void* from = place("source", source, bytes);
  if (to != from) check_apart(to, bytes, from, bytes);
  communicator_.broadcast(from, rule == Root::writes_dest || communicator_.rank() != root ? to : from, bytes, root);
}

void Collective::fcollect(void* dest, const void* source, std::size_t count, std::size_t size) {
  std::size_t bytes = bytes_of(count, size);
  agree(count);
  auto members = static_cast<std::size_t>(communicator_.size());
  void* to = place("dest", dest, bytes_of(bytes, members));
  void* from = place("source", source, bytes);
  check_apart(to, bytes * members, from, bytes);
  communicator_.allgather(from, bytes, to);
}

void Collective::collect(void* dest, const void* source, std::size_t count, std::size_t size) {
  std::size_t bytes = bytes_of(count, size);
  agree();
  auto sizes = communicator_.allgather<std::uint64_t>(bytes);
  std::size_t total = 0;
  for (std::uint64_t one : sizes)
    if (__builtin_add_overflow(total, one, &total)) [[unlikely]]
      fail(call_, "argument 'nelems': all members together give more than there is memory");
  auto* to = static_cast<std::byte*>(place("dest", dest, total));
  void* from = place("source", source, bytes);
  check_apart(to, total, from, bytes);
  std::vector<coll::Block> blocks;
  for (std::uint64_t one : sizes) {
    blocks.push_back({to, one});
    to += one;
  }
  communicator_.allgatherv(from, bytes, blocks);
}

void Collective::alltoall(void* dest, const void* source, std::size_t count, std::size_t size) {
  std::size_t bytes = bytes_of(count, size);
  agree(count);
  std::size_t all = bytes_of(bytes, static_cast<std::size_t>(communicator_.size()));
  void* to = place("dest", dest, all);
  void* from = place("source", source, all);
  check_apart(to, all, from, all);
  communicator_.alltoall(from, bytes, to, coll::Destination::symmetric);
}

void Collective::alltoalls(void* dest, const void* source, std::ptrdiff_t dest_stride, std::ptrdiff_t source_stride,
                           std::size_t count, std::size_t size) {
  if (dest_stride < 1 || source_stride < 1) [[unlikely]]
    fail(call_, "arguments 'dst' and 'sst' are {} and {}: strides start at 1", dest_stride, source_stride);
  agree(count);
  auto members = static_cast<std::size_t>(communicator_.size());
  std::size_t bytes = bytes_of(count, size);
  std::size_t elements = bytes_of(count, members);
  if (bytes_of(elements, size) == 0) return communicator_.alltoall(source, 0, dest);
  auto reach = [&](std::ptrdiff_t stride) {
    return bytes_of(bytes_of(elements - 1, static_cast<std::size_t>(stride)) + 1, size);
  };
  void* to = place("dest", dest, reach(dest_stride));
  void* from = place("source", source, reach(source_stride));
  check_apart(to, reach(dest_stride), from, reach(source_stride));
  if (dest_stride == 1 && source_stride == 1)
    return communicator_.alltoall(from, bytes, to, coll::Destination::symmetric);
  // Consecutive blocks at the stride equal all elements at the stride.
  Packed out(library_.heap(), elements * size), in(library_.heap(), elements * size);
  copy_strided(out.get(), 1, from, static_cast<std::size_t>(source_stride), elements, size);
  communicator_.alltoall(out.get(), bytes, in.get());
  copy_strided(to, static_cast<std::size_t>(dest_stride), in.get(), 1, elements, size);
}

void Collective::reduce(void* dest, const void* source, std::size_t count, const coll::Reduction& reduction,
                        Kind kind) {
  std::size_t bytes = bytes_of(count, reduction.element_bytes());
  agree(count);
  void* to = place("dest", dest, bytes);
  void* from = place("source", source, bytes);
  if (to != from) check_apart(to, bytes, from, bytes);
  switch (kind) {
    case Kind::reduce: return communicator_.allreduce(from, to, count, reduction);
    case Kind::inclusive_scan: return communicator_.scan(from, to, count, reduction);
    case Kind::exclusive_scan: return communicator_.exscan(from, to, count, reduction);
  }
}

void set_lock(Call call, long* lock) { lock_at(call, lock).set(); }

int test_lock(Call call, long* lock) { return lock_at(call, lock).test() ? 0 : 1; }

void clear_lock(Call call, long* lock) { lock_at(call, lock).clear(); }

}  // namespace atl::shmem
