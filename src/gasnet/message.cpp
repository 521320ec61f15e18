// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "atoll/base/clock.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "client.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

enum class Kind : std::uint8_t { short_, medium, long_placed, long_carried };
constexpr std::uint8_t reply_bit = 0x80;

// | offset | bytes | field     | valid when                                             |
// |--------|-------|-----------|--------------------------------------------------------|
// |   0    |   1   | handler   | index                                                  |
// |   1    |   1   | kind      | Kind; bit 7: it is a reply                             |
// |   2    |   1   | count     | number of arguments, at most 16                        |
// |   3    |   5   | unused    | 0                                                      |
// |   8    |   8   | address   | long messages: destination of the payload              |
// |  16    |   8   | bytes     | size of the payload                                    |
// |  24    | 4·n   | arguments |                                                        |
// then zeros up to a multiple of 16, and the payload, if the message carries it.
struct Header {
  std::uint8_t handler;
  std::uint8_t kind;
  std::uint8_t count;
  std::uint8_t unused[5];
  std::uint64_t address;
  std::uint64_t bytes;
  gex_AM_Arg_t arguments[most_arguments_of_all];

  static constexpr std::size_t bytes_with(unsigned count) {
    return (offsetof(Header, arguments) + count * sizeof(gex_AM_Arg_t) + 15) / 16 * 16;
  }
};
static_assert(sizeof(Header) == 88 && offsetof(Header, arguments) == 24);
static_assert(Header::bytes_with(most_arguments_of_all) == 96);
union HeaderRoom {
  Header header;
  std::byte bytes[Header::bytes_with(most_arguments_of_all)];
};

}  // namespace
}  // namespace atl::gasnet

// The message for which a handler runs.
struct gasnet_atoll_token {
  atl::PeId source;
  const atl::gasnet::Header* header;
  bool replied;
  bool is_reply() const { return (header->kind & atl::gasnet::reply_bit) != 0; }
};

// A payload that is being prepared.
struct gasnet_atoll_source {
  bool in_use = false;
  bool is_long = false;
  gex_TM_t tm = nullptr;
  gex_Rank_t rank = 0;
  gex_Token_t token = nullptr;  // the token of a reply
  void* data = nullptr;
  std::size_t bytes = 0;
  gex_Event_t* local = nullptr;
  std::vector<std::byte> own;
};

