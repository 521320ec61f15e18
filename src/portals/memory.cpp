// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <vector>

#include "interface.hpp"

namespace atl::portals {
namespace {

using runtime::EntrySpec;
namespace entry_option = runtime::entry_option;

static_assert(entry_option::allow_put == PTL_ME_OP_PUT && entry_option::allow_get == PTL_ME_OP_GET &&
              entry_option::use_once == PTL_ME_USE_ONCE &&
              entry_option::no_unexpected_headers == PTL_ME_UNEXPECTED_HDR_DISABLE &&
              entry_option::no_link_event == PTL_ME_EVENT_LINK_DISABLE &&
              entry_option::no_event == PTL_ME_EVENT_COMM_DISABLE &&
              entry_option::no_flow_event == PTL_ME_EVENT_FLOWCTRL_DISABLE &&
              entry_option::no_success_event == PTL_ME_EVENT_SUCCESS_DISABLE &&
              entry_option::no_overflow_event == PTL_ME_EVENT_OVER_DISABLE &&
              entry_option::no_unlink_event == PTL_ME_EVENT_UNLINK_DISABLE &&
              entry_option::count == PTL_ME_EVENT_CT_COMM && entry_option::count_overflow == PTL_ME_EVENT_CT_OVERFLOW &&
              entry_option::count_bytes == PTL_ME_EVENT_CT_BYTES && entry_option::local_offset == PTL_ME_MANAGE_LOCAL &&
              entry_option::no_truncate == PTL_ME_NO_TRUNCATE &&
              entry_option::local_offset_of_headers == PTL_ME_LOCAL_INC_UH_RLENGTH);
static_assert(runtime::descriptor_option::count_send == PTL_MD_EVENT_CT_SEND &&
              runtime::descriptor_option::count_reply == PTL_MD_EVENT_CT_REPLY &&
              runtime::descriptor_option::count_ack == PTL_MD_EVENT_CT_ACK &&
              runtime::descriptor_option::no_success_event == PTL_MD_EVENT_SUCCESS_DISABLE &&
              runtime::descriptor_option::no_send_event == PTL_MD_EVENT_SEND_DISABLE &&
              runtime::descriptor_option::count_bytes == PTL_MD_EVENT_CT_BYTES);
static_assert(runtime::portal_option::flow_control == PTL_PT_FLOWCTRL &&
              runtime::portal_option::disabled == PTL_PT_ALLOC_DISABLED);

// Whether the range ends inside the address space. (NULL, PTL_SIZE_MAX) is all memory.
bool is_range(const void* start, ptl_size_t length) {
  return length <= UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(start);
}

// Returns false for more pieces than the interface allows, or an impossible number of bytes.
bool region_of(const Interface& interface, void* start, ptl_size_t length, bool in_pieces, runtime::Region& region) {
  if (!in_pieces) {
    if (!is_range(start, length)) return false;
    region = runtime::Region(start, length);
    return true;
  }
  if (length > static_cast<ptl_size_t>(interface.limits().max_iovecs) || (start == nullptr && length != 0))
    return false;
  const auto* vectors = static_cast<const ptl_iovec_t*>(start);
  std::vector<runtime::Region::Piece> pieces;
  ptl_size_t bytes = 0;
  for (ptl_size_t i = 0; i < length; ++i) {
    const auto& [base, size] = vectors[i];
    if (!is_range(base, size) || __builtin_add_overflow(bytes, size, &bytes)) return false;
    pieces.push_back({base, size});
  }
  region = runtime::Region(pieces);
  return true;
}

bool counter_of(Interface& interface, ptl_handle_ct_t handle, runtime::CounterId& id) {
  id = runtime::no_counter;
  if (handle == PTL_CT_NONE) return true;
  if (!is_of(handle, Kind::counter) || interface_of(handle) != &interface) return false;
  const runtime::CounterId* found = interface.counters().find(number_in(handle));
  if (found == nullptr) return false;
  id = *found;
  return true;
}

Interface* opened(ptl_handle_ni_t handle, int& code) {
  code = library() == nullptr ? PTL_NO_INIT : PTL_ARG_INVALID;
  return is_of(handle, Kind::interface) ? interface_of(handle) : nullptr;
}

// The common part of an LE and an ME.
bool describe(Interface& interface, const ptl_le_t& le, void* user, EntrySpec& spec) {
  spec.uid = le.uid;
  spec.options = le.options;
  spec.user = user;
  return region_of(interface, le.start, le.length, (le.options & PTL_IOVEC) != 0, spec.region) &&
         counter_of(interface, le.ct_handle, spec.counter);
}

bool describe(Interface& interface, const ptl_me_t& me, void* user, EntrySpec& spec) {
  if (!describe(interface, ptl_le_t{me.start, me.length, me.ct_handle, me.uid, me.options}, user, spec)) return false;
  spec.min_free = me.min_free;
  spec.pattern.tag = me.match_bits;
  spec.pattern.ignore = me.ignore_bits;
  if (interface.logical()) {
    if (me.match_id.rank == PTL_RANK_ANY) return true;
    spec.pattern.source = interface.target(me.match_id);
    return spec.pattern.source.has_value();
  }
  bool any_node = me.match_id.phys.nid == PTL_NID_ANY, any_process = me.match_id.phys.pid == PTL_PID_ANY;
  if (any_node && any_process) return true;
  if (!any_node && !any_process) {
    spec.pattern.source = interface.target(me.match_id);
    return spec.pattern.source.has_value();
  }
  spec.admits = [&library = interface.library(), wanted = me.match_id.phys, any_node](PeId pe) {
    ptl_process_t process = library.physical(pe);
    return any_node ? process.phys.pid == wanted.pid : process.phys.nid == wanted.nid;
  };
  return true;
}

template <class E>
int append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const E* entry, unsigned options, bool matching,
           ptl_list_t list, void* user, std::uint32_t* handle) {
  int code;
  Interface* interface = opened(ni_handle, code);
  if (interface == nullptr) return code;
  if (entry == nullptr || handle == nullptr || interface->matching() != matching || list > PTL_OVERFLOW_LIST ||
      (entry->options & ~options) != 0)
    return PTL_ARG_INVALID;
  EntrySpec spec;
  if (!matching) spec.pattern.ignore = UINT64_MAX;
  if (!describe(*interface, *entry, user, spec)) return PTL_ARG_INVALID;
  std::uint32_t number = 0;
  runtime::Refusal refusal =
      interface->portals().append(index, std::move(spec), static_cast<runtime::ListKind>(list), number);
  if (refusal == runtime::Refusal::none) *handle = interface->handle(Kind::entry, number);
  return code_of(refusal);
}

template <class E>
int search(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const E* entry, unsigned options, bool matching,
           ptl_search_op_t how, void* user) {
  int code;
  Interface* interface = opened(ni_handle, code);
  if (interface == nullptr) return code;
  if (entry == nullptr || interface->matching() != matching || how > PTL_SEARCH_DELETE ||
      (entry->options & ~options) != 0)
    return PTL_ARG_INVALID;
  EntrySpec spec;
  if (!matching) spec.pattern.ignore = UINT64_MAX;
  if (!describe(*interface, *entry, user, spec)) return PTL_ARG_INVALID;
  using Search = runtime::PortalInterface::Search;
  return code_of(interface->portals().search(index, spec, how == PTL_SEARCH_DELETE ? Search::take : Search::look));
}

}  // namespace

