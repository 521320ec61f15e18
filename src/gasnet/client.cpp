// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "atoll/base/config.hpp"
#include "atoll/runtime/progress.hpp"
#include "environment.hpp"
#include "launch.hpp"
#include "message.hpp"

extern "C" gex_TM_t gasnet_atoll_world;
gex_TM_t gasnet_atoll_world = nullptr;

namespace atl::gasnet {
namespace {

std::mutex mutex;  // serialises initialisation
std::atomic<Library*> instance{nullptr};
std::atomic<bool> verbose{true};

void open(Call call, const char* mode) {
  config::validate_environment();
  launch_ranks(call);
  auto* made = new Library(std::strcmp(mode, "seq") != 0);
  share_processors(made->host().size());
  gasnet_atoll_world = &made->world();
  instance.store(made, std::memory_order_release);  // partner: library_if_open()
}

template <class T>
void put_out(T* to, T value) {
  if (to != nullptr) *to = value;
}

}  // namespace

Library* library_if_open() { return instance.load(std::memory_order_acquire); }  // partner: open()

void fail_uninitialized(Call call) {
  fail(call, "the library is not initialized. Call gex_Client_Init or gasnet_init first?");
}

int verbose_errors() { return verbose.load(std::memory_order_relaxed) ? 1 : 0; }
void set_verbose_errors(int enable) { verbose.store(enable != 0, std::memory_order_relaxed); }

int refuse(Call call, int code, std::string_view what) {
  if (verbose_errors() != 0) std::fputs(fmt::format("atoll-gasnet: {}: {}\n", call.name, what).c_str(), stderr);
  return code;
}

int client_init(Call call, gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team, const char* name,
                gex_Flags_t flags, const char* mode) {
  std::lock_guard lock(mutex);
  if (library_if_open() != nullptr)
    return refuse(call, GASNET_ERR_RESOURCE, "there is a client already (a process has one). Use that one?");
  if (name == nullptr || client == nullptr || endpoint == nullptr || team == nullptr)
    return refuse(call, GASNET_ERR_BAD_ARG, "a pointer is null. Pass a name and places for client, endpoint and team?");
  open(call, mode);
  Library& here = *library_if_open();
  here.client().name = name;
  here.client().flags = flags;
  query_objects(call, client, endpoint, team, nullptr);
  return GASNET_OK;
}

int legacy_init(Call call, const char* mode) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  return client_init(call, &client, &endpoint, &team, "LEGACY", GEX_FLAG_USES_GASNET1, mode);
}

int legacy_attach(Call call, gasnet_handlerentry_t* table, int count, std::uintptr_t bytes) {
  if (int code = register_legacy(call, table, count); code != GASNET_OK) return code;
  if (bytes == 0) bytes = GASNETT_PAGESIZE;
  gex_Segment_t segment;
  return attach(call, &segment, gasnet_atoll_world, bytes);
}

void query_objects(Call call, gex_Client_t* client, gex_EP_t* endpoint, gex_TM_t* team, gex_Segment_t* segment) {
  Library& here = library(call);
  put_out<gex_Client_t>(client, &here.client());
  put_out<gex_EP_t>(endpoint, &here.endpoint());
  put_out<gex_TM_t>(team, &here.world());
  put_out<gex_Segment_t>(segment, here.segment());
}

int segment_table(Call call, gasnet_seginfo_t* table, int count) {
  Library& here = library(call);
  for (int rank = 0; rank < count && static_cast<gex_Rank_t>(rank) < here.size(); ++rank) {
    const RemoteSegment& segment = here.segment_of(PeId(static_cast<std::uint32_t>(rank)));
    table[rank] = {reinterpret_cast<void*>(segment.address), segment.bytes};
  }
  return GASNET_OK;
}

int node_table(Call call, gasnet_nodeinfo_t* table, int count) {
  Library& here = library(call);
  for (int rank = 0; rank < count && static_cast<gex_Rank_t>(rank) < here.size(); ++rank) {
    const PeId pe(static_cast<std::uint32_t>(rank));
    const std::uint32_t host = here.job().node_of(pe);
    const RemoteSegment& segment = here.segment_of(pe);
    const auto delta = segment.here == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(segment.here) - segment.address;
    table[rank] = {host, host, delta};
  }
  return GASNET_OK;
}

int attach(Call call, gex_Segment_t* segment, gex_TM_t tm, std::uintptr_t bytes) {
  Library& here = library(call);
  if (&here.team(call, tm) != &here.world())
    return refuse(call, GASNET_ERR_BAD_ARG, "argument 'tm' is not the team of all ranks. Attach with that one?");
  if (here.segment() != nullptr)
    return refuse(call, GASNET_ERR_RESOURCE, "this rank has a segment already (there is one). Attach once?");
  if (bytes == 0 || bytes % GASNETT_PAGESIZE != 0)
    fail(call, "argument 'size': {} bytes are not whole pages of {} bytes. Round it up?", bytes, GASNETT_PAGESIZE);
  if (bytes > here.largest_segment())
    fail(call,
         "argument 'size': a segment of {} bytes is too large (this rank can have {}). Ask for less, or raise "
         "ATOLL_MEMORY_LIMIT?",
         bytes, here.largest_segment());
  if (!here.attach(bytes))
    return refuse(call, GASNET_ERR_RESOURCE, "a rank has no memory for its segment. Ask for less?");
  put_out<gex_Segment_t>(segment, here.segment());
  return GASNET_OK;
}

