// SPDX-License-Identifier: Apache-2.0
#include "interface.hpp"

#include <unistd.h>

#include <algorithm>

#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"

namespace atl::portals {
namespace {

using runtime::Refusal;

constexpr std::uint64_t longest_request = 128;  // greatest size of a message's header
constexpr ptl_ni_limits_t most = {
    .max_entries = 1 << 20,
    .max_unexpected_headers = 1 << 20,
    .max_mds = 1 << 20,
    .max_cts = 768,  // of runtime::counters_per_pe, of which collectives need some
    .max_eqs = 1 << 16,
    .max_pt_index = 1023,
    .max_iovecs = 1 << 16,
    .max_list_size = 1 << 20,
    .max_triggered_ops = 1 << 18,
    .max_msg_size = runtime::Messenger::longest_message - longest_request,
    .max_atomic_size = 4096,
    .max_fetch_atomic_size = 4096,
    .max_waw_ordered_size = runtime::Messenger::longest_message,
    .max_war_ordered_size = runtime::Messenger::longest_message,
    .max_volatile_size = runtime::Messenger::longest_message - longest_request,
    .features = PTL_TOTAL_DATA_ORDERING,
};
static_assert(most.max_triggered_ops < static_cast<int>(runtime::most_triggers));

constexpr ptl_ni_limits_t usual() {
  ptl_ni_limits_t limits = most;
  limits.max_entries = limits.max_list_size = limits.max_unexpected_headers = limits.max_triggered_ops = 1 << 14;
  limits.max_mds = 1 << 12;
  limits.max_eqs = 1 << 10;
  limits.max_pt_index = 127;
  limits.max_iovecs = 1 << 10;
  return limits;
}

// The requested limits, reduced to what is possible.
ptl_ni_limits_t granted(const ptl_ni_limits_t* desired) {
  if (desired == nullptr) return usual();
  ptl_ni_limits_t limits = most;
  auto take = [](auto& limit, auto wanted, decltype(wanted) least) { limit = std::clamp(wanted, least, limit); };
  take(limits.max_entries, desired->max_entries, 0);
  take(limits.max_unexpected_headers, desired->max_unexpected_headers, 0);
  take(limits.max_mds, desired->max_mds, 0);
  take(limits.max_cts, desired->max_cts, 0);
  take(limits.max_eqs, desired->max_eqs, 0);
  take(limits.max_pt_index, desired->max_pt_index, 1);
  take(limits.max_iovecs, desired->max_iovecs, 0);
  take(limits.max_list_size, desired->max_list_size, 0);
  take(limits.max_triggered_ops, desired->max_triggered_ops, 1 << 10);  // programs of Portals 4.0 leave it at 0
  take(limits.max_msg_size, desired->max_msg_size, ptl_size_t{0});
  take(limits.max_atomic_size, desired->max_atomic_size, ptl_size_t{0});
  take(limits.max_fetch_atomic_size, desired->max_fetch_atomic_size, ptl_size_t{0});
  take(limits.max_waw_ordered_size, desired->max_waw_ordered_size, ptl_size_t{8});
  take(limits.max_war_ordered_size, desired->max_war_ordered_size, ptl_size_t{8});
  take(limits.max_volatile_size, desired->max_volatile_size, ptl_size_t{0});
  limits.features &= desired->features;
  return limits;
}

runtime::PortalLimits runtime_limits(const ptl_ni_limits_t& limits) {
  return {.portals = static_cast<std::uint32_t>(limits.max_pt_index) + 1,
          .entries = static_cast<std::uint32_t>(limits.max_entries),
          .descriptors = static_cast<std::uint32_t>(limits.max_mds),
          .list = static_cast<std::uint32_t>(limits.max_list_size),
          .unexpected_headers = static_cast<std::uint32_t>(limits.max_unexpected_headers),
          .triggered = static_cast<std::uint32_t>(limits.max_triggered_ops),
          .atomic_bytes = limits.max_atomic_size};
}

bool exactly_one(unsigned options, unsigned one, unsigned other) {
  return ((options & one) != 0) != ((options & other) != 0);
}

}  // namespace

Interface::Interface(Library& library, std::uint32_t number, const ptl_ni_limits_t& limits)
    : library_(library),
      number_(number),
      limits_(limits),
      uid_(::geteuid()),
      portals_(library.host().open(static_cast<std::uint8_t>(number), uid_, runtime_limits(limits))),
      counters_(static_cast<std::size_t>(limits.max_cts)),
      queues_(static_cast<std::size_t>(limits.max_eqs)) {}

Interface::~Interface() {
  std::vector<std::uint32_t> left;
  counters_.visit([&](std::uint32_t counter, runtime::CounterId) { left.push_back(counter); });
  for (std::uint32_t counter : left) portals_.cancel(counters_[counter]);
  portals_.finish_triggered();
  library_.host().close(static_cast<std::uint8_t>(number_));
  for (std::uint32_t counter : left) counting().release_counter(counters_[counter]);
}

runtime::EventQueue& Interface::make_queue(ptl_size_t count) {
  std::lock_guard lock(mutex_);
  for (Queue& queue : all_queues_) {
    auto spare = std::find(spare_.begin(), spare_.end(), queue.events.get());
    if (queue.count != count || spare == spare_.end()) continue;
    spare_.erase(spare);
    queue.events->clear();
    return *queue.events;
  }
  all_queues_.push_back({std::make_unique<runtime::EventQueue>(count), count});
  return *all_queues_.back().events;
}

void Interface::free_queue(std::uint32_t number) {
  std::lock_guard lock(mutex_);
  spare_.push_back(queues_[number]);
  queues_.give_back(number);
}

void Interface::free_counter(std::uint32_t number) {
  runtime::CounterId id = counters_[number];
  portals_.cancel(id);
  counters_.give_back(number);
  counting().release_counter(id);
}

void Interface::set_map(std::vector<PeId> pe_of_rank) {
  auto map = std::make_unique<Map>();
  map->rank_of_pe.assign(one_sided().npes(), PTL_RANK_ANY);
  for (std::size_t rank = 0; rank < pe_of_rank.size(); ++rank)
    map->rank_of_pe[pe_of_rank[rank].value()] = static_cast<ptl_rank_t>(rank);
  map->pe_of_rank = std::move(pe_of_rank);
  std::lock_guard lock(mutex_);
  maps_.push_back(std::move(map));
  map_.store(maps_.back().get(), std::memory_order_release);  // partner: target(), process(), map()
}

std::vector<PeId> Interface::map() const {
  const Map* map = map_.load(std::memory_order_acquire);
  return map == nullptr ? std::vector<PeId>{} : map->pe_of_rank;
}

std::optional<PeId> Interface::target(ptl_process_t process) const {
  if (logical()) {
    const Map* map = map_.load(std::memory_order_acquire);
    if (map == nullptr || process.rank >= map->pe_of_rank.size()) return std::nullopt;
    return map->pe_of_rank[process.rank];
  }
  // Node (24 bits), number (12 bits), 1 + PE (24 bits).
  if (process.phys.nid >> 24 != 0 || process.phys.pid >> 12 != 0) return library_.find(process);
  std::uint64_t key = (std::uint64_t{process.phys.nid} << 12 | process.phys.pid) << 24;
  auto& place = found_[(process.phys.pid * 31 + process.phys.nid) % found_.size()];
  std::uint64_t known = place.load(std::memory_order_relaxed);
  constexpr std::uint64_t pe_mask = (std::uint64_t{1} << 24) - 1;
  if ((known & pe_mask) != 0 && (known & ~pe_mask) == key) return PeId(static_cast<std::uint32_t>(known & pe_mask) - 1);
  auto pe = library_.find(process);
  if (pe) place.store(key | (pe->value() + 1), std::memory_order_relaxed);
  return pe;
}

ptl_process_t Interface::process(PeId pe) const {
  if (!logical()) return library_.physical(pe);
  const Map* map = map_.load(std::memory_order_acquire);
  ptl_process_t process{};
  process.rank = map == nullptr ? PTL_RANK_ANY : map->rank_of_pe[pe.value()];
  return process;
}

Interface* interface_of(ptl_handle_any_t handle) {
  Library* here = portals::library();
  if (here == nullptr || handle == PTL_INVALID_HANDLE) return nullptr;
  return here->interface(interface_in(handle));
}

namespace {

// The interface of an interface handle; null, with the error in `code`, when the handle is invalid. Does not throw.
Interface* opened(ptl_handle_ni_t handle, int& code) {
  code = portals::library() == nullptr ? PTL_NO_INIT : PTL_ARG_INVALID;
  return is_of(handle, Kind::interface) && number_in(handle) == 0 ? interface_of(handle) : nullptr;
}

}  // namespace

int code_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::none: return PTL_OK;
    case Refusal::invalid: return PTL_ARG_INVALID;
    case Refusal::no_space: return PTL_NO_SPACE;
    case Refusal::in_use: return PTL_IN_USE;
    case Refusal::portals_full: return PTL_PT_FULL;
    case Refusal::needs_queue: return PTL_PT_EQ_NEEDED;
  }
  return PTL_FAIL;
}

