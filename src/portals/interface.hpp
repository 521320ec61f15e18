// SPDX-License-Identifier: Apache-2.0
// A network interface: its objects by handle, its limits, and its ranks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "atoll/portal/portal.hpp"
#include "library.hpp"

namespace atl::portals {

/// An event queue. A freed queue stays in memory, because messages in flight may refer to it; the next queue of the
/// same size reuses it.
struct Queue {
  std::unique_ptr<runtime::EventQueue> events;
  ptl_size_t count = 0;
};

class Interface {
 public:
  /// `number`: bit 0: without matching, bit 1: physical.
  Interface(Library& library, std::uint32_t number, const ptl_ni_limits_t& limits);
  ~Interface();
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  Library& library() const { return library_; }
  runtime::OneSided& one_sided() const { return library_.one_sided(); }
  runtime::Progress& progress() const { return library_.progress(); }
  runtime::Counters& counting() const { return library_.counters(); }
  runtime::PortalInterface& portals() const { return portals_; }
  const ptl_ni_limits_t& limits() const { return limits_; }
  std::uint32_t number() const { return number_; }
  bool matching() const { return (number_ & 1) == 0; }
  bool logical() const { return (number_ & 2) == 0; }
  std::uint32_t uid() const { return uid_; }
  std::uint32_t handle(Kind kind, std::uint32_t number) const { return handle_of(kind, number_, number); }

  runtime::Pool<runtime::CounterId>& counters() { return counters_; }
  runtime::Pool<runtime::EventQueue*>& queues() { return queues_; }
  runtime::EventQueue& make_queue(ptl_size_t count);
  void free_queue(std::uint32_t number);
  void free_counter(std::uint32_t number);

  /// Maps ranks to these PEs from now on.
  void set_map(std::vector<PeId> pe_of_rank);
  /// The map of ranks; empty when none was set.
  std::vector<PeId> map() const;
  /// The PE of a process, if it exists.
  std::optional<PeId> target(ptl_process_t process) const;
  /// The process id of a PE in this interface's form (logical or physical).
  ptl_process_t process(PeId pe) const;

  int references = 1;  // PtlNIInit calls minus PtlNIFini calls, guarded by the library's mutex

 private:
  struct Map {
    std::vector<PeId> pe_of_rank;
    std::vector<ptl_rank_t> rank_of_pe;
  };

  Library& library_;
  std::uint32_t number_;
  ptl_ni_limits_t limits_;
  std::uint32_t uid_;
  runtime::PortalInterface& portals_;
  runtime::Pool<runtime::CounterId> counters_;
  runtime::Pool<runtime::EventQueue*> queues_;
  std::mutex mutex_;
  std::vector<Queue> all_queues_;             // used and spare
  std::vector<runtime::EventQueue*> spare_;   // of those
  std::vector<std::unique_ptr<Map>> maps_;    // all maps, as another thread may still read an old one
  std::atomic<const Map*> map_{nullptr};
  mutable std::array<std::atomic<std::uint64_t>, 256> found_{};  // physical processes: node and number, 1 + PE
};

/// The open interface of a handle, or null.
Interface* interface_of(ptl_handle_any_t handle);

int ni_init(ptl_interface_t iface, unsigned options, ptl_pid_t pid, const ptl_ni_limits_t* desired,
            ptl_ni_limits_t* actual, ptl_handle_ni_t* handle);
int ni_fini(ptl_handle_ni_t handle);
int ni_status(ptl_handle_ni_t handle, ptl_sr_index_t index, ptl_sr_value_t* value);
int ni_of(ptl_handle_any_t handle, ptl_handle_ni_t* interface);
int set_map(ptl_handle_ni_t handle, ptl_size_t size, const ptl_process_t* mapping);
int get_map(ptl_handle_ni_t handle, ptl_size_t size, ptl_process_t* mapping, ptl_size_t* actual_size);
int pt_alloc(ptl_handle_ni_t handle, unsigned options, ptl_handle_eq_t queue, ptl_pt_index_t wanted,
             ptl_pt_index_t* index);
int pt_free(ptl_handle_ni_t handle, ptl_pt_index_t index);
int pt_disable(ptl_handle_ni_t handle, ptl_pt_index_t index);
int pt_enable(ptl_handle_ni_t handle, ptl_pt_index_t index);
int get_uid(ptl_handle_ni_t handle, ptl_uid_t* uid);
int get_id(ptl_handle_ni_t handle, ptl_process_t* id);
int get_phys_id(ptl_handle_ni_t handle, ptl_process_t* id);
int start_bundle(ptl_handle_ni_t handle);
int end_bundle(ptl_handle_ni_t handle);
inline int handle_is_equal(ptl_handle_any_t one, ptl_handle_any_t other) { return one == other; }

/// The Portals code of a refusal.
int code_of(runtime::Refusal refusal);

}  // namespace atl::portals
