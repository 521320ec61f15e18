// SPDX-License-Identifier: Apache-2.0
// The header of the messages that matching sends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/fabric/layout.hpp"

namespace atl::runtime::matching {

enum class Kind : std::uint16_t {
  eager = 1,   ///< a message with its payload behind the header
  labelled,    ///< the same with a label, which is where `bytes` is in others
  announce,    ///< a message whose payload stays with the sender
  proceed,     ///< receiver to sender: matched; put it to `place`, or send it in pieces
  piece,       ///< a piece lies at `place` in the sender's segment; no_place: the sender has no memory to put it in
  piece_done,  ///< receiver to sender: its place may be reused
  finished,    ///< receiver to sender: the payload has been fetched; is to be answered where a receive is named
  confirmed,   ///< sender to receiver: it was the payload until then, or the send had ended before
  credit,      ///< nothing but credit
  withheld,    ///< the sender keeps messages back for want of credit
  help,  ///< receiver to sender: it reads the payload, and the sender may write some of it (shared_copy.cpp). Its own
         ///< address is behind
};

inline constexpr std::uint64_t no_place = UINT64_MAX;
/// In an announcement to a PE of the same node: with the buffer's address below it. It is private memory, which the
/// kernel may let the receiver read.
inline constexpr std::uint64_t private_place = std::uint64_t{1} << 63;
inline bool is_private(std::uint64_t place) { return place != no_place && (place & private_place) != 0; }

// Of an eager message the first eager_header bytes, and then its payload: with 32 bytes of it in one line of a ring. Of
// a labelled one the first labelled_header bytes.
//
// | offset | bytes | field           | valid when                                                                     |
// |--------|-------|-----------------|--------------------------------------------------------------------------------|
// |   0    |   8   | tag             | eager, announce; proceed: counter (with a place) or receive;                   |
// |        |       |                 | finished: receive, or 0; piece: position; help: generation                     |
// |   8    |   4   | credit_bytes    | payload of the target that has been taken here since the last header           |
// |   12   |   2   | credit_messages | messages likewise                                                              |
// |   14   |   2   | kind            | Kind                                                                           |
// |   16   |   8   | bytes           | of the message (announce), to move (proceed), of this piece; help: to copy in  |
// |        |       |                 | all; confirmed: not 0 if the send had ended                                    |
// |   24   |   8   | operation       | announce: the send; to the sender: the same; piece, confirmed: the receive     |
// |   32   |   8   | place           | announce, proceed: offset of the buffer in its PE's segment, private_place and |
// |        |       |                 | an address, or no_place; piece: offset; help: of the receiver's SharedCopy     |
// |   40   |   8   | label           | announce: the message's, or 0; piece: the send                                 |
struct Header {
  std::uint64_t tag = 0;
  std::uint32_t credit_bytes = 0;
  std::uint16_t credit_messages = 0;
  Kind kind = Kind::eager;
  std::uint64_t bytes = 0;
  std::uint64_t operation = 0;
  std::uint64_t place = no_place;
  std::uint64_t label = 0;
};
inline constexpr std::size_t eager_header = 16, labelled_header = 24;
static_assert(sizeof(Header) == 48 && offsetof(Header, bytes) == eager_header);
static_assert(sizeof(Header) <= fabric::slot_bytes, "a header is read where it lies, in a message's first slot");

/// Payload of messages that are so short that they are kept as they are: no memory of their own when they come early,
/// and sent by handlers at once.
inline constexpr std::size_t short_payload = 256;
static_assert(labelled_header + short_payload <= fabric::message_bytes);

}  // namespace atl::runtime::matching