int ni_init(ptl_interface_t iface, unsigned options, ptl_pid_t pid, const ptl_ni_limits_t* desired,
            ptl_ni_limits_t* actual, ptl_handle_ni_t* handle) {
  Library* here = portals::library();
  if (here == nullptr) return PTL_NO_INIT;
  if ((iface != PTL_IFACE_DEFAULT && iface != 0) || handle == nullptr || (options & ~PTL_NI_INIT_OPTIONS_MASK) != 0 ||
      !exactly_one(options, PTL_NI_MATCHING, PTL_NI_NO_MATCHING) ||
      !exactly_one(options, PTL_NI_LOGICAL, PTL_NI_PHYSICAL))
    return PTL_ARG_INVALID;
  std::uint32_t number = ((options & PTL_NI_NO_MATCHING) != 0 ? 1u : 0u) | ((options & PTL_NI_PHYSICAL) != 0 ? 2u : 0u);
  std::lock_guard lock(here->mutex());
  if (int code = here->claim_pid(pid); code != PTL_OK) return code;
  Interface* interface = here->interface(number);
  if (interface != nullptr) ++interface->references;
  else interface = &here->open(number, granted(desired));
  if (actual != nullptr) *actual = interface->limits();
  *handle = interface->handle(Kind::interface, 0);
  return PTL_OK;
}

