// SPDX-License-Identifier: Apache-2.0
// Windows: memory that the ranks of a communicator expose to one another, and the epochs in which they access it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "atoll/fabric/queueing.hpp"
#include "comm/comm.hpp"
#include "datatype/pack.hpp"
#include "flow/exchange.hpp"
#include "win/attached.hpp"

namespace atl::mpi {

namespace win {

using datatype::Count;

/// Lock words in each rank's segment, one pair per window: | lock: 8 | combine: 8 |, each in its own cache line.
struct Control {
  /// MPI_Win_lock: number of readers, or `writer`. Changed by remote atomics only.
  alignas(64) std::uint64_t lock = 0;
  /// Held around accumulates that are not a single atomic instruction.
  alignas(64) std::atomic<std::uint64_t> combine{0};
};
static_assert(sizeof(Control) == 128);

inline constexpr std::uint64_t writer = std::uint64_t{1} << 63;

/// The exposed memory of one rank, and how this rank reaches it.
struct Target {
  std::uint64_t base = 0;   ///< in its own address space
  Count size = 0;
  Count unit = 1;
  std::uint64_t segment = 0;  ///< where its segment begins, there
  std::uint64_t control = 0;  ///< offset of its Control in its segment
  std::int64_t pid = 0;       ///< 0: on another host, or out of reach for process_vm_readv
  bool in_segment = false;  ///< whether it lies in the segment, which only processor atomics change concurrently
  // As seen from this rank:
  std::byte* mapped = nullptr;        ///< base, where its memory is mapped
  Control* here = nullptr;            ///< its Control, likewise
  std::uint32_t row = 0;              ///< row of attached() that contained the previous access
  /// The table of a dynamic window.
  Attached* attached() const { return reinterpret_cast<Attached*>(here + 1); }
  /// Whether all of it is attached; see Attached::covers().
  bool covers(std::uint64_t address, const datatype::Region& region, std::uint64_t begin, std::uint64_t end) {
    return attached()->covers(address, region, begin, end, row);
  }
};

class QueuedAccess;
class DeferredAccesses;

/// A target's answer that it did not carry out an order.
struct Refusal {
  std::int32_t rank = -1;  ///< the target; -1: no refusal
  std::int32_t error = 0;  ///< error class
};

}  // namespace win

class Window : public Object {
 public:
  using Handle = MPI_Win;
  static constexpr Kind kind = Kind::win;
  static constexpr int error_class = MPI_ERR_WIN;
  static constexpr const char* what = "window";
  static Handle null_handle() { return MPI_WIN_NULL; }

  enum class Flavor : int {
    create = MPI_WIN_FLAVOR_CREATE,
    allocate = MPI_WIN_FLAVOR_ALLOCATE,
    dynamic = MPI_WIN_FLAVOR_DYNAMIC,
    shared = MPI_WIN_FLAVOR_SHARED
  };
  /// Collective over `comm`, which the window owns. `base` is the `size` bytes of the program; ignored for flavors that
  /// allocate memory.
  Window(Ref<Comm> comm, Flavor flavor, void* base, win::Count size, int unit, Info::Entries hints);
  /// Collective. Call after the last use.
  void close();

  Comm& comm() const { return *comm_; }
  Flavor flavor() const { return flavor_; }
  win::Target& target(int rank) { return targets_[static_cast<std::size_t>(rank)]; }
  /// Throws Failure when the rank does not exist, or no epoch permits access to it. Null for MPI_PROC_NULL.
  win::Target* need_target(int rank);
  /// The fast path of need_target(): the target when its memory is mapped at a fixed address, else null.
  win::Target* quick_target(int rank) {
    if (static_cast<unsigned>(rank) >= targets_.size() || access_epochs.load(std::memory_order_relaxed) == 0 ||
        flavor_ == Flavor::dynamic)
      return nullptr;
    win::Target& one = targets_[static_cast<std::size_t>(rank)];
    return one.mapped == nullptr ? nullptr : &one;
  }
  bool is_me(int rank) const { return rank == comm_->rank(); }

