// SPDX-License-Identifier: Apache-2.0
// Initialisation, and queries of clients, segments, endpoints, teams and the job.
#pragma once

#include <cstddef>
#include <cstdint>

#include "failure.hpp"
#include "gasnet.h"
#include "library.hpp"

namespace atl::gasnet {

int client_init(Call call, gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team, const char* name,
                gex_Flags_t flags, const char* mode);
int legacy_init(Call call, const char* mode);
int legacy_attach(Call call, gasnet_handlerentry_t* table, int count, std::uintptr_t bytes);
void query_objects(Call call, gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team, gex_Segment_t* segment);
int segment_table(Call call, gasnet_seginfo_t* table, int count);
int node_table(Call call, gasnet_nodeinfo_t* table, int count);

int attach(Call call, gex_Segment_t* segment, gex_TM_t tm, std::uintptr_t bytes);
std::uintptr_t largest_segment(Call call);
std::uintptr_t largest_segment_of_all(Call call);
int query_segment(Call call, gex_TM_t tm, gex_Rank_t rank, void** owner, void** local, std::uintptr_t* bytes);
gex_Event_t query_segment_event(Call call, gex_TM_t tm, gex_Rank_t rank, void** owner, void** local,
                                std::uintptr_t* bytes);
int publish_segments(Call call, gex_TM_t tm, gex_Flags_t flags);

gex_Rank_t job_rank(Call call);
gex_Rank_t job_size(Call call);
void query_host(Call call, gex_RankInfo_t** ranks, gex_Rank_t* count, gex_Rank_t* here);
void query_position(Call call, gex_Rank_t* neighbourhoods, gex_Rank_t* neighbourhood, gex_Rank_t* hosts,
                    gex_Rank_t* host);
std::uint64_t most_threads(Call call);
int hidden_concurrency(Call call);
int query_progress_threads(Call call, gex_Client_t client, unsigned* count, const gex_ProgressThreadInfo_t** threads,
                           gex_Flags_t flags);
int verbose_errors();
void set_verbose_errors(int enable);
/// Prints the error when error messages are enabled, and returns the code.
int refuse(Call call, int code, std::string_view what);

int create_endpoint(Call call, gex_EP_t* endpoint);
gex_TM_t pair(Call call, gex_EP_t endpoint, gex_EP_Index_t remote);
gex_Rank_t to_jobrank(Call call, gex_TM_t tm, gex_Rank_t rank);
gex_Rank_t to_rank(Call call, gex_TM_t tm, gex_Rank_t jobrank);
gex_EP_Location_t to_endpoint(Call call, gex_TM_t tm, gex_Rank_t rank);

inline gex_Flags_t flags_of(gex_Client_t client) { return client->flags; }
inline const char* name_of(gex_Client_t client) { return client->name.c_str(); }
template <class Object>
gex_Client_t client_of(Call call, Object*) {
  return &library(call).client();
}
inline gex_Flags_t no_flags(const void*) { return 0; }
inline void* address_of(gex_Segment_t segment) { return segment->address; }
inline std::uintptr_t size_of(gex_Segment_t segment) { return segment->bytes; }
gex_Segment_t segment_of(gex_EP_t endpoint);
inline gex_EP_Index_t index_of(gex_EP_t) { return 0; }
inline gex_EP_t endpoint_of(Call call, gex_TM_t) { return &library(call).endpoint(); }
inline gex_Flags_t flags_of(gex_TM_t tm) { return static_cast<Team*>(tm)->flags; }

template <class Object>
void set_data(Object* object, const void* data) {
  object->data = const_cast<void*>(data);
}
template <class Object>
void* data_of(Object* object) {
  return object->data;
}
inline void set_data(gex_TM_t tm, const void* data) { set_data(static_cast<Team*>(tm), data); }
inline void* data_of(gex_TM_t tm) { return static_cast<Team*>(tm)->data; }

}  // namespace atl::gasnet
