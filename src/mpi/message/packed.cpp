// SPDX-License-Identifier: Apache-2.0
#include "message/packed.hpp"

#include <atomic>
#include <cstdint>

#include "atoll/base/error.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "core/failure.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

// More than a message of most programs needs, and a small part of most heaps.
constexpr std::uint64_t most_in_heap = std::uint64_t{64} << 20;
// Below this amount the memory limit is not queried.
constexpr std::uint64_t always_there = std::uint64_t{16} << 20;

std::atomic<std::uint64_t> in_heap{0}, in_all{0};

/// Reserves bytes of a limited amount until they are kept or returned.
class Share {
 public:
  Share(std::atomic<std::uint64_t>& of, std::uint64_t bytes)
      : of_(of), bytes_(bytes), with_it_(of.fetch_add(bytes, std::memory_order_relaxed) + bytes) {}
  ~Share() {
    if (!kept_) of_.fetch_sub(bytes_, std::memory_order_relaxed);
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  std::uint64_t with_it() const { return with_it_; }
  void keep() { kept_ = true; }

 private:
  std::atomic<std::uint64_t>& of_;
  std::uint64_t bytes_, with_it_;
  bool kept_ = false;
};

void check(const Share& share) {
  if (share.with_it() <= always_there) [[likely]]
    return;
  const std::uint64_t most = library().memory().heap().stats().limit_bytes;
  ATOLL_MPI_REQUIRE(
      share.with_it() <= most, MPI_ERR_NO_MEM,
      "copies of messages under way would take {} bytes, and this rank may use {}: wait for some of them first, or raise "
      "ATOLL_MEMORY_LIMIT",
      share.with_it(), most);
}

// Memory of the heap; empty when there is too little.
Packed room_in_heap(std::size_t bytes) {
  Share of_heap(in_heap, bytes), share(in_all, bytes);
  if (of_heap.with_it() > most_in_heap) return {};
  check(share);
  try {
    Packed room(static_cast<std::byte*>(library().memory().heap().allocate(bytes)), {bytes, true});
    of_heap.keep();
    share.keep();
    return room;
  } catch (const MemoryError&) { return {}; }
}

}  // namespace

void GiveBack::operator()(std::byte* room) const {
  in_all.fetch_sub(bytes, std::memory_order_relaxed);
  if (!is_in_heap) {
    delete[] room;
    return;
  }
  in_heap.fetch_sub(bytes, std::memory_order_relaxed);
  if (is_active()) library().memory().heap().release(room);
}

Packed pack_room(std::size_t bytes) {
  Share share(in_all, bytes);
  check(share);
  Packed room(new std::byte[bytes], {bytes});
  share.keep();
  return room;
}

Packed pack_room_in_heap(std::size_t bytes) {
  if (Packed room = room_in_heap(bytes)) return room;
  return pack_room(bytes);  // costs one more copy
}

}  // namespace atl::mpi