int ni_fini(ptl_handle_ni_t handle) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  Library& here = interface->library();
  std::lock_guard lock(here.mutex());
  if (--interface->references == 0) here.close(interface->number());
  return PTL_OK;
}

int ni_status(ptl_handle_ni_t handle, ptl_sr_index_t index, ptl_sr_value_t* value) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  if (value == nullptr) return PTL_ARG_INVALID;
  const auto& violations = interface->portals().violations();
  switch (index) {
    case PTL_SR_DROP_COUNT:
      *value = static_cast<int>(violations.dropped.load(std::memory_order_relaxed));
      return PTL_OK;
    case PTL_SR_PERMISSION_VIOLATIONS:
      *value = static_cast<int>(violations.permission.load(std::memory_order_relaxed));
      return PTL_OK;
    case PTL_SR_OPERATION_VIOLATIONS:
      *value = static_cast<int>(violations.operation.load(std::memory_order_relaxed));
      return PTL_OK;
  }
  return PTL_ARG_INVALID;
}

int ni_of(ptl_handle_any_t handle, ptl_handle_ni_t* result) {
  if (portals::library() == nullptr) return PTL_NO_INIT;
  Interface* interface = interface_of(handle);
  if (interface == nullptr || result == nullptr) return PTL_ARG_INVALID;
  std::uint32_t number = number_in(handle);
  bool known = (is_of(handle, Kind::interface) && number == 0) ||
               (is_of(handle, Kind::queue) && interface->queues().find(number) != nullptr) ||
               (is_of(handle, Kind::counter) && interface->counters().find(number) != nullptr) ||
               (is_of(handle, Kind::descriptor) && interface->portals().descriptors().find(number) != nullptr) ||
               (is_of(handle, Kind::entry) && interface->portals().has_entry(number));
  if (!known) return PTL_ARG_INVALID;
  *result = interface->handle(Kind::interface, 0);
  return PTL_OK;
}

