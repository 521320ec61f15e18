// SPDX-License-Identifier: Apache-2.0
// Collective operations on teams and active sets. Both determine the members and the data's location, and call the
// communicator. pSync and pWrk are not used and keep their values: the communicator has its own memory.
#pragma once

#include <complex>
#include <type_traits>

#include "atoll/runtime/one_sided.hpp"
#include "team.hpp"

namespace atl::shmem {

/// The PEs start, start + 2^log_stride, ….
struct ActiveSet {
  int start;
  int log_stride;
  int size;
};

/// A collective in progress: the caller's library and the communicator of the members.
class Collective {
 public:
  Collective(Call call, shmem_team_t team)
      : call_(call), library_(library(call)), communicator_(*library_.teams().find(call, team).communicator) {}
  /// All PEs.
  explicit Collective(Call call) : call_(call), library_(library(call)), communicator_(library_.world()) {}
  Collective(Call call, const ActiveSet& set)
      : call_(call),
        library_(library(call)),
        communicator_(library_.teams().active_set(call, set.start, set.log_stride, set.size)) {}

  coll::Communicator& communicator() { return communicator_; }

  void sync() {
    agree();
    communicator_.barrier();
  }
  void barrier() {
    // Data in mapped memory is visible to a reader that acquires the release of sync().
    library_.one_sided().quiet_far();
    sync();
  }
  enum class Root { writes_dest, keeps_dest };
  void broadcast(void* dest, const void* source, std::size_t count, std::size_t size, int root, Root rule);
  void collect(void* dest, const void* source, std::size_t count, std::size_t size);
  void fcollect(void* dest, const void* source, std::size_t count, std::size_t size);
  void alltoall(void* dest, const void* source, std::size_t count, std::size_t size);
  void alltoalls(void* dest, const void* source, std::ptrdiff_t dest_stride, std::ptrdiff_t source_stride,
                 std::size_t count, std::size_t size);
  enum class Kind { reduce, inclusive_scan, exclusive_scan };
  void reduce(void* dest, const void* source, std::size_t count, const coll::Reduction& reduction, Kind kind);

  /// The address of the same bytes in the segment, from which peers copy them directly.
  void* place(const char* argument, const void* address, std::size_t bytes) const {
    // Heap addresses are segment addresses.
    const Region& heap = library_.addresses().regions().front();
    if (reinterpret_cast<std::uintptr_t>(address) - heap.begin < heap.bytes && !library_.checking()) [[likely]]
      return const_cast<void*>(address);
    return place_outside(argument, address, bytes);
  }
  void check_root(int root) const {
    if (root < 0 || root >= communicator_.size()) [[unlikely]]
      refuse_root(root);
  }

 private:
  // With checks on: the members first compare their calls, so that different calls are reported instead of mixed up.
  void agree(std::uint64_t count = 0, int root = -1) {
    if (library_.checking()) [[unlikely]]
      compare(count, root);
  }
  void compare(std::uint64_t count, int root);
  [[noreturn]] void refuse_root(int root) const;
  void* place_outside(const char* argument, const void* address, std::size_t bytes) const;
  std::size_t bytes_of(std::size_t count, std::size_t size) const;
  void check_apart(const void* dest, std::size_t dest_bytes, const void* source, std::size_t source_bytes) const;

  Call call_;
  Library& library_;
  coll::Communicator& communicator_;
};

// C's complex numbers have the layout of C++'s.
template <class T>
struct Element {
  using type = T;
};
template <>
struct Element<shmemx_complexd> {
  using type = std::complex<double>;
};
template <>
struct Element<shmemx_complexf> {
  using type = std::complex<float>;
};

// The forms in the function table. `group` is a team or an active set.

template <class Group>
int team_sync(Call call, Group group) {
  Collective(call, group).sync();
  return 0;
}
inline void set_barrier(Call call, ActiveSet set) { Collective(call, set).barrier(); }
inline void set_sync(Call call, ActiveSet set) { Collective(call, set).sync(); }

inline int team_broadcast(Call call, shmem_team_t team, void* dest, const void* source, std::size_t count,
                          std::size_t size, int root) {
  Collective(call, team).broadcast(dest, source, count, size, root, Collective::Root::writes_dest);
  return 0;
}
inline void set_broadcast(Call call, void* dest, const void* source, std::size_t count, std::size_t size, int root,
                          ActiveSet set) {
  Collective(call, set).broadcast(dest, source, count, size, root, Collective::Root::keeps_dest);
}
template <class Group>
int collect(Call call, Group group, void* dest, const void* source, std::size_t count, std::size_t size) {
  Collective(call, group).collect(dest, source, count, size);
  return 0;
}
template <class Group>
int fcollect(Call call, Group group, void* dest, const void* source, std::size_t count, std::size_t size) {
  Collective(call, group).fcollect(dest, source, count, size);
  return 0;
}
template <class Group>
int alltoall(Call call, Group group, void* dest, const void* source, std::size_t count, std::size_t size) {
  Collective(call, group).alltoall(dest, source, count, size);
  return 0;
}
template <class Group>
int alltoalls(Call call, Group group, void* dest, const void* source, std::ptrdiff_t dest_stride,
              std::ptrdiff_t source_stride, std::size_t count, std::size_t size) {
  Collective(call, group).alltoalls(dest, source, dest_stride, source_stride, count, size);
  return 0;
}
template <class T, class Group>
int reduce(Call call, Group group, T* dest, const T* source, std::size_t count, coll::Op op) {
  Collective(call, group)
      .reduce(dest, source, count, coll::reduction_of<typename Element<T>::type>(op), Collective::Kind::reduce);
  return 0;
}
template <class T>
int inclusive_scan(Call call, shmem_team_t team, T* dest, const T* source, std::size_t count) {
  Collective(call, team)
      .reduce(dest, source, count, coll::reduction_of<typename Element<T>::type>(coll::Op::sum),
              Collective::Kind::inclusive_scan);
  return 0;
}
template <class T>
int exclusive_scan(Call call, shmem_team_t team, T* dest, const T* source, std::size_t count) {
  Collective(call, team)
      .reduce(dest, source, count, coll::reduction_of<typename Element<T>::type>(coll::Op::sum),
              Collective::Kind::exclusive_scan);
  return 0;
}

void set_lock(Call call, long* lock);
int test_lock(Call call, long* lock);
void clear_lock(Call call, long* lock);

}  // namespace atl::shmem
