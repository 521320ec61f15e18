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

/// A queue stays where it is when it is freed: messages on their way may name it. The next of the same size gets it.
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
  runtime::Context& context() const { return library_.context(); }
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

  /// Ranks are these PEs from now on.
  void set_map(std::vector<PeId> pe_of_rank);
  /// Empty: there is none.
  std::vector<PeId> map() const;
  /// Nothing: there is no such process.
  std::optional<PeId> target(ptl_process_t process) const;
  /// As it is called on this interface.
  ptl_process_t process(PeId pe) const;

  int references = 1;  // PtlNIInit without PtlNIFini, under the library's mutex

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
  std::vector<std::unique_ptr<Map>> maps_;    // old ones too: somebody may be looking
  std::atomic<const Map*> map_{nullptr};
  mutable std::array<std::atomic<std::uint64_t>, 256> found_{};  // physical processes: node and number, 1 + PE
};

/// Null: no handle of an interface that is open.
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

/// The code of a refusal.
int code_of(runtime::Refusal refusal);

}  // namespace atl::portals