int set_map(ptl_handle_ni_t handle, ptl_size_t size, const ptl_process_t* mapping) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  if (!interface->logical() || size == 0 || size > interface->one_sided().npes() || mapping == nullptr)
    return PTL_ARG_INVALID;
  std::vector<PeId> pes;
  for (ptl_size_t rank = 0; rank < size; ++rank) {
    auto pe = interface->library().find(mapping[rank]);
    if (!pe) return PTL_ARG_INVALID;
    pes.push_back(*pe);
  }
  interface->set_map(std::move(pes));
  return PTL_OK;
}

int get_map(ptl_handle_ni_t handle, ptl_size_t size, ptl_process_t* mapping, ptl_size_t* actual_size) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  std::vector<PeId> pes = interface->map();
  if (!interface->logical() || pes.empty() || (mapping == nullptr && size != 0)) return PTL_ARG_INVALID;
  if (actual_size != nullptr) *actual_size = pes.size();
  for (ptl_size_t rank = 0; rank < std::min<ptl_size_t>(size, pes.size()); ++rank)
    mapping[rank] = interface->library().physical(pes[rank]);
  return PTL_OK;
}

int pt_alloc(ptl_handle_ni_t handle, unsigned options, ptl_handle_eq_t queue, ptl_pt_index_t wanted,
             ptl_pt_index_t* index) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  if ((options & ~PTL_PT_ALLOC_OPTIONS_MASK) != 0 || index == nullptr) return PTL_ARG_INVALID;
  runtime::EventQueue* events = nullptr;
  if (queue != PTL_EQ_NONE) {
    auto* found =
        is_of(queue, Kind::queue) && interface_of(queue) == interface ? interface->queues().find(number_in(queue))
                                                                      : nullptr;
    if (found == nullptr) return PTL_ARG_INVALID;
    events = *found;
  }
  Refusal refusal = interface->portals().open(options, events, wanted, *index);
  return refusal == Refusal::in_use ? PTL_PT_IN_USE : code_of(refusal);
}

int pt_free(ptl_handle_ni_t handle, ptl_pt_index_t index) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  Refusal refusal = interface->portals().close(index);
  return refusal == Refusal::in_use ? PTL_PT_IN_USE : code_of(refusal);
}

int pt_disable(ptl_handle_ni_t handle, ptl_pt_index_t index) {
  int code;
  Interface* interface = opened(handle, code);
  return interface == nullptr ? code : code_of(interface->portals().disable(index));
}

int pt_enable(ptl_handle_ni_t handle, ptl_pt_index_t index) {
  int code;
  Interface* interface = opened(handle, code);
  return interface == nullptr ? code : code_of(interface->portals().enable(index));
}

int get_uid(ptl_handle_ni_t handle, ptl_uid_t* uid) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  if (uid == nullptr) return PTL_ARG_INVALID;
  *uid = interface->uid();
  return PTL_OK;
}

int get_id(ptl_handle_ni_t handle, ptl_process_t* id) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  if (id == nullptr) return PTL_ARG_INVALID;
  *id = interface->process(interface->one_sided().pe());
  return PTL_OK;
}

int get_phys_id(ptl_handle_ni_t handle, ptl_process_t* id) {
  int code;
  Interface* interface = opened(handle, code);
  if (interface == nullptr) return code;
  if (id == nullptr) return PTL_ARG_INVALID;
  *id = interface->library().physical(interface->one_sided().pe());
  return PTL_OK;
}

// Bundles are ignored, because operations start at once.
int start_bundle(ptl_handle_ni_t handle) {
  int code;
  return opened(handle, code) == nullptr ? code : PTL_OK;
}

int end_bundle(ptl_handle_ni_t handle) { return start_bundle(handle); }

}  // namespace atl::portals