int md_bind(ptl_handle_ni_t ni_handle, const ptl_md_t* md, ptl_handle_md_t* handle) {
  int code;
  Interface* interface = opened(ni_handle, code);
  if (interface == nullptr) return code;
  if (md == nullptr || handle == nullptr || (md->options & ~PTL_MD_OPTIONS_MASK) != 0) return PTL_ARG_INVALID;
  runtime::Descriptor descriptor;
  descriptor.options = md->options;
  if (!region_of(*interface, md->start, md->length, (md->options & PTL_IOVEC) != 0, descriptor.region) ||
      !counter_of(*interface, md->ct_handle, descriptor.counter))
    return PTL_ARG_INVALID;
  if (md->eq_handle != PTL_EQ_NONE) {
    bool mine = is_of(md->eq_handle, Kind::queue) && interface_of(md->eq_handle) == interface;
    auto* queue = mine ? interface->queues().find(number_in(md->eq_handle)) : nullptr;
    if (queue == nullptr) return PTL_ARG_INVALID;
    descriptor.queue = *queue;
  }
  auto& descriptors = interface->portals().descriptors();
  std::uint32_t number = descriptors.take();
  if (number == runtime::Pool<runtime::Descriptor>::nothing) return PTL_NO_SPACE;
  descriptors[number] = std::move(descriptor);
  *handle = interface->handle(Kind::descriptor, number);
  return PTL_OK;
}

int md_release(ptl_handle_md_t handle) {
  if (library() == nullptr) return PTL_NO_INIT;
  Interface* interface = interface_of(handle);
  if (interface == nullptr || !is_of(handle, Kind::descriptor)) return PTL_ARG_INVALID;
  auto& descriptors = interface->portals().descriptors();
  if (descriptors.find(number_in(handle)) == nullptr) return PTL_ARG_INVALID;
  descriptors.give_back(number_in(handle));
  return PTL_OK;
}

int me_unlink(ptl_handle_me_t handle) {
  if (library() == nullptr) return PTL_NO_INIT;
  Interface* interface = interface_of(handle);
  if (interface == nullptr || !is_of(handle, Kind::entry)) return PTL_ARG_INVALID;
  return code_of(interface->portals().unlink(number_in(handle)));
}

int le_unlink(ptl_handle_le_t handle) { return me_unlink(handle); }

int le_append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_le_t* le, ptl_list_t list, void* user,
              ptl_handle_le_t* handle) {
  return append(ni_handle, index, le, PTL_LE_APPEND_OPTIONS_MASK, false, list, user, handle);
}

int me_append(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_me_t* me, ptl_list_t list, void* user,
              ptl_handle_me_t* handle) {
  return append(ni_handle, index, me, PTL_ME_APPEND_OPTIONS_MASK, true, list, user, handle);
}

int le_search(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_le_t* le, ptl_search_op_t how, void* user) {
  return search(ni_handle, index, le, PTL_LE_APPEND_OPTIONS_MASK, false, how, user);
}

int me_search(ptl_handle_ni_t ni_handle, ptl_pt_index_t index, const ptl_me_t* me, ptl_search_op_t how, void* user) {
  return search(ni_handle, index, me, PTL_ME_APPEND_OPTIONS_MASK, true, how, user);
}

}  // namespace atl::portals