  ErrorSlot* errors() override { return &errors_; }
  Attributes* attributes() override { return &attributes_; }
  std::string* name() override { return &name_; }
  std::optional<void*> own_attribute(int keyval) override;
  Info::Entries& hints() { return hints_; }

  // Epochs.
  struct Epochs {
    bool fence = false, lock_all = false, lock_all_checked = false;
    std::mutex mutex;  ///< guards `locks`: threads may lock different targets
    std::map<int, int> locks;  ///< by target: MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE
    Ref<Group> started, posted;  ///< by MPI_Win_start and MPI_Win_post
    std::unique_ptr<Exchange> sent, awaited;  ///< messages of MPI_Win_post
  };
  Epochs epochs;
  /// Number of open access epochs of this rank.
  std::atomic<int> access_epochs{0};
  /// Orders to remote targets whose answer has not arrived.
  std::atomic<std::uint64_t> pending{0};
  /// The last refusal by a remote target.
  std::atomic<win::Refusal> refused{win::Refusal{}};
  static_assert(std::atomic<win::Refusal>::is_always_lock_free);
  /// The network, if it has operations that do not wait for their target; else null.
  fabric::Queueing* const network;
  /// Accesses that are finished at the end of the epoch, or at a flush (queued.hpp), in the order of their calls.
  struct Queued {
    win::QueuedAccess* access;  ///< a counted reference
    bool has_request;
  };
  std::mutex queued_mutex;  ///< guards `queued`
  std::deque<Queued> queued;
  /// Of a dynamic window over a network; else null.
  std::shared_ptr<win::DeferredAccesses> deferred;
  /// For a dynamic window. attach() throws Failure when some of the memory is attached already, detach() when no
  /// attached piece begins there.
  void attach(const void* base, win::Count bytes);
  void detach(const void* base);
  /// Identifies the window; the same on all ranks.
  std::uint64_t key() const { return comm_->number(); }

 private:
  void exchange_targets();
  Ref<Comm> comm_;
  Flavor flavor_;
  void* base_;
  win::Count size_;
  int unit_;
  int flavor_value_, model_ = MPI_WIN_UNIFIED;
  void* block_ = nullptr;  // allocated by the window
  std::byte* shared_ = nullptr;  // the common block of all ranks
  win::Control* control_ = nullptr;
  std::vector<win::Target> targets_;
  std::mutex attached_mutex_;
  win::Attachments attached_;  // of this rank
  ErrorSlot errors_;
  Attributes attributes_;
  std::string name_;
  Info::Entries hints_;
};

// Bodies: creation, queries, destruction.
void win_create(void* base, MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, MPI_Win* win);
void win_allocate(MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win);
void win_allocate_shared(MPI_Aint size, MPI_Count unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win);
void win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win);
void win_attach(MPI_Win win, void* base, MPI_Aint size);
void win_detach(MPI_Win win, const void* base);
void win_free(MPI_Win* win);
void win_get_group(MPI_Win win, MPI_Group* group);
void win_get_info(MPI_Win win, MPI_Info* info);
void win_set_info(MPI_Win win, MPI_Info info);
void win_get_name(MPI_Win win, char* name, int* length);
void win_set_name(MPI_Win win, const char* name);
void win_shared_query(MPI_Win win, int rank, MPI_Aint* size, MPI_Count* unit, void* baseptr);

// Bodies: epochs.
void win_fence(int assertion, MPI_Win win);
void win_post(MPI_Group group, int assertion, MPI_Win win);
void win_start(MPI_Group group, int assertion, MPI_Win win);
void win_complete(MPI_Win win);
void win_wait(MPI_Win win);
void win_test(MPI_Win win, int* flag);
void win_lock(int type, int rank, int assertion, MPI_Win win);
void win_lock_all(int assertion, MPI_Win win);
void win_unlock(int rank, MPI_Win win);
void win_unlock_all(MPI_Win win);
void win_flush(int rank, MPI_Win win);
void win_flush_all(MPI_Win win);
void win_sync(MPI_Win win);

}  // namespace atl::mpi
