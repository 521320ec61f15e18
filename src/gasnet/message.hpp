// SPDX-License-Identifier: Apache-2.0
// Active messages, implemented by those of the Context.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/ids.hpp"
#include "failure.hpp"
#include "gasnet.h"

namespace atl::gasnet {

class Library;

constexpr unsigned most_arguments_of_all = 16;
constexpr std::size_t most_medium_bytes = std::size_t{64} << 10;
constexpr std::size_t most_long_bytes = std::size_t{512} << 20;

struct Arguments {
  const gex_AM_Arg_t* values;
  unsigned count;
};

/// Makes messages run the handlers of the library's endpoint from now on.
void register_messages(Library& library);

int register_handlers(Call call, gex_EP_t endpoint, gex_AM_Entry_t* table, std::size_t count);
int register_legacy(Call call, gasnet_handlerentry_t* table, int count);

/// With GEX_FLAG_IMMEDIATE requests return `refused`, and preparations GEX_AM_SRCDESC_NO_OP, while messages of this
/// rank wait for room at their receivers.
constexpr int refused = 1;
int request_short(Call call, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                  Arguments arguments);
int request_medium(Call call, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* from, std::size_t bytes,
                   gex_Event_t* local, gex_Flags_t flags, Arguments arguments);
int request_long(Call call, gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* from, std::size_t bytes,
                 void* to, gex_Event_t* local, gex_Flags_t flags, Arguments arguments);
int reply_short(Call call, gex_Token_t token, gex_AM_Index_t handler, Arguments arguments);
int reply_medium(Call call, gex_Token_t token, gex_AM_Index_t handler, const void* from, std::size_t bytes,
                 gex_Event_t* local, Arguments arguments);
int reply_long(Call call, gex_Token_t token, gex_AM_Index_t handler, const void* from, std::size_t bytes, void* to,
               gex_Event_t* local, Arguments arguments);

/// For the handler of a put that has arrived: a reply without a request.
void send_completion(Call call, PeId pe, gex_AM_Index_t handler, const void* from, std::size_t bytes);

// A negotiated payload is in the client's buffer, or in a buffer of the library, until it is sent.
gex_AM_SrcDesc_t prepare_medium(Call call, gex_TM_t tm, gex_Rank_t rank, const void* from, std::size_t least,
                                std::size_t most, gex_Event_t* local, gex_Flags_t flags);
gex_AM_SrcDesc_t prepare_medium(Call call, gex_Token_t token, const void* from, std::size_t least, std::size_t most,
                                gex_Event_t* local);
gex_AM_SrcDesc_t prepare_long(Call call, gex_TM_t tm, gex_Rank_t rank, const void* from, std::size_t least,
                              std::size_t most, void* to, gex_Event_t* local, gex_Flags_t flags);
gex_AM_SrcDesc_t prepare_long(Call call, gex_Token_t token, const void* from, std::size_t least, std::size_t most,
                              void* to, gex_Event_t* local);
int commit_medium(Call call, gex_AM_SrcDesc_t source, gex_AM_Index_t handler, std::size_t bytes, Arguments arguments);
int commit_long(Call call, gex_AM_SrcDesc_t source, gex_AM_Index_t handler, std::size_t bytes, void* to,
                Arguments arguments);
int cancel(Call call, gex_AM_SrcDesc_t source);
void* address_of(gex_AM_SrcDesc_t source);
std::size_t size_of(gex_AM_SrcDesc_t source);

gex_TI_t token_info(Call call, gex_Token_t token, gex_Token_Info_t* info);

inline unsigned most_arguments() { return most_arguments_of_all; }
inline std::size_t most_medium() { return most_medium_bytes; }
inline std::size_t most_long() { return most_long_bytes; }
std::size_t most_medium(Call call, gex_TM_t tm, gex_Rank_t rank, unsigned count);
std::size_t most_long(Call call, gex_TM_t tm, gex_Rank_t rank, unsigned count);

int poll(Call call);
void block(Call call, gasnet_atoll_wait_t* wait);
void lock(gex_HSL_t* lock);
void ring(const std::uint32_t* bell);
int set_wait_mode(Call call, int mode);

}  // namespace atl::gasnet