std::uintptr_t largest_segment(Call call) { return library(call).largest_segment(); }
std::uintptr_t largest_segment_of_all(Call call) { return library(call).largest_segment_of_all(); }

int query_segment(Call call, gex_TM_t tm, gex_Rank_t rank, void** owner, void** local, std::uintptr_t* bytes) {
  Library& here = library(call);
  const RemoteSegment& segment = here.segment_of(here.pe_of(call, tm, rank));
  if (segment.bytes == 0) return GASNET_ERR_BAD_ARG;
  put_out(owner, reinterpret_cast<void*>(segment.address));
  put_out(local, segment.here);
  put_out(bytes, segment.bytes);
  return GASNET_OK;
}

gex_Event_t query_segment_event(Call call, gex_TM_t tm, gex_Rank_t rank, void** owner, void** local,
                                std::uintptr_t* bytes) {
  if (query_segment(call, tm, rank, owner, local, bytes) != GASNET_OK) put_out<std::uintptr_t>(bytes, 0);
  return GEX_EVENT_INVALID;
}

int publish_segments(Call call, gex_TM_t tm, gex_Flags_t flags) {
  Library& here = library(call);
  if (flags != 0) return refuse(call, GASNET_ERR_BAD_ARG, "argument 'flags' has to be 0. Pass 0?");
  Team& team = here.team(call, tm);
  const std::uint64_t number = team.barrier->start({});
  here.wait([&] { return team.barrier->is_over(number); });
  return GASNET_OK;
}

gex_Rank_t job_rank(Call call) { return library(call).rank(); }
gex_Rank_t job_size(Call call) { return library(call).size(); }

void query_host(Call call, gex_RankInfo_t** ranks, gex_Rank_t* count, gex_Rank_t* at) {
  Library& here = library(call);
  if (ranks != nullptr) *ranks = here.host().data();
  put_out(count, static_cast<gex_Rank_t>(here.host().size()));
  put_out(at, here.place_on_host());
}

void query_position(Call call, gex_Rank_t* neighbourhoods, gex_Rank_t* neighbourhood, gex_Rank_t* hosts,
                    gex_Rank_t* host) {
  const fabric::Job& job = library(call).job();
  std::uint32_t nodes = job.nodes();
  while (job.leader_of(nodes - 1).value() >= job.npes()) --nodes;  // the last ones may have no rank
  put_out(neighbourhoods, nodes);
  put_out(neighbourhood, job.node());
  put_out(hosts, nodes);
  put_out(host, job.node());
}

std::uint64_t most_threads(Call call) { return library(call).threads() ? UINT64_C(1) << 20 : 1; }

int hidden_concurrency(Call call) { return library(call).progress().has_progress_thread() ? 1 : 0; }

int query_progress_threads(Call call, gex_Client_t client, unsigned* count, const gex_ProgressThreadInfo_t** threads,
                           gex_Flags_t flags) {
  if (count == nullptr || threads == nullptr || flags != 0)
    return refuse(call, GASNET_ERR_BAD_ARG,
                  "a pointer is null or 'flags' is not 0. Pass places for count and threads?");
  if ((client->flags & GEX_FLAG_DEFER_THREADS) == 0)
    return refuse(call, GASNET_ERR_RESOURCE,
                  "threads are not deferred. Pass GEX_FLAG_DEFER_THREADS to gex_Client_Init?");
  *count = 0;
  *threads = nullptr;
  return GASNET_OK;
}

int create_endpoint(Call call, gex_EP_t* endpoint) {
  put_out<gex_EP_t>(endpoint, GEX_EP_INVALID);
  return refuse(call, GASNET_ERR_RESOURCE, "a process has one endpoint. Use that of gex_Client_Init?");
}

gex_TM_t pair(Call call, gex_EP_t endpoint, gex_EP_Index_t remote) {
  Library& here = library(call);
  if (endpoint != &here.endpoint())
    fail(call, "argument 'local_ep' is no endpoint of this process. Use that of gex_Client_Init?");
  if (remote != 0)
    fail(call, "argument 'remote_ep_index': there is no endpoint {} (a process has one, of index 0). Pass 0?", remote);
  return &here.pairs();
}

gex_Rank_t to_jobrank(Call call, gex_TM_t tm, gex_Rank_t rank) { return library(call).pe_of(call, tm, rank).value(); }

gex_Rank_t to_rank(Call call, gex_TM_t tm, gex_Rank_t jobrank) {
  const Team& team = library(call).team(call, tm);
  for (gex_Rank_t rank = 0; rank < team.size; ++rank)
    if (team.pes[rank].value() == jobrank) return rank;
  return GEX_RANK_INVALID;
}

gex_EP_Location_t to_endpoint(Call call, gex_TM_t tm, gex_Rank_t rank) { return {to_jobrank(call, tm, rank), 0}; }

gex_Segment_t segment_of(gex_EP_t) {
  Library* here = library_if_open();
  return here == nullptr ? GEX_SEGMENT_INVALID : here->segment();
}

}  // namespace atl::gasnet