namespace atl::gasnet {
namespace {

runtime::HandlerId context_handler{0};
thread_local gex_Token_t handling = nullptr;  // the token of this thread's running handler
thread_local gasnet_atoll_source source_of_thread;

template <std::size_t... Index>
void run(gex_AM_Fn_t function, gex_Token_t token, const gex_AM_Arg_t* arguments, std::index_sequence<Index...>) {
  using Handler = void (*)(gex_Token_t, decltype(Index, gex_AM_Arg_t{})...);
  reinterpret_cast<Handler>(function)(token, arguments[Index]...);
}
template <std::size_t... Index>
void run(gex_AM_Fn_t function, gex_Token_t token, void* payload, std::size_t bytes, const gex_AM_Arg_t* arguments,
         std::index_sequence<Index...>) {
  using Handler = void (*)(gex_Token_t, void*, std::size_t, decltype(Index, gex_AM_Arg_t{})...);
  reinterpret_cast<Handler>(function)(token, payload, bytes, arguments[Index]...);
}

// Handler calls by number of arguments.
using RunShort = void (*)(gex_AM_Fn_t, gex_Token_t, const gex_AM_Arg_t*);
using RunLong = void (*)(gex_AM_Fn_t, gex_Token_t, void*, std::size_t, const gex_AM_Arg_t*);
template <std::size_t... Count>
constexpr std::array<RunShort, sizeof...(Count)> short_runners(std::index_sequence<Count...>) {
  return {[](gex_AM_Fn_t function, gex_Token_t token, const gex_AM_Arg_t* arguments) {
    run(function, token, arguments, std::make_index_sequence<Count>());
  }...};
}
template <std::size_t... Count>
constexpr std::array<RunLong, sizeof...(Count)> long_runners(std::index_sequence<Count...>) {
  return {[](gex_AM_Fn_t function, gex_Token_t token, void* payload, std::size_t bytes, const gex_AM_Arg_t* arguments) {
    run(function, token, payload, bytes, arguments, std::make_index_sequence<Count>());
  }...};
}
constexpr auto run_short = short_runners(std::make_index_sequence<most_arguments_of_all + 1>());
constexpr auto run_long = long_runners(std::make_index_sequence<most_arguments_of_all + 1>());

void receive(Library& here, PeId source, std::span<const std::byte> message) {
  const auto& header = *reinterpret_cast<const Header*>(message.data());
  const gex_AM_Entry_t& entry = here.endpoint().handlers[header.handler];
  constexpr Call call{"active message"};
  if (entry.gex_fnptr == nullptr)
    fail(call,
         "rank {} has sent a message for handler {}, which is not registered here. Register it, and let all ranks "
         "meet in a barrier before they send?",
         source.value(), header.handler);
  gasnet_atoll_token token{source, &header, false};
  struct Handling {
    explicit Handling(gex_Token_t now) { handling = now; }
    ~Handling() { handling = nullptr; }
  } is_handling(&token);
  const std::size_t begin = Header::bytes_with(header.count);
  switch (static_cast<Kind>(header.kind & ~reply_bit)) {
    case Kind::short_: run_short[header.count](entry.gex_fnptr, &token, header.arguments); break;
    case Kind::medium: {
      auto* payload = const_cast<std::byte*>(message.data() + begin);
      run_long[header.count](entry.gex_fnptr, &token, payload, message.size() - begin, header.arguments);
      break;
    }
    case Kind::long_carried:
      std::memcpy(reinterpret_cast<void*>(header.address), message.data() + begin, message.size() - begin);
      [[fallthrough]];
    case Kind::long_placed:
      run_long[header.count](entry.gex_fnptr, &token, reinterpret_cast<void*>(header.address), header.bytes,
                             header.arguments);
      break;
  }
  here.handled().fetch_add(1, std::memory_order_release);  // partner: block()
}

struct Outgoing {
  PeId to;
  gex_AM_Index_t handler;
  bool is_reply;
};

void send(Call call, Library& here, const Outgoing& out, Kind kind, std::span<const std::byte> payload, void* address,
          std::size_t bytes, Arguments arguments) {
  if (arguments.count > most_arguments_of_all)
    fail(call, "{} arguments are too many (at most {}). Send the rest as payload?", arguments.count,
         most_arguments_of_all);
  HeaderRoom room;
  Header& header = room.header;
  std::memset(&header, 0, offsetof(Header, arguments));
  header.handler = out.handler;
  header.kind = static_cast<std::uint8_t>(static_cast<std::uint8_t>(kind) | (out.is_reply ? reply_bit : 0));
  header.count = static_cast<std::uint8_t>(arguments.count);
  header.address = reinterpret_cast<std::uint64_t>(address);
  header.bytes = bytes;
  std::copy_n(arguments.values, arguments.count, header.arguments);
  here.messenger().send(out.to, context_handler, {room.bytes, Header::bytes_with(arguments.count)}, payload);
}

Outgoing request(Call call, Library& here, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler) {
  if (handling != nullptr) [[unlikely]]
    fail(call, "a handler may not request (only reply). Reply, and let the requester go on from there?");
  const PeId to = here.pe_of(call, tm, rank);
  here.messenger().pace(to);
  return {to, handler, false};
}

// Whether a request with these flags is refused. Makes progress, so that a client that tries again comes through.
bool is_refused(Library& here, gex_Flags_t flags) {
  if ((flags & GEX_FLAG_IMMEDIATE) == 0 || handling != nullptr || !here.messenger().sends_wait()) [[likely]]
    return false;
  here.make_progress();
  return here.messenger().sends_wait();
}

Outgoing reply(Call call, gex_Token_t token, gex_AM_Index_t handler) {
  if (token == nullptr || token != handling) [[unlikely]]
    fail(call, "argument 'token' is not that of the handler that runs. Reply from the handler, with its own token?");
  if (token->is_reply()) fail(call, "a handler of a reply may not reply. Send a request once the handler has ended?");
  if (std::exchange(token->replied, true)) fail(call, "a handler may reply once. Join both replies?");
  return {token->source, handler, true};
}

// The source is complete when the call returns.
void complete_locally(gex_Event_t* local) {
  if (reinterpret_cast<std::uintptr_t>(local) > 3) *local = GEX_EVENT_INVALID;
}

void send_medium(Call call, Library& here, const Outgoing& out, const void* from, std::size_t bytes, gex_Event_t* local,
                 Arguments arguments) {
  if (bytes > most_medium_bytes)
    fail(call, "argument 'nbytes': {} bytes are too many for a medium message (at most {}). Send several?", bytes,
         most_medium_bytes);
  send(call, here, out, Kind::medium, {static_cast<const std::byte*>(from), bytes}, nullptr, bytes, arguments);
  complete_locally(local);
}

void send_long(Call call, Library& here, const Outgoing& out, const void* from, std::size_t bytes, void* to,
               gex_Event_t* local, Arguments arguments) {
  if (bytes > most_long_bytes)
    fail(call, "argument 'nbytes': {} bytes are too many for a long message (at most {}). Put, then send?", bytes,
         most_long_bytes);
  const HeapOffset at = here.locate(call, "dest_addr", out.to, to, bytes);
  std::span<const std::byte> payload{static_cast<const std::byte*>(from), bytes};
  std::byte* there =
      here.one_sided().endpoint().maps(out.to) ? here.one_sided().peer_pointer(out.to, at, bytes) : nullptr;
  if (there != nullptr) {
    if (bytes != 0) std::memcpy(there, from, bytes);
    payload = {};
  }
  send(call, here, out, there != nullptr ? Kind::long_placed : Kind::long_carried, payload, to, bytes, arguments);
  complete_locally(local);
}

gex_AM_SrcDesc_t prepare(Call call, bool is_long, const void* from, std::size_t least, std::size_t most,
                         gex_Event_t* local) {
  const std::size_t limit = is_long ? most_long_bytes : most_medium_bytes;
  if (least > limit || least > most)
    fail(call, "argument 'least_payload': {} bytes are more than 'most_payload' ({}) or than any message has ({})",
         least, most, limit);
  gasnet_atoll_source& source = source_of_thread;
  if (source.in_use) fail(call, "this thread has prepared a message already. Commit or cancel that first?");
  source.in_use = true;
  source.is_long = is_long;
  source.local = local;
  // Limits buffers of the library, as clients may accept up to half a gigabyte.
  constexpr std::size_t own_limit = most_medium_bytes;
  source.bytes = std::min(most, from == nullptr ? std::max(least, std::min(limit, own_limit)) : limit);
  if (from == nullptr && source.own.size() < source.bytes + 16) source.own.resize(source.bytes + 16);
  source.data = from == nullptr ? source.own.data() : const_cast<void*>(from);
  return &source;
}

gex_AM_SrcDesc_t for_request(gex_AM_SrcDesc_t source, gex_TM_t tm, gex_Rank_t rank) {
  source->tm = tm;
  source->rank = rank;
  source->token = nullptr;
  return source;
}
gex_AM_SrcDesc_t for_reply(gex_AM_SrcDesc_t source, gex_Token_t token) {
  source->token = token;
  return source;
}

gasnet_atoll_source& taken(Call call, gex_AM_SrcDesc_t source, bool is_long, std::size_t bytes) {
  if (source != &source_of_thread || !source->in_use || source->is_long != is_long)
    fail(call, "argument 'sd' is not what this thread has prepared. Pass the result of the Prepare call?");
  if (bytes > source->bytes)
    fail(call, "argument 'nbytes': {} bytes are more than were prepared ({}). Ask gex_AM_SrcDescSize?", bytes,
         source->bytes);
  source->in_use = false;
  return *source;
}

}  // namespace

bool Library::is_handling() const { return handling != nullptr; }

void register_messages(Library& library) {
  context_handler = library.messenger().register_handler(
      [&library](runtime::Context&, PeId source, std::span<const std::byte> message) {
        receive(library, source, message);
      });
}

int register_handlers(Call call, gex_EP_t endpoint, gex_AM_Entry_t* table, std::size_t count) {
  (void)library(call);
  auto& handlers = endpoint->handlers;
  for (std::size_t i = 0; i < count; ++i) {
    gex_AM_Entry_t& entry = table[i];
    if (entry.gex_fnptr == nullptr || entry.gex_nargs > most_arguments_of_all)
      return refuse(call, GASNET_ERR_BAD_ARG, "an entry has no function or too many arguments. Correct the table?");
    if (entry.gex_index == 0) continue;
    if (handlers[entry.gex_index].gex_fnptr != nullptr)
      return refuse(call, GASNET_ERR_RESOURCE,
                    fmt::format("index {} has a handler already. Use another index?", entry.gex_index));
    handlers[entry.gex_index] = entry;
  }
  for (std::size_t i = 0; i < count; ++i) {
    gex_AM_Entry_t& entry = table[i];
    if (entry.gex_index != 0) continue;
    std::size_t free = handlers.size() - 1;
    while (free >= GEX_AM_INDEX_BASE && handlers[free].gex_fnptr != nullptr) --free;
    if (free < GEX_AM_INDEX_BASE)
      return refuse(call, GASNET_ERR_RESOURCE, "all indices have handlers (there are 255). Register fewer?");
    entry.gex_index = static_cast<gex_AM_Index_t>(free);
    handlers[free] = entry;
  }
  return GASNET_OK;
}

int register_legacy(Call call, gasnet_handlerentry_t* table, int count) {
  std::vector<gex_AM_Entry_t> entries;
  for (int i = 0; i < count; ++i)
    entries.push_back({table[i].index, table[i].fnptr, GEX_FLAG_AM_REQREP, most_arguments_of_all, nullptr, nullptr});
  int code = register_handlers(call, &library(call).endpoint(), entries.data(), entries.size());
  for (int i = 0; i < count; ++i) table[i].index = entries[static_cast<std::size_t>(i)].gex_index;
  return code;
}

int request_short(Call call, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                  Arguments arguments) {
  Library& here = library(call);
  if (is_refused(here, flags)) return refused;
  send(call, here, request(call, here, tm, rank, handler), Kind::short_, {}, nullptr, 0, arguments);
  return GASNET_OK;
}

int request_medium(Call call, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* from, std::size_t bytes,
                   gex_Event_t* local, gex_Flags_t flags, Arguments arguments) {
  Library& here = library(call);
  if (is_refused(here, flags)) return refused;
  send_medium(call, here, request(call, here, tm, rank, handler), from, bytes, local, arguments);
  return GASNET_OK;
}

int request_long(Call call, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* from, std::size_t bytes,
                 void* to, gex_Event_t* local, gex_Flags_t flags, Arguments arguments) {
  Library& here = library(call);
  if (is_refused(here, flags)) return refused;
  send_long(call, here, request(call, here, tm, rank, handler), from, bytes, to, local, arguments);
  return GASNET_OK;
}

int reply_short(Call call, gex_Token_t token, gex_AM_Index_t handler, Arguments arguments) {
  send(call, library(call), reply(call, token, handler), Kind::short_, {}, nullptr, 0, arguments);
  return GASNET_OK;
}

int reply_medium(Call call, gex_Token_t token, gex_AM_Index_t handler, const void* from, std::size_t bytes,
                 gex_Event_t* local, Arguments arguments) {
  send_medium(call, library(call), reply(call, token, handler), from, bytes, local, arguments);
  return GASNET_OK;
}

int reply_long(Call call, gex_Token_t token, gex_AM_Index_t handler, const void* from, std::size_t bytes, void* to,
               gex_Event_t* local, Arguments arguments) {
  send_long(call, library(call), reply(call, token, handler), from, bytes, to, local, arguments);
  return GASNET_OK;
}

void send_completion(Call call, PeId pe, gex_AM_Index_t handler, const void* from, std::size_t bytes) {
  send_medium(call, library(call), {pe, handler, true}, from, bytes, GEX_EVENT_NOW, {nullptr, 0});
}

// ---- negotiated payload ------------------------------------------------------------------------------------------

gex_AM_SrcDesc_t prepare_medium(Call call, gex_TM_t tm, gex_Rank_t rank, const void* from, std::size_t least,
                                std::size_t most, gex_Event_t* local, gex_Flags_t flags) {
  if (is_refused(library(call), flags)) return GEX_AM_SRCDESC_NO_OP;
  return for_request(prepare(call, false, from, least, most, local), tm, rank);
}
gex_AM_SrcDesc_t prepare_medium(Call call, gex_Token_t token, const void* from, std::size_t least, std::size_t most,
                                gex_Event_t* local) {
  return for_reply(prepare(call, false, from, least, most, local), token);
}
gex_AM_SrcDesc_t prepare_long(Call call, gex_TM_t tm, gex_Rank_t rank, const void* from, std::size_t least,
                              std::size_t most, void*, gex_Event_t* local, gex_Flags_t flags) {
  if (is_refused(library(call), flags)) return GEX_AM_SRCDESC_NO_OP;
  return for_request(prepare(call, true, from, least, most, local), tm, rank);
}
gex_AM_SrcDesc_t prepare_long(Call call, gex_Token_t token, const void* from, std::size_t least, std::size_t most,
                              void*, gex_Event_t* local) {
  return for_reply(prepare(call, true, from, least, most, local), token);
}

int commit_medium(Call call, gex_AM_SrcDesc_t of, gex_AM_Index_t handler, std::size_t bytes, Arguments arguments) {
  Library& here = library(call);
  const gasnet_atoll_source& source = taken(call, of, false, bytes);
  const Outgoing out = source.token != nullptr ? reply(call, source.token, handler)
                                               : request(call, here, source.tm, source.rank, handler);
  send_medium(call, here, out, source.data, bytes, source.local, arguments);
  return GASNET_OK;
}

int commit_long(Call call, gex_AM_SrcDesc_t of, gex_AM_Index_t handler, std::size_t bytes, void* to,
                Arguments arguments) {
  Library& here = library(call);
  const gasnet_atoll_source& source = taken(call, of, true, bytes);
  const Outgoing out = source.token != nullptr ? reply(call, source.token, handler)
                                               : request(call, here, source.tm, source.rank, handler);
  send_long(call, here, out, source.data, bytes, to, source.local, arguments);
  return GASNET_OK;
}

int cancel(Call call, gex_AM_SrcDesc_t source) {
  (void)taken(call, source, source->is_long, 0);
  return GASNET_OK;
}

void* address_of(gex_AM_SrcDesc_t source) { return source->data; }
std::size_t size_of(gex_AM_SrcDesc_t source) { return source->bytes; }

// ---- queries, progress -------------------------------------------------------------------------------------------

gex_TI_t token_info(Call call, gex_Token_t token, gex_Token_Info_t* info) {
  Library& here = library(call);
  if (token == nullptr || token != handling) [[unlikely]]
    fail(call, "argument 'token' is not that of the handler that runs. Ask in the handler, with its own token?");
  info->gex_srcrank = token->source.value();
  info->gex_ep = &here.endpoint();
  info->gex_entry = &here.endpoint().handlers[token->header->handler];
  info->gex_is_req = token->is_reply() ? 0 : 1;
  const auto kind = static_cast<Kind>(token->header->kind & ~reply_bit);
  info->gex_is_long = kind == Kind::long_placed || kind == Kind::long_carried ? 1 : 0;
  return GEX_TI_ALL;
}

std::size_t most_medium(Call call, gex_TM_t tm, gex_Rank_t rank, unsigned) {
  if (rank != GEX_RANK_INVALID) (void)library(call).pe_of(call, tm, rank);
  return most_medium_bytes;
}
std::size_t most_long(Call call, gex_TM_t tm, gex_Rank_t rank, unsigned) {
  if (rank != GEX_RANK_INVALID) (void)library(call).pe_of(call, tm, rank);
  return most_long_bytes;
}

namespace {

// Number of empty polls before yielding: a polling loop would keep a peer on the same core from running.
constexpr int empty_polls_before_yield = 1000;
constexpr int empty_polls_of_many = 16;
thread_local int empty_polls = 0;

constexpr std::uint32_t rounds_of_spinning = 2000;
constexpr std::uint32_t rounds_of_yielding = 64;
// The condition may depend on a plain store of another thread, which wakes no sleeper, so sleeps are short.
constexpr std::int64_t first_nap_ns = 50'000;
constexpr std::int64_t longest_nap_ns = 2'000'000;

}  // namespace

int poll(Call call) {
  Library& here = library(call);
  if (here.make_progress()) {
    empty_polls = 0;
  } else if (++empty_polls >=
             (here.one_sided().node().oversubscribed ? empty_polls_of_many : empty_polls_before_yield)) {
    empty_polls = 0;
    here.failures().check();
    ::sched_yield();
  }
  return GASNET_OK;
}

void block(Call call, gasnet_atoll_wait_t* wait) {
  Library& here = library(call);
  here.make_progress();
  auto handled = [&] { return here.handled().load(std::memory_order_acquire); };  // partner: receive()
  if (handled() != wait->seen) {
    wait->seen = handled();
    wait->rounds = 0;
    return;
  }
  const std::uint32_t spins = here.one_sided().node().oversubscribed ? 0 : rounds_of_spinning;
  const std::uint32_t round = wait->rounds++;
  if (round < spins) return cpu_relax();
  here.failures().check();
  if (round < spins + rounds_of_yielding) {
    ::sched_yield();
    return;
  }
  const std::uint32_t naps = std::min(round - spins - rounds_of_yielding, 16u);
  const std::int64_t nap = std::min(longest_nap_ns, first_nap_ns << naps);
  (void)here.progress().wait([&] { return handled() != wait->seen; }, Deadline::after_ns(nap));
}

void lock(gex_HSL_t* lock) {
  for (int looks = 0; gex_HSL_Trylock(lock) != GASNET_OK; ++looks) {
    if (looks % 64 == 63) ::sched_yield();
    else cpu_relax();
  }
}

void ring(const std::uint32_t* bell) {
  // `bell` points to the first word of the PE's record.
  static_assert(offsetof(fabric::PeRecord, sleeping) == 0);
  fabric::wake_sleepers(*reinterpret_cast<fabric::PeRecord*>(const_cast<std::uint32_t*>(bell)));
}

int set_wait_mode(Call call, int mode) {
  (void)library(call);
  if (mode == GASNET_WAIT_SPIN || mode == GASNET_WAIT_BLOCK || mode == GASNET_WAIT_SPINBLOCK) return GASNET_OK;
  return refuse(call, GASNET_ERR_BAD_ARG, "argument 'wait_mode' is no mode. Use GASNET_WAIT_SPIN or another of those?");
}

}  // namespace atl::gasnet
